"""A group and planned events played against an assignor: the figures of each step, and how sure they are.

The group comes together with what its members own now, as it does where the rule alone changes; a rolling
restart is `rollout`'s. Each event runs through the same player as any history.

A classic group answers the joins and leaves of one moment in one rebalance. The consumer protocol has no such
moment: each is an epoch of its own (KIP-848), so they are played one by one and counted as one step. Its
coordinator hands the members to the assignor in a `HashMap` by id, and here they join in that order: it
decides ties between members (Kafka `TargetAssignmentBuilder`).

Kafka's rules order members by id, and the id of a newcomer is not known before it has joined. So a history
with newcomers is played for every place among the ids that they can have, or for up to `PLACES_MAX` of them;
a figure that differs is a range.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from kassay.assignors import registry
from kassay.engines.clusters.events import PlannedChange
from kassay.engines.clusters.figures import LagsAndLeaders, Loads, Racks, loads_of, racks_of
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.processes.host import Host, Maker
from kassay.engines.targets.resolve import Target
from kassay.model.calls import Failure, Look
from kassay.model.groups.group import Assignment
from kassay.model.groups.history import Change, History, Join
from kassay.model.groups.kinds import CLIENT
from kassay.model.groups.player import Player
from kassay.model.groups.step import Rebalanced, Step
from kassay.model.java import hash_map_order
from kassay.model.kinds import Kind, RebalanceProtocol
from kassay.properties.groups.validity import difference

SWITCH: Final = "switch"


PLACES_MAX: Final = 64
"""The most places of newcomers that are played; in large groups fewer."""
_WORK: Final = 40_000
"""The most partitions and members, times places, that are played for one candidate."""


class Extent(NamedTuple):
    """The least and the greatest value of a figure."""

    least: int
    most: int


@dataclass(frozen=True)
class PlayedStep:
    """One rebalance of a group.

    `moved`: partitions that leave a member who stays; `orphaned`: partitions whose owner left the group;
    `unassigned`: partitions without an owner afterwards; `paused`: partitions that a member stops reading,
    even if it resumes them. `rounds`: rebalance rounds until the group is stable, None if it never is.
    `ranges`: the least and the greatest value of each figure that depends on the ids of newcomers.
    """

    text: str
    loads: Loads
    moved: int
    orphaned: int
    unassigned: int
    paused: int
    rounds: int | None
    racks: Racks | None
    ranges: Mapping[str, Extent] = field(default_factory=dict)

    @property
    def figures(self) -> dict[str, int]:
        """The figures that may depend on the ids of newcomers."""
        return {
            "least": self.loads.least,
            "most": self.loads.most,
            "spread": self.loads.spread,
            "idle": len(self.loads.idle),
            "moved": self.moved,
            "orphaned": self.orphaned,
            "unassigned": self.unassigned,
            "paused": self.paused,
            **({} if self.rounds is None else {"rounds": self.rounds}),
            **({} if self.racks is None else {"matched": self.racks.matched}),
            **({} if self.racks is None or self.racks.led is None else {"led": self.racks.led}),
        }

    def range_of(self, figure: str) -> Extent:
        """The least and the greatest value of a figure."""
        own = self.figures[figure]
        return self.ranges.get(figure, Extent(own, own))

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this step."""
        return {
            "step": self.text,
            "loads": self.loads.to_json(),
            "moved": self.moved,
            "orphaned": self.orphaned,
            "unassigned": self.unassigned,
            "paused": self.paused,
            "rounds": self.rounds,
            "racks": None if self.racks is None else self.racks.to_json(),
            "ranges": {figure: list(own) for figure, own in self.ranges.items()},
        }


