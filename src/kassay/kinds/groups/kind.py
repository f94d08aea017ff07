"""The driver of consumer groups: client-side, server-side and share-group assignors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from kassay.kinds.broken import BrokenStep
from kassay.kinds.frames import Frame, Reported
from kassay.kinds.groups.answers import (
    GIVEN_TO_EACH,
    UserDataOfEach,
    group_asserts,
    group_call,
    group_offers,
    group_words,
    in_full,
)
from kassay.kinds.groups.removal import EVENT_FORMS
from kassay.kinds.groups.scaling import timed_group
from kassay.kinds.groups.scopes import LEFT_OUT, GroupRules, cell_cases, scope_cases
from kassay.kinds.groups.shrinking import restarted_histories, shrunk_histories
from kassay.kinds.judging import Subject
from kassay.kinds.measures import RuleFigures
from kassay.kinds.protocol import EVERY_CASE, CellOptions, Driver, RunWishes, ScopeCell
from kassay.kinds.registry import drives
from kassay.kinds.words import Asserts, Offer, PlainCall, TimedSizes
from kassay.model.calls import Failure, Look, Probe
from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.documents import (
    ASSIGNMENT,
    HISTORY,
    JOINED,
    REBALANCED,
    rebalanced_to_json,
    step_to_json,
)
from kassay.model.groups.group import Assignment, Group, Member, previous_owners
from kassay.model.groups.history import Change, CreateTopic, DeleteTopic, History, Join, Leave
from kassay.model.groups.kinds import CLIENT, CONSUMER_GROUPS, SERVER, SHARE
from kassay.model.groups.metrics import moved, rack_mismatches
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced, ServerStep, ShareStep, Step
from kassay.model.kinds import Kind
from kassay.model.shape.removal import Removal
from kassay.properties.groups.balance import WEIGHTED_SPREAD, Best, order_of
from kassay.properties.groups.histories.aims import AIMS, aimed_history
from kassay.properties.groups.histories.assumptions import within
from kassay.properties.groups.histories.generator import SHAPES, GroupProfile
from kassay.properties.groups.histories.scenarios import habits, history
from kassay.properties.groups.named import RELATED, named_group
from kassay.properties.groups.sharing import BestSharing
from kassay.properties.groups.topics import PRIORITY_CONFIG
from kassay.properties.groups.wide import SIZES, ranges_of, sized_history
from kassay.properties.registry import Claim, Evidence, as_text
from kassay.properties.sources import Source

if TYPE_CHECKING:
    from kassay.assignors.registry import Reference
    from kassay.kinds.measures import Asking, How, MeasuredRest
    from kassay.kinds.search import WorstSearch


PRIORITIES: Final = ("1", "2", "3", "10")
"""The values that the generator uses when a target has priorities and the user gave no values."""
OFTEN: Final = 0.9
"""The shares of histories with racks, weights, or a quiet end, where no claim is about them."""


_RANKED_BY: Final = (
    *("deterministic", "order-independent", "balanced-within-one", "balanced-kip54"),
    *("balanced-optimal", "sticky-minimal", "stable"),
)
"""The claims beyond validity that rank targets."""


class _Answering(AssignorBase):
    """An assignor that answers with given answers, one after another."""

    name = "recorded"

    def __init__(self, next_answer: Callable[..., Assignment]) -> None:
        self._next = next_answer

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The next answer, whatever the group."""
        return self._next()


