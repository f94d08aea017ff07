"""A recorded rebalance of partitions: its causes, and the claims checked on it.

Causes of a rebalance: the differences between a group's members before and after it.

Claims checked on a recorded rebalance of partitions: the assignor's input and its answer.

Of the claims that an assignor's reference declares, those that need only a step are checked; a repeated call
(`deterministic`) and the assignor itself are not available. Kafka's sticky assignors promise to keep
partitions where possible: if the balance is optimal, moves beyond the certified minimum are a finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Final, NamedTuple, NoReturn

from kassay.assignors import registry
from kassay.engines.audits.values import AuditFinding, CauseWord, LogMoment, RebalanceCause, RebalanceFigures
from kassay.kinds.groups.oracle import best_of_share_group, best_once
from kassay.kinds.judging import Calls, Examination, Subject, judge
from kassay.model.cluster import numbers_by_topic
from kassay.model.errors import KassayError
from kassay.model.groups.documents import HISTORY, rebalanced_to_json
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import History, Join, Withhold
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.groups.metrics import moved
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.model.trace import Conditions, Trace
from kassay.properties.claims import parse_claim
from kassay.properties.groups.balance import ORDER, Best
from kassay.properties.groups.sharing import BestSharing
from kassay.properties.registry import Claim, Scope, Violation
from kassay.solver.groups.share_gap import share_figures
from kassay.solver.groups.shares import ShareProblem, best_sharing


class SeenMember(NamedTuple):
    """A member as recorded; `home` is its instance id, or its client id and host."""

    member_id: str
    instance_id: str | None
    home: str
    topics: frozenset[str]


def home(instance_id: str | None, client_id: str, host: str) -> str:
    """The identity of a member that survives a new member id."""
    return instance_id or f"{client_id}@{host.removeprefix('/')}"


def renamed(before: Iterable[SeenMember], after: Iterable[SeenMember]) -> dict[str, str]:
    """The new member ids of returned static members, by their old ones (KIP-345)."""
    old = {each.instance_id: each.member_id for each in before if each.instance_id}
    return {
        old[each.instance_id]: each.member_id
        for each in after
        if each.instance_id in old and each.instance_id and old[each.instance_id] != each.member_id
    }


def causes(before: Sequence[SeenMember], after: Sequence[SeenMember]) -> tuple[RebalanceCause, ...]:
    """The differences between the members: who joined, left, returned, or changed its subscription."""
    ids_before, ids_after = (
        {each.member_id: each for each in before},
        {each.member_id: each for each in after},
    )
    back = renamed(before, after)
    came, went = ids_after.keys() - ids_before.keys(), ids_before.keys() - ids_after.keys()
    joined = sorted(ids_after[each].home for each in came - set(back.values()))
    left = sorted(ids_before[each].home for each in went - back.keys())
    resubscribed = sorted(
        each.home
        for each in after
        for old in [ids_before.get(each.member_id)]
        if old is not None and old.topics != each.topics
    )
    lists: Mapping[CauseWord, list[str]] = {
        CauseWord.JOINED: joined,
        CauseWord.LEFT: left,
        CauseWord.RESTARTED: sorted(ids_after[new].home for new in back.values()),
        CauseWord.RESUBSCRIBED: resubscribed,
    }
    return tuple(RebalanceCause(word, tuple(who)) for word, who in lists.items() if who)


def of_racks(racks: Iterable[str | None]) -> Iterator[str]:
    """That members have racks, which no claim is checked by: the log has no racks of replicas."""
    every = tuple(racks)
    named = sorted({rack for rack in every if rack is not None})
    if named:
        count = sum(rack is not None for rack in every)
        more = f" and {len(named) - _SHOWN} more" if len(named) > _SHOWN else ""
        yield (
            f"{count} of {len(every)} members in racks {', '.join(named[:_SHOWN])}{more}: the log has no "
            "racks of replicas, so it is not judged what they read within them"
        )


REFERENCES: Final = {
    CLIENT: {name: name for name in ("range", "roundrobin", "sticky", "cooperative-sticky")},
    SERVER: {"uniform": "uniform", "range": "server-range"},
    SHARE: {"simple": "share-simple@4.4"},
}
"""The references of Kafka's assignors, by Kafka's names."""
_OF_RELEASES: Final = frozenset({"uniform", "share-simple", "streams-group-sticky"})
"""Rules that differ from release to release of Kafka."""
UNNAMED: Final = "of a release that the log does not name"


def target_of(reference: str) -> str:
    """The target of a trace: the rule, without a release where releases differ, for a log names none."""
    rule = reference.partition("@")[0]
    return f"{rule} {UNNAMED}" if rule in _OF_RELEASES else reference


COOPERATIVE: Final = frozenset({"cooperative-sticky", "stream"})
"""Assignors that withhold partitions until their owners have revoked them; `stream` is Kafka Streams."""
_STICKY: Final = frozenset({"sticky", "cooperative-sticky", "uniform"})
_VALID: Final = ("single-owner", "subscribed", "complete")
_OF_A_STEP: Final = frozenset(
    {
        "cooperative",
        "topic-even",
        "contiguous",
        "copartitioned",
        "balanced-within-one",
        "balanced-kip54",
        "assignable",
        "shared-evenly",
        "fewest-taken-back",
    }
)
_OF_RACKS: Final = frozenset({"contiguous", "copartitioned"})
"""Claims that an assignor gives up to match racks; racks of replicas are not recorded."""
_SHOWN: Final = 3


class AuditClaims(NamedTuple):
    """The claims checked on each round, and on the outcome of a rebalance."""

    rounds: tuple[Claim, ...]
    outcome: tuple[Claim, ...]


@cache
def audited_claims(kind: Kind, assignor: str | None, racks: bool = False) -> AuditClaims:
    """The claims that the records of an assignor allow; for an unknown one, validity only."""
    names = list(_VALID)
    if assignor == "stream":
        names.remove("complete")  # a leader of Streams may withhold tasks until their copies have caught up
    spec = REFERENCES[kind].get(assignor or "")
    reference = registry.find(spec) if spec else None
    if reference is not None:
        names += [
            name for name in reference.claims if name in _OF_A_STEP and not (racks and name in _OF_RACKS)
        ]
        names += ["sticky-minimal"] if assignor in _STICKY else []
    declared = [parse_claim(name, kind) for name in names]
    of_rounds = (Scope.STEP, Scope.REBALANCE)
    return AuditClaims(
        tuple(each for each in declared if each.kind.scope in of_rounds),
        tuple(each for each in declared if each.kind.scope not in of_rounds),
    )


class Judgement(NamedTuple):
    """The result of checking a rebalance."""

    judged: tuple[str, ...]
    findings: tuple[AuditFinding, ...]
    measured: RebalanceFigures | None


def judgement(
    kind: Kind,
    assignor: str | None,
    step: Step,
    outcome: Step | None,
    moment: LogMoment,
    *,
    owners_known: bool,
) -> Judgement:
    """The round, and the rebalance that it ends if there is an `outcome`, checked and measured.

    `owners_known`: the members of the outcome's group report the partitions that they owned before.
    """
    checked = audited_claims(kind, assignor, any(member.rack for member in step.group.members))
    seen = Examination()
    rebalanced = Rebalanced(0, (), (step,), settled=False, revocations=0)
    judge(rebalanced, _subject(step, checked.rounds), seen, no_best, ())
    findings = _findings(kind, assignor, rebalanced, seen.violations, moment)
    measured: RebalanceFigures | None = None
    if outcome is not None and outcome.group.members:
        after, best = Examination(), cache(partial(_best, kind, outcome))
        subject = _subject(outcome, checked.outcome if outcome.is_read else ())
        judge(
            Calls((outcome,), (outcome,)),
            subject,
            after,
            lambda *_: best(),
            (outcome,),
        )
        ended = Rebalanced(0, (), (outcome,), settled=True, revocations=0)
        findings += _findings(kind, assignor, ended, after.violations, moment)
        seen.judged.update(after.judged)
        measured = _shared(outcome, owners_known) if kind is SHARE else _measured(outcome, best, owners_known)
    return Judgement(tuple(seen.judged), tuple(findings), measured)


def only_owners(kind: Kind, assignor: str | None, step: Step, moment: LogMoment) -> Judgement:
    """The round, checked only for partitions with two owners."""
    seen = Examination()
    rebalanced = Rebalanced(0, (), (step,), settled=False, revocations=0)
    judge(rebalanced, _subject(step, (parse_claim("single-owner", kind),)), seen, no_best, ())
    return Judgement(
        tuple(seen.judged), tuple(_findings(kind, assignor, rebalanced, seen.violations, moment)), None
    )


def convergence(
    kind: Kind, assignor: str | None, rounds: Sequence[Step], moment: LogMoment, *, at_rest: bool
) -> Judgement:
    """The rounds that one change led to: whether they became stable within the promised number.

    A round revokes if it withholds partitions. An assignor without such a promise is not checked.
    """
    reference = registry.find(REFERENCES[kind].get(assignor or "", ""))
    claim = [name for name in (reference.claims if reference else ()) if name.startswith("converges")]
    seen = Examination()
    revoking = sum(not is_full(step) for step in rounds)
    rebalanced = Rebalanced(0, (), tuple(rounds), settled=at_rest, revocations=revoking)
    subject = _subject(rounds[0], tuple(parse_claim(name, kind) for name in claim))
    judge(rebalanced, subject, seen, no_best, ())
    findings = _findings(kind, assignor, rebalanced, seen.violations, moment)
    return Judgement(tuple(seen.judged), tuple(findings), None)


def _subject(step: Step, checked: tuple[Claim, ...]) -> Subject:
    return Subject(not_there, step.protocol, checked)


def not_there(_: object) -> NoReturn:
    """Stands for the assignor, which records do not contain: raises `KassayError`."""
    raise KassayError("a record cannot be called again")


def no_best(*_: object) -> None:
    """None: a single round is not compared with a certified optimum."""


def _best(kind: Kind, outcome: Step) -> Best | BestSharing:
    if kind is SHARE:
        return best_of_share_group(outcome.cluster, outcome.group)
    return best_once(outcome, ORDER)


def _shared(outcome: Step, owners_known: bool) -> RebalanceFigures:
    """Figures of a share group: the copies of members, and the copies revoked."""
    problem = ShareProblem.of(outcome.cluster, outcome.group)
    best = best_sharing(problem)
    loads = outcome.loads.values()
    figures = share_figures(problem, outcome.given) if owners_known and _is_valid(outcome) else None
    return RebalanceFigures(
        max(loads) - min(loads),
        best.loads[-1] - best.loads[0],
        None if figures is None else figures.taken_back,
        None if figures is None else best.taken_back,
    )


def _is_valid(outcome: Step) -> bool:
    """Whether each member is given partitions that it subscribes to, each once: others have no figures."""
    topics = {each.member_id: {*each.topics} for each in outcome.group.members}
    return all(
        len({*tps}) == len(tps) and {tp.topic for tp in tps} <= topics.get(name, set())
        for name, tps in outcome.given.items()
    )


def _measured(outcome: Step, best: Callable[[], Best | BestSharing], owners_known: bool) -> RebalanceFigures:
    spread, fewest = least_of(outcome, best)
    loads = outcome.loads.values()
    return RebalanceFigures(
        max(loads) - min(loads),
        spread,
        len(moved(outcome.given, outcome.previous)) if owners_known else None,
        fewest if owners_known else None,
    )


def least_of(outcome: Step, best: Callable[[], Best | BestSharing]) -> tuple[int, int]:
    """The spread of the best loads and the fewest moves to them.

    Where all members read the same, a member keeps up to the mean, and as many members as there are
    partitions over one more. Otherwise the certified `best` says.
    """
    group, counts = outcome.group, outcome.cluster.counts
    if not group.equal_subscriptions:
        certified = best()
        assert isinstance(certified, Best)
        return certified.loads[-1] - certified.loads[0], certified.moved
    read = group.subscribers
    whole, over = divmod(sum(counts.get(topic, 0) for topic in read), len(group.members))
    had = Counter(owner for tp, owner in outcome.previous.items() if tp.topic in read).values()
    fewest = sum(max(0, number - whole) for number in had) - min(over, sum(number > whole for number in had))
    return int(over > 0), fewest


def _findings(
    kind: Kind,
    assignor: str | None,
    rebalanced: Rebalanced,
    violations: Sequence[Violation],
    moment: LogMoment,
) -> list[AuditFinding]:
    """The findings, each with the round as a trace."""
    return findings_of(
        violations,
        rebalanced.steps[0].generation,
        moment,
        lambda claim, broken: _trace(kind, assignor, rebalanced, claim, broken),
    )


def findings_of(
    violations: Sequence[Violation],
    generation: int,
    moment: LogMoment,
    trace: Callable[[str, Sequence[Violation]], Trace | None],
) -> list[AuditFinding]:
    """One finding per broken claim, for any number of partitions or members.

    `trace` makes the trace from a claim and its violations.
    """
    by_claim: dict[str, list[Violation]] = {}
    for violation in violations:
        by_claim.setdefault(violation.claim, []).append(violation)
    return [
        AuditFinding(
            claim,
            " ".join(each.evidence.words for each in broken[:_SHOWN])
            + (f" And {len(broken) - _SHOWN} more." if len(broken) > _SHOWN else ""),
            generation,
            moment,
            trace(claim, broken),
        )
        for claim, broken in by_claim.items()
    ]


def _trace(
    kind: Kind, assignor: str | None, rebalanced: Rebalanced, claim: str, broken: Sequence[Violation]
) -> Trace:
    """The step as a history of one change: members join with their owned partitions; the answer is kept."""
    step = rebalanced.steps[0]
    members = tuple(member._replace(user_data=None) for member in step.group.members)
    history = History(step.cluster, ((*_withheld(step), *(Join(member) for member in members)),))
    return Trace(
        kind=kind,
        target=target_of(REFERENCES[kind].get(assignor or "", assignor or "unknown")),
        digest=None,
        protocol=step.protocol,
        claim=claim,
        contradictory=broken[0].contradictory,
        case=HISTORY.write(history),
        violations=tuple(map(str, broken[:100])),
        narration=(rebalanced_to_json(rebalanced),),
        conditions=Conditions(),
    )


def _withheld(step: Step) -> Iterator[Withhold]:
    """The partitions that a share group must not assign."""
    if step.group.assignable is not None:
        withheld = step.cluster.everything - step.group.assignable
        yield from (Withhold(topic, tuple(ns)) for topic, ns in numbers_by_topic(sorted(withheld)).items())


def merged(first: Step, last: Step) -> Step:
    """A rebalance of several rounds as one: what members owned before the first, and the outcome of the last.

    The members are those of the last round; one that came in between owned nothing.
    """
    if first is last:
        return last
    was = first.group.by_id
    members = tuple(
        was[each.member_id]._replace(topics=each.topics) if each.member_id in was else each._replace(owned=())
        for each in last.group.members
    )
    return Step(
        cluster=last.cluster,
        group=Group(members, last.group.leader),
        answer=last.given,
        generation=last.generation,
        protocol=last.protocol,
    )


def protocol_of(kind: Kind, assignor: str | None, owned: bool) -> RebalanceProtocol:
    """The rebalance protocol of the assignor; if unknown, by whether members keep their partitions."""
    if kind is not CLIENT:
        return RebalanceProtocol.EAGER
    known = assignor in REFERENCES[kind]
    cooperative = assignor in COOPERATIVE or (owned and not known)
    return RebalanceProtocol.COOPERATIVE if cooperative else RebalanceProtocol.EAGER


def is_full(step: Step) -> bool:
    """Whether the round withholds nothing: every existing partition of a subscribed topic is assigned."""
    answer: Assignment = step.given
    withheld = {tp for member in step.group.members for tp in member.owned} - step.given_out
    return bool(answer) and not any(
        tp[0] in step.group.subscribers and step.cluster.has(tp) for tp in withheld
    )