@dataclass(frozen=True)
class PlayedCandidate:
    """An assignor, its rebalances, its answer after each, and the reason for a failure, if any."""

    spec: str
    protocol: RebalanceProtocol
    kind: Kind
    steps: tuple[PlayedStep, ...]
    answers: tuple[Assignment, ...]
    failure: str | None

    @property
    def switch(self) -> PlayedStep | None:
        """The rebalance that switches the group to this assignor."""
        return self.steps[0] if self.steps else None

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this candidate."""
        return {
            "target": self.spec,
            "protocol": self.protocol.value if self.kind is CLIENT else "consumer",
            "failure": self.failure,
            "steps": [step.to_json() for step in self.steps],
        }


def play_candidate(
    target: Target,
    observed: ObservedGroup,
    changes: Sequence[PlannedChange],
    others: Sequence[Sequence[PlannedChange]] = (),
) -> PlayedCandidate:
    """Play the group and the changes against the target; opens and closes the target.

    `others` are the same changes with newcomers of other ids: figures that differ become ranges.
    """
    with target.open() as host:
        played = play_on(host, target, observed, changes)
        if played.failure is not None or len(played.steps) < len(changes) + 1:
            return played
        also = [play_on(host, target, observed, each) for each in others]
        if target.kind is not CLIENT and any(each.is_mixed for each in changes):
            also += [play_on(host, target, observed, each, joins_first=True) for each in (changes, *others)]
        return ranged(played, also)


def ranged(played: PlayedCandidate, others: Sequence[PlayedCandidate]) -> PlayedCandidate:
    """The candidate with the ranges over all the others that reached each step."""
    steps = []
    for number, step in enumerate(played.steps):
        same = [step, *(other.steps[number] for other in others if number < len(other.steps))]
        ranges = {}
        for figure in step.figures:
            spans = [each.range_of(figure) for each in same if figure in each.figures]
            span = Extent(min(each.least for each in spans), max(each.most for each in spans))
            if span.least < span.most:
                ranges[figure] = span
        steps.append(replace(step, ranges=ranges))
    return replace(played, steps=tuple(steps))


def places_max(observed: ObservedGroup, changes: Sequence[PlannedChange] = ()) -> int:
    """How many places of newcomers to play for a group of this size."""
    size = sum(observed.cluster.counts.values()) + len(observed.group.members)
    rebalances = sum(len(each.parts) for each in changes)
    return max(4, min(PLACES_MAX, _WORK // max(size * max(rebalances, 1), 1)))


def play_on(
    host: Host,
    target: Target,
    observed: ObservedGroup,
    changes: Sequence[PlannedChange],
    *,
    joins_first: bool = False,
) -> PlayedCandidate:
    """Play the group and the changes against the target on this open host."""
    one_by_one = target.kind is not CLIENT
    ids, by_id = observed.group.ids, observed.group.by_id
    joins: Change = tuple(Join(by_id[each]) for each in (hash_map_order(ids) if one_by_one else ids))
    texts = (SWITCH, *(each.text for each in changes))
    parts = [(0, joins)]
    parts += [
        (number, part)
        for number, each in enumerate(changes, start=1)
        for part in (each.one_by_one(joins_first=joins_first) if one_by_one else each.parts)
    ]
    history = History(observed.cluster, tuple(part for _, part in parts))
    steps: list[PlayedStep] = []
    answers: list[Assignment] = []
    failure = None
    before = observed.assignment
    rebalances = Player(Maker(host), target.protocol, _looks(target)).play(history)
    for number, own in _grouped(rebalances, [number for number, _ in parts]):
        failure = next(filter(None, map(_failure, own)), None)
        if failure is not None:
            failure = f"{texts[number]}: {failure}"
            break
        while len(steps) < number:  # no rebalance: only static members restart
            steps.append(_without_rebalance(steps[-1], changes[len(steps) - 1], before))
            answers.append(before)
        after = own[-1].steps[-1].given
        planned = changes[number - 1] if number else None
        step = _merged(texts[number], target, own, before, observed.scales, planned)
        steps.append(step)
        answers.append(after)
        before = after
    while failure is None and len(steps) <= len(changes):
        steps.append(_without_rebalance(steps[-1], changes[len(steps) - 1], before))
        answers.append(before)
    return PlayedCandidate(target.spec, target.protocol, target.kind, tuple(steps), tuple(answers), failure)


def _grouped(
    rebalances: Iterable[Rebalanced], numbers: Sequence[int]
) -> Iterator[tuple[int, list[Rebalanced]]]:
    """The rebalances of each planned change, with its number."""
    own: list[Rebalanced] = []
    for each in rebalances:
        number = numbers[each.index]
        own.append(each)
        if each.index + 1 == len(numbers) or numbers[each.index + 1] != number or _failure(each) is not None:
            yield number, own
            own = []


def _merged(
    text: str,
    target: Target,
    own: Sequence[Rebalanced],
    before: Assignment,
    scales: LagsAndLeaders,
    planned: PlannedChange | None,
) -> PlayedStep:
    """The figures of a planned change that takes one rebalance or several.

    Of several epochs a member may skip one, if the next comes before its heartbeat: then it gives up only
    what it lacks at the end. And which member gives up what depends on the order of the coordinator's map.
    A deploy is the sum of its restarts: no member stays.
    """
    parts = []
    earlier = before
    for each in own:
        after = each.steps[-1].given
        parts.append(_step(text, target, each, earlier, after, scales))
        earlier = after
    if planned is not None and planned.is_deploy:
        return _summed(parts, planned, before)
    if len(own) == 1:
        return parts[0]
    whole = _step(text, target, own[-1], before, own[-1].steps[-1].given, scales)
    paused = sum(each.paused for each in parts)
    most = min(sum(each.moved for each in parts), sum(map(len, before.values())) - whole.orphaned)
    spans = {"moved": Extent(whole.moved, most), "paused": Extent(whole.moved, paused)}
    return replace(
        whole,
        paused=paused,
        rounds=_total_rounds(parts),
        ranges=_rounds_range(parts)
        | {figure: span for figure, span in spans.items() if span.least < span.most},
    )


def _summed(parts: Sequence[PlayedStep], planned: PlannedChange, before: Assignment) -> PlayedStep:
    """The figures of all restarts of a deploy; static members are away without a rebalance."""
    return replace(
        parts[-1],
        moved=sum(each.moved for each in parts),
        orphaned=sum(each.orphaned for each in parts) + _away(planned, before),
        paused=sum(each.paused for each in parts),
        rounds=_total_rounds(parts),
        ranges=_rounds_range(parts),
    )


def _away(planned: PlannedChange, before: Assignment) -> int:
    """The partitions of static members, unread while they restart."""
    return sum(len(before.get(member_id, ())) for member_id in planned.away)


def _total_rounds(parts: Sequence[PlayedStep]) -> int | None:
    known = [each.rounds for each in parts if each.rounds is not None]
    return sum(known) if len(known) == len(parts) else None


def _rounds_range(parts: Sequence[PlayedStep]) -> dict[str, Extent]:
    """The range of all rounds together; empty where they are known, or where the group never settles."""
    if _total_rounds(parts) is None:
        return {}
    spans = [each.range_of("rounds") for each in parts]
    total = Extent(sum(each.least for each in spans), sum(each.most for each in spans))
    return {"rounds": total} if total.least < total.most else {}


def _without_rebalance(step: PlayedStep, planned: PlannedChange, before: Assignment) -> PlayedStep:
    """A deploy of static members alone: they return to what they had."""
    away = _away(planned, before)
    return replace(step, text=planned.text, moved=0, orphaned=away, paused=0, rounds=0, ranges={})


def _looks(target: Target) -> frozenset[Look]:
    """The repeat calls of a user's target, whose figures would mean nothing if it answered differently each
    time; a reference needs none.
    """
    return frozenset((Look.AGAIN, Look.OTHER)) if registry.find(target.spec) is None else frozenset()


def _failure(rebalanced: Rebalanced) -> str | None:
    """Why the target's answer is not an assignment, or not the only one; None if it is."""
    last = rebalanced.steps[-1]
    if isinstance(last.answer, Failure):
        return last.answer.message
    for step in rebalanced.steps:
        for probe in step.departing:
            if isinstance(probe.answer, Failure):
                return f"called again: {probe.answer.message}"
            for each in difference(step.given, probe.answer):
                return f"answers one request in two ways: {each.between('in one call', 'in another')[:-1]}"
    return _fault(last)