@drives(CLIENT, SERVER, SHARE)
class GroupDriver(Driver[History]):
    """Plays histories against an assignor."""

    goals = ("balance", "movement", "rack")
    options = frozenset({"sizes", "member-config", "shape", "exhaustive"})
    pasts = True
    follows_protocol = True
    form = HISTORY
    narration = REBALANCED
    answers = ASSIGNMENT
    events = EVENT_FORMS
    aims = AIMS
    measured = True
    usual_scope = (2, 3)
    shapes = tuple(shape.id for shape in SHAPES)
    answer_as_python = GIVEN_TO_EACH
    countable = SIZES

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind)
        self.ranges = ranges_of(kind)

    @property
    def shares_objects(self) -> bool:
        """A broker's assignors serve every group; a client's belongs to one member."""
        return self.kind is not CLIENT

    def long_case(self, changes: int) -> History:
        """One member stays and leads; three others, and one topic, are replaced in every change."""
        stays = Join(Member("m-stays", ("t-stays",)))
        first: Change = (stays, CreateTopic(Topic("t0", 1)), *_arrivals(0))
        return History(Cluster((Topic("t-stays", 2),)), (first, *map(_replacement, range(1, changes))))

    def under_other_names(self, case: History, number: int) -> History:
        """The history with other ids of members and other names of topics."""
        joined = [join.member for join in case.joins]
        names = {member.member_id for member in joined} | {t for member in joined for t in member.topics}
        names |= {topic.name for topic in case.cluster.topics}
        document = _replaced(HISTORY.write(case), {name: f"{name}-{number}" for name in names})
        return self.read(document) or case

    def generate(self, source: Source, profile: GroupProfile, aim: str = "") -> History:
        """A history of a consumer group."""
        case = aimed_history(source, profile, aim) if aim else history(source, profile)
        return named_group(case, profile) if RELATED in profile.wanted else case

    def sized(self, source: Source, profile: GroupProfile, sizes: Mapping[str, int]) -> History:
        """A history with these sizes: joins, then a change or two."""
        racked = 1 if profile.racked == 1 else 0
        return sized_history(habits(source, profile, racked=racked, weighted=0), sizes)

    def wide_profile(self, profile: GroupProfile, wanted: frozenset[str]) -> GroupProfile:
        """The small profile, with racks or static members where their names are wanted."""
        return replace(
            profile,
            name="small",
            racked=1 if "rack" in wanted else profile.racked,
            static=1 if "instance" in wanted else profile.static,
            wanted=wanted,
        )

    def unnamed(self, assume: frozenset[str]) -> frozenset[str]:
        """Racks and instance ids where they are excluded; share groups have no instance ids."""
        no_racks = {"rack"} if "no-racks" in assume else set()
        no_static = {"instance"} if "no-static" in assume or self.kind is SHARE else set()
        return frozenset(no_racks | no_static)

    def profile(self, wanted: RunWishes) -> GroupProfile:
        """What to generate: racks, weights, quiet ends and leaders where a claim is about them."""
        configs, claims = wanted.member_configs, wanted.claims
        if not configs and "active-passive" in claims:
            configs = ((PRIORITY_CONFIG, PRIORITIES),)
        profile = GroupProfile(
            name="large" if wanted.shape else wanted.name,
            kind=self.kind,
            assume=wanted.assume,
            member_configs=configs,
            deals=bool(wanted.member_configs),
            shape=wanted.shape,
        )
        return replace(
            profile,
            racked=OFTEN if "rack-local" in claims else profile.racked,
            weighted=OFTEN if "weighted-spread" in claims else profile.weighted,
            # An eager group rebalances after every change; a stable cooperative group has to be triggered.
            quiet=OFTEN if claims >= {"stable", "cooperative"} else profile.quiet,
            leads=wanted.mixed or "leader-neutral" in claims,
        )

    def play(self, case: History, subject: Subject) -> Iterator[Rebalanced]:
        """The rebalances of the history, with the answers of another process."""
        player = self.player(subject)
        rounds = player.play(case)
        if subject.twin is not None:
            rounds = _with_twin(rounds, replace(player, new=subject.twin, looks=frozenset()).play(case))
        return rounds

    def is_within(self, played: Rebalanced, assume: frozenset[str]) -> bool:
        """Whether every input satisfies the assumptions."""
        return all(within(step, assume) for step in played.steps)

    def parts(self, answer: Assignment) -> dict[str, object]:
        """The partitions of each member that has any, in order."""
        return {member_id: tuple(sorted(tps)) for member_id, tps in answer.items() if tps}

    def measures(self, arguments: tuple[Cluster, Group], answer: Assignment) -> dict[str, object]:
        """The loads, the largest first; the number of moves; the number of rack mismatches."""
        cluster, group = arguments
        loads = sorted((len(answer.get(member.member_id, ())) for member in group.members), reverse=True)
        return {
            "balance": tuple(loads),
            "movement": len(moved(answer, previous_owners(cluster, group))),
            "rack": len(rack_mismatches(cluster, group, answer)),
        }

    def best(self, outcome: Step, claim: Claim) -> Best | BestSharing:
        """The certified best loads, moves and rack mismatches; for a share group the copies taken back."""
        of_group, of_share_group = _oracles()
        if self.kind is SHARE:
            return of_share_group(outcome.cluster, outcome.group)
        return of_group(outcome, order_of(claim), weigh=claim.kind.id == WEIGHTED_SPREAD)

    @property
    def ranked_by(self) -> tuple[str, ...]:
        """Determinism, balance and movement, for consumer groups."""
        return _RANKED_BY if self.kind in CONSUMER_GROUPS else ()

    def rest(self, played: Rebalanced) -> MeasuredRest | None:
        """The outcomes of a rebalance compared with the certified best, and its rounds."""
        from kassay.kinds.groups.measures import measured_group, measured_share_group, rest_of_group

        return rest_of_group(measured_share_group if self.kind is SHARE else measured_group, played)

    def ask_instance(self, problem: Any, how: How) -> Asking:
        """The group of the instance, at its start."""
        from kassay.kinds.groups.measures import ask_consumers, ask_sharing

        return ask_sharing(problem, how) if self.kind is SHARE else ask_consumers(problem, how)

    def timed(self, claim: Claim, subject: Subject, seconds: float) -> TimedSizes:
        """Groups of doubling sizes, from their start until a member leaves."""
        return timed_group(claim, subject, seconds)

    def figures(self, rule: Reference) -> RuleFigures:
        """The spread of loads with more topics, and what moves when a member leaves."""
        from kassay.kinds.groups.measures import figures_of_rule

        compared = self.kind in CONSUMER_GROUPS and "active-passive" not in rule.claims
        return figures_of_rule(rule) if compared else RuleFigures()

    def own_words(self) -> UserDataOfEach:
        """User data returns to the object that added it."""
        return UserDataOfEach()

    def place_words(self, narration: Sequence[Mapping[str, Any]], step: int, turn: int | None) -> str:
        """The round, counted from the first of all, and its generation."""
        rounds = [len(each["rounds"]) for each in narration[:step]]
        here = narration[step]["rounds"] if step < len(narration) else []
        if turn is None or turn >= len(here):
            return ""
        return f" in round {sum(rounds) + turn + 1} (generation {here[turn]['generation']})"

    def shrink_candidates(self, case: History) -> Iterator[History]:
        """Histories with something removed."""
        return shrunk_histories(case)

    def restarts(self, case: History, subject: Subject) -> Iterator[History]:
        """Histories that begin in a round of this one, if any event follows its start."""
        if not case.events:
            return iter(())
        played = replace(self.player(subject), looks=frozenset()).play(case)
        # Run to the end at once: calls in between would interfere with objects that share state.
        return restarted_histories(case, [(each.index, step) for each in played for step in each.steps])

    def size(self, case: History) -> tuple[int, ...]:
        """Events, members, partitions, topics and subscriptions, and the rest."""
        return case.size

    def cell(self, cell: ScopeCell, options: CellOptions = EVERY_CASE) -> Iterator[History]:
        """Every group with these numbers of members and partitions, on ordinary input."""
        rules = GroupRules(self.kind, equal=options.equal, idle=options.idle)
        return cell_cases(*cell.size, rules, pasts=cell.pasts)

    def scope(self, profile: GroupProfile, members_max: int, partitions_max: int) -> Iterator[History]:
        """Every group of an exhaustive scope."""
        return scope_cases(profile, members_max, partitions_max)

    @property
    def left_out(self) -> Mapping[str, tuple[str, ...]]:
        """What no scope has: racks, weights, later changes, and more by kind."""
        return LEFT_OUT[self.kind]

    def search(self) -> WorstSearch:
        """Changes topics, subscriptions and owners; for share groups also the member that leaves."""
        from kassay.kinds.groups.search import GroupSearch, ShareSearch

        return ShareSearch() if self.kind is SHARE else GroupSearch()

    def removals(self, document: Mapping[str, Any]) -> Iterator[Removal]:
        """Each thing that can be removed, events and rare features first."""
        from kassay.kinds.groups.removal import group_removals

        return group_removals(document)

    def frames(self, reported: Reported) -> list[Frame]:
        """A frame for each round."""
        from kassay.kinds.groups.view import group_frames

        return group_frames(reported, self.event_sentence)

    def counts(self, case: History) -> Mapping[str, int]:
        """Members that ever join, partitions at the start and of new topics, and events."""
        events, members, partitions, *_ = case.size
        return {"members": members, "partitions": partitions, "events": events}

    def narrated(self, plays: Sequence[Rebalanced]) -> list[dict[str, Any]]:
        """The rounds in order."""
        return [rebalanced_to_json(rebalanced) for rebalanced in plays]

    def answering(self, next_answer: Callable[..., Assignment]) -> AssignorBase:
        """An assignor without user data that answers with recorded answers."""
        return _Answering(next_answer)

    def recorded_more(self, step: Step) -> Mapping[str, Any]:
        """The user data and the generation with which each member joined, if any member has user data."""
        members = step.group.members
        if all(member.user_data is None for member in members):
            return {}
        return {
            member.member_id: {
                "generation": member.generation,
                "user_data": None if member.user_data is None else member.user_data.hex(),
            }
            for member in members
        }

    def with_more(self, step: Step, more: Mapping[str, Any]) -> Step:
        """The step whose members joined with this user data."""
        read = JOINED.read(dict(more), "more")
        members = tuple(member._replace(**read.get(member.member_id, {})) for member in step.group.members)
        return replace(step, group=replace(step.group, members=members), held=None)

    @property
    def optimum(self) -> str:
        """The closed form of the optimum, for share groups."""
        return "optimal-share" if self.kind is SHARE else ""

    def offers(self, claim: Claim, broken: BrokenStep, step: Step) -> Iterator[Offer]:
        """The owned partitions of each member, the certified optimum, and the heaviest partitions first."""
        return group_offers(self.kind, claim, broken, step)

    def answer_of(self, target: Any, step: Step) -> Assignment:
        """The reference's assignment, with an entry for each member."""
        return in_full(step.group, target.assign(step.cluster, step.group))

    def arguments(self, step: Step) -> tuple[Any, ...]:
        """The cluster and the group."""
        return step.cluster, step.group

    def instead(self, thing: Any, place: tuple[int, ...], step: Step, then: Step) -> Any:
        """The rebalance up to the step, without the later rounds."""
        return replace(thing, steps=(*thing.steps[: place[-1]], then))

    def words(self, step: Step) -> str:
        """The loads, the moves, and the partitions away from their replicas' racks."""
        return group_words(step)

    def asserts(self, claim: str, broken: BrokenStep, step: Step) -> Asserts | None:
        """What must hold of the assignment."""
        return group_asserts(claim, broken, step)

    def plain_call(
        self, form: str, extras: tuple[str, ...], broken: BrokenStep, step: Step
    ) -> PlainCall | None:
        """How to call a user's assignor."""
        return group_call(form, extras, step)

    def config_of(self, step: Step) -> Mapping[str, str]:
        """The leader's configuration."""
        return step.configs.get(step.group.leader or "", {})

    def repeats(self, step: Step, new: Callable[[Mapping[str, str]], Any]) -> bool:
        """Whether a new object, called once, gives the same answer."""
        try:
            answer = new(self.config_of(step)).assign(step.cluster, step.group)
        except Exception:  # the target's own code: an error is its answer
            return isinstance(step.answer, Failure)
        return isinstance(step.answer, Assignment) and answer == step.answer

    def second_answers(self, step: Step, new: Callable[[Mapping[str, str]], Any], look: Look) -> bool | None:
        """Whether a second call of the same object, or of another, assigns other partitions to a member."""
        config = self.config_of(step)
        try:
            one = new(config)
            other = one if look is Look.AGAIN else new(config)
            first, then = (each.assign(step.cluster, step.group) for each in (one, other))
        except Exception:  # the target's own code: without an answer there is no difference
            return None
        return not then.same_sets(first)

    def document_of(self, step: Step) -> dict[str, Any]:
        """One round."""
        return step_to_json(step)

    def places(
        self,
        number: int,
        played: Rebalanced,
        thing: Any,
        evidence: Sequence[Evidence],
        evidence_of: Callable[[Any], Sequence[Evidence]],
    ) -> list[tuple[int, ...]]:
        """The rebalance and the round in it; for a whole rebalance the first round that shows it."""
        if thing is not played:
            return [(number, *one) for one in super().places(number, played, thing, evidence, evidence_of)]
        first: dict[tuple[str, str, int], int] = {}
        if any(each.at is None for each in evidence):
            for last in range(len(played.steps) - 1):
                # Before its last round a group is not stable: claims on the end do not apply yet.
                so_far = replace(played, steps=played.steps[: last + 1], settled=False)
                for key in _keys(evidence_of(so_far)):
                    first.setdefault(key, last)
        end = len(played.steps) - 1
        return [
            (number, first.get(key, end) if each.at is None else each.at)
            for key, each in zip(_keys(evidence), evidence, strict=True)
        ]

    def player(self, subject: Subject) -> Player:
        """A player that takes the second looks needed by the claims."""
        step = {SHARE: ShareStep, SERVER: ServerStep}.get(self.kind, Step)
        return Player(subject.new, subject.protocol, subject.looks, subject.confirms, step)


