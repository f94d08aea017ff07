"""Claims about partitions that change owners, and about the group becoming stable."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise
from operator import attrgetter

from kassay.model.calls import Failure
from kassay.model.groups.group import Assignment
from kassay.model.groups.history import StaticReturn
from kassay.model.groups.kinds import CLIENT, GROUPS
from kassay.model.groups.player import ROUNDS_MAX
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.kinds import RebalanceProtocol
from kassay.properties.answers import shown_lists
from kassay.properties.groups.validity import difference
from kassay.properties.registry import Evidence, NumberRange, Scope, claim, number
from kassay.writing.text import counted, only, series

REVOKING_ROUNDS = 2
"""The limit of bare `converges` for a cooperative target."""


def _may_take_too_early(step: Step) -> bool:
    """Whether a member could get a partition that another owns at its highest generation."""
    readers, has = step.group.subscribers, step.cluster.has
    by_others = False
    for member in step.group.members:
        for tp in member.owned:
            able = readers.get(tp[0], ())
            if able and has(tp):
                if len(able) > 1:
                    return True
                by_others = by_others or able[0] != member.member_id
    return by_others and any(
        owner != readers[tp[0]][0]
        for tp, (_, owner) in step.group.reported_owners.items()
        if tp[0] in readers and has(tp)
    )


@claim(
    "cooperative",
    kinds=CLIENT,
    breakable=_may_take_too_early,
    validity_of=RebalanceProtocol.COOPERATIVE,
    source="KIP-429: a partition is reassigned only after its owner gave it up",
    fix=(
        "withhold a partition that changes owners until its owner no longer reports it, and assign "
        "it in the next round"
    ),
)
def cooperative(step: Step) -> Iterator[Evidence]:
    """A member gets a partition only if no other member reports it at its highest generation."""
    reported_owners = step.group.reported_owners
    for member_id, tps in step.given.items():
        for tp in tps:
            if tp not in reported_owners or reported_owners[tp][1] == member_id:
                continue
            generation = reported_owners[tp][0]
            others = [
                m.member_id
                for m in step.group.members
                if m.generation == generation and m.member_id != member_id and tp in m.owned
            ]
            if others:
                own = "owns" if len(others) == 1 else "own"
                yield Evidence(
                    str(tp),
                    {
                        "assigned to": member_id,
                        "still owned by": tuple(sorted(others)),
                        "generation": generation,
                    },
                    f"{tp} was assigned to {member_id}, but {series(sorted(others))} still {own} it "
                    f"(generation {generation}).",
                )


def _took_part(rebalanced: Rebalanced, *_: str) -> bool:
    """Whether convergence applies to the change: no sync failed and the target answered."""
    return not any(step.failed_sync or isinstance(step.answer, Failure) for step in rebalanced.steps)


def _may_go_on(rebalanced: Rebalanced, _: str) -> bool:
    """Whether partitions could move forever, or be withheld and assigned alternately."""
    first = rebalanced.steps[0]
    return first.is_contested if first.protocol is RebalanceProtocol.EAGER else first.is_read


@claim(
    "converges",
    kinds=CLIENT,
    scope=Scope.REBALANCE,
    applies=_took_part,
    breakable=_may_go_on,
    confirm=True,
    validity_of=RebalanceProtocol.COOPERATIVE,
    validity_argument=str(ROUNDS_MAX),
    parameter=number(NumberRange(1, ROUNDS_MAX, whole=True), example="2"),
    source="KIP-429; KAFKA-9029",
    fix="return the previous answer when members report exactly that as owned",
)
def converges(rebalanced: Rebalanced, rounds: str) -> Iterator[Evidence]:
    """After one change the group becomes stable within the declared rounds.

    Bare: two revoking rounds for a cooperative target, none after the first round for an eager one.
    `converges:k`: at most k rounds until a round in which no member gives up or gains anything.
    """
    taken = len(rebalanced.steps)
    if not rebalanced.settled:
        last = min(taken - 1, int(rounds)) if rounds else taken - 1
        words = f"The group is not stable after {counted(taken, 'round')}."
        yield Evidence("the group", {"not stable after rounds": taken}, words, last)
    elif rounds:
        if taken - 1 > int(rounds):
            words = (
                f"The group became stable after {counted(taken - 1, 'round')}; {rounds} or fewer are allowed."
            )
            yield Evidence("the group", {"rounds": taken - 1, "allowed": rounds}, words, int(rounds))
    else:
        eager = rebalanced.steps[0].protocol is RebalanceProtocol.EAGER
        allowed = 0 if eager else REVOKING_ROUNDS
        if rebalanced.revocations > allowed:
            number = rebalanced.revocations
            words = (
                f"Partitions moved in {counted(number, 'round')} after the first, "
                "although nothing in the group changed."
                if eager
                else f"The group revoked partitions in {number} rounds, but {only(allowed, 'is')} allowed."
            )
            at = next(islice(_revoking(rebalanced), allowed, None), taken - 1)
            yield Evidence("the group", {"revoking rounds": number, "allowed": allowed}, words, at)


def _revoking(rebalanced: Rebalanced) -> list[int]:
    """The rounds, by number, in which a member had to give something up."""
    given = [step.given for step in rebalanced.steps]
    later = [
        number
        for number, (had, has) in enumerate(pairwise(given), start=1)
        if any(not frozenset(has.get(member, ())).issuperset(tps) for member, tps in had.items())
    ]
    return [0, *later] if rebalanced.revocations > len(later) else later


def _is_repeated(rebalanced: Rebalanced) -> bool:
    """Whether a stable group was rebalanced again."""
    return rebalanced.quiet or (
        len(rebalanced.steps) > 1
        and rebalanced.steps[0].protocol is RebalanceProtocol.EAGER
        and _took_part(rebalanced)
    )


def _is_open(rebalanced: Rebalanced) -> bool:
    """Whether the stable group could get another answer."""
    return rebalanced.steps[0].is_open


@claim(
    "stable",
    kinds=GROUPS,
    scope=Scope.REBALANCE,
    applies=_is_repeated,
    breakable=_is_open,
    confirm=True,
    minimum=20,
    source="KIP-54; apache/kafka PR 21069",
    fix="prefer what members own already, so that an unchanged group keeps its assignment",
)
def stable(rebalanced: Rebalanced) -> Iterator[Evidence]:
    """A settled, unchanged group gets the same answer again."""
    answers = [step.answer for step in rebalanced.steps]
    if rebalanced.quiet and rebalanced.before is not None:
        answers = [rebalanced.before, *answers]
    elif answers and rebalanced.steps[0].protocol is RebalanceProtocol.COOPERATIVE:
        return
    for first, second in pairwise(answers):
        if isinstance(first, Assignment) and isinstance(second, Assignment) and not first.same_sets(second):
            for each in difference(first, second):
                words = each.between("in one round", "in the next, although nothing changed")
                yield Evidence(each.subject, {"first": each.first, "then": each.then}, words)


@claim(
    "leader-neutral",
    kinds=CLIENT,
    scope=Scope.REBALANCE,
    applies=attrgetter("leader_changed"),
    breakable=_is_open,
    confirm=True,
    minimum=20,
    source="KAFKA-2464: any member may lead; implementations of one protocol name meet in one group",
    fix=("decide by what all members report, not by anything that only the leader knows"),
)
def leader_neutral(rebalanced: Rebalanced) -> Iterator[Evidence]:
    """Nothing moves in a settled group when only the leader changes."""
    answers = [step.answer for step in rebalanced.steps]
    for first, second in pairwise([rebalanced.before, *answers]):
        if isinstance(first, Assignment) and isinstance(second, Assignment) and not first.same_sets(second):
            for each in difference(first, second):
                leader = rebalanced.steps[0].group.leader
                yield Evidence(
                    each.subject,
                    {"leader": leader, "first": each.first, "then": each.then},
                    each.between("under one leader", f"under {leader}, although only the leader changed"),
                )


def _only_static_returns(rebalanced: Rebalanced) -> bool:
    """Whether only static members returned under new ids, and the group was stable."""
    return bool(rebalanced.renamed and rebalanced.outcomes) and all(
        isinstance(e, StaticReturn) for e in rebalanced.change
    )


def _may_have_others(rebalanced: Rebalanced) -> bool:
    """Whether a returning member could get anything else than it owned.

    It could get a contested partition or not; without one, it gets what no other member reads.
    """
    first = rebalanced.steps[0]
    by_id, readers, partitions = first.group.by_id, first.group.subscribers, first.cluster.partitions
    for _, new in rebalanced.renamed:
        member = by_id.get(new)
        topics = [topic for topic in set(member.topics) if topic in partitions] if member else []
        if any(len(readers[topic]) > 1 for topic in topics):
            return True
        if member and set(member.owned) != {tp for topic in topics for tp in partitions[topic]}:
            return True
    return False


@claim(
    "static-stable",
    kinds=CLIENT,
    scope=Scope.REBALANCE,
    applies=_only_static_returns,
    breakable=_may_have_others,
    minimum=20,
    source="KIP-345",
    fix=(
        "keep a member's partitions by its group.instance.id or by what it reports as owned, "
        "not by its new member id"
    ),
)
def static_stable(rebalanced: Rebalanced) -> Iterator[Evidence]:
    """A static member that returns under a new member id gets the partitions that it owned."""
    first = rebalanced.steps[0]
    for outcome in rebalanced.outcomes:
        for old, new in rebalanced.renamed:
            had = first.group.by_id[new].owned if new in first.group.by_id else ()
            has = outcome.given.get(new, ())
            if set(had) != set(has):
                owned, gets = shown_lists(sorted(had), sorted(has))
                yield Evidence(
                    new,
                    {"was": old, "owned": sorted(had), "gets": sorted(has)},
                    f"{new} returned in place of {old}, which owned {owned}, but gets {gets}.",
                )