def _fault(last: Step) -> str | None:
    """Why the answer is not an assignment; None if it is one."""
    if last.group.by_id.keys() >= last.given.keys() and last.facts.is_sound:
        return None
    read = {member.member_id: frozenset(member.topics) for member in last.group.members}
    given = Counter(tp for tps in last.given.values() for tp in tps)
    for member_id, tps in last.given.items():
        if member_id not in read:
            return f"assigns partitions to {member_id!r}, which is not in the group"
        for tp in tps:
            if tp.topic not in read[member_id]:
                return f"assigns {tp} to {member_id!r}, which does not subscribe to {tp.topic}"
            if not last.cluster.has(tp):
                return f"assigns {tp}, which does not exist, to {member_id!r}"
            if given[tp] > 1:
                return f"assigns {tp} to {given[tp]} members"
    return None


def _step(
    text: str,
    target: Target,
    rebalanced: Rebalanced,
    before: Assignment,
    after: Assignment,
    scales: LagsAndLeaders,
) -> PlayedStep:
    """The figures of a rebalance whose answer is an assignment, compared with what members owned before."""
    first, last = rebalanced.steps[0], rebalanced.steps[-1]
    staying, counts, owner_now = first.group.by_id, last.cluster.counts, last.facts.owners
    owners = {tp: member for tp, member in before.owners().items() if 0 <= tp[1] < counts.get(tp[0], 0)}
    gone = before.keys() - staying.keys()
    kept = {tp: member for tp, member in owners.items() if member not in gone} if gone else owners
    losers = [member for tp, member in kept.items() if owner_now.get(tp) != member]
    eager = target.kind is CLIENT and target.protocol is RebalanceProtocol.EAGER
    rounds = _rounds(rebalanced, eager)
    return PlayedStep(
        text,
        loads_of(staying, after, last.group.subscribers, scales),
        len(losers),
        len(owners) - len(kept),
        last.facts.left,
        len(kept) if eager else len(losers),
        rounds,
        racks_of(last.cluster, last.group, after, scales),
        {} if rounds is None else _late_rounds(rounds, set(losers)),
    )


def _late_rounds(rounds: int, revoking: set[str]) -> dict[str, Extent]:
    """The range of rounds of a cooperative rebalance in which these members give up partitions.

    One that has its assignment joins again at once. Those that have not sent SyncGroup by then are refused,
    join again with what they had, and learn only in the next round what to give up (KIP-429).
    """
    late = len(revoking) - 1
    return {"rounds": Extent(rounds, rounds + late)} if rounds > 1 and late > 0 else {}


def _rounds(rebalanced: Rebalanced, eager: bool) -> int | None:
    """Rounds until the group is stable, without the last round, which only confirms that."""
    if eager or len(rebalanced.steps) == 1:
        return len(rebalanced.steps)
    return rebalanced.revocations + 1 if rebalanced.settled else None