@cache
def _oracles() -> tuple[Callable[..., Best], Callable[..., BestSharing]]:
    """The functions that solve the optimum, imported late: most rules are judged without the solver."""
    from kassay.kinds.groups.oracle import best_of_group, best_of_share_group

    return best_of_group, best_of_share_group


def _keys(evidence: Sequence[Evidence]) -> Iterator[tuple[str, str, int]]:
    """A key for each piece of evidence, with the number of earlier equal ones."""
    before: Counter[tuple[str, str]] = Counter()
    for each in evidence:
        key = each.subject, as_text(each.facts)
        yield *key, before[key]
        before[key] += 1


def _arrivals(number: int) -> tuple[Join, ...]:
    """The members that join in this change of a long history; they read its topic and that which stays."""
    topics = ("t-stays", f"t{number}")
    return tuple(Join(Member(f"m{number * 3 + i:04d}", topics)) for i in range(3))


def _replacement(number: int) -> Change:
    """The change of a long history in which the last members and their topic make room for others."""
    return (
        *(Leave(join.member.member_id) for join in _arrivals(number - 1)),
        DeleteTopic(f"t{number - 1}"),
        CreateTopic(Topic(f"t{number}", 1 + number % 3)),
        *_arrivals(number),
    )


def _replaced(document: Any, names: Mapping[str, str]) -> Any:
    """The document with other texts, those of tables' names included."""
    if isinstance(document, str):
        return names.get(document, document)
    if isinstance(document, list | tuple):
        return [_replaced(each, names) for each in document]
    if isinstance(document, dict):
        return {names.get(name, name): _replaced(each, names) for name, each in document.items()}
    return document


def _with_twin(own: Iterator[Rebalanced], other: Iterator[Rebalanced]) -> Iterator[Rebalanced]:
    """The rebalances, each round with another process's answer to it."""
    for mine, twin in zip(own, other):
        steps = tuple(
            replace(step, probes=(*step.probes, Probe(Look.PROCESS, second.answer)))
            if not isinstance(step.answer, Failure)
            else step
            for step, second in zip(mine.steps, twin.steps)
        )
        yield replace(mine, steps=steps)
