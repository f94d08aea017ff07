"""The result of `kassay scale`: the group at each number of members, starting from today's.

With fewer members, the first by id stay; additional members subscribe to what most members subscribe to. At
each number, the group's assignor is called once with the partitions that today's members own, and compared
with the certified optimum. With lags, the load of the busiest member is its total lag. Its best possible
value is exact if proven, else an interval, since the weighted problem is NP-hard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from kassay.engines.clusters.events import PlannedChange, other_places, parse_events
from kassay.engines.clusters.figures import Loads
from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.played import PlayedCandidate, PlayedStep, places_max, play_on, ranged
from kassay.engines.clusters.whatif import OPTIMUM, alarm_of, loads_today
from kassay.engines.targets.resolve import Target, resolve
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.history import Join
from kassay.solver.groups.problem import Problem
from kassay.solver.packing.items import Terms
from kassay.solver.packing.optimum import solve_packing

SCHEMA: Final = "kassay/scale/1"
PLACES_SHARE: Final = 8
"""Newcomers are played at an eighth of the places that `what-if` plays, since there are many counts."""
COUNTS_MAX: Final = 2_000
"""More members than this are a mistake."""
EXTRA_SHARE: Final = 10
"""A count is safe if it moves at most 1/10 of the partitions more than the fewest moves."""
MEMBERS_MIN: Final = 2
"""A single member is never safe: while it restarts or after it fails, no member reads."""
WORK: Final = 30_000_000
"""The most partitions and members, times plays, of all counts together; beyond it counts are left out."""
PLAYS: Final = 5
"""What a count takes, in plays: the optimum as much as three, the assignor, and newcomers at other places."""
NEAR: Final = 5
"""Counts so near to today's are never left out."""
LOAD_FACTOR: Final = 2
"""A count is safe if the busiest member has at most twice what it has today: more is not known to fit."""


class Lag(NamedTuple):
    """The lag of the busiest member, its id, and the bounds of the least possible lag, equal if exact.

    `unknown` partitions have no lag in the input, so that each of these is what it is at least.
    """

    most: int
    member: str
    least_bound: int
    least_found: int
    unknown: int = 0

    @property
    def is_exact(self) -> bool:
        """Whether the optimum is proven."""
        return self.least_bound == self.least_found

    def to_json(self) -> dict[str, Any]:
        """JSON fields of the lag."""
        return {
            "most": self.most,
            "busiest": self.member,
            "optimum": {"lower": self.least_bound, "upper": self.least_found},
            "unknown_partitions": self.unknown,
        }


class ScaleLimits(NamedTuple):
    """What a safe count may come to: moves, partitions and lag of the busiest member, and the fewest members.

    A single member is never safe: if it fails, no member reads.
    """

    moves: int
    load: int
    members: int
    lag: int | None


@dataclass(frozen=True)
class Scaled:
    """The group at one number of members, under its assignor and under the optimum.

    `failure`: why the assignor returned no assignment. `limits`: what a safe count may come to. `is_useful`:
    the busiest member has fewer partitions than at every smaller count.
    """

    members: int
    assignor: PlayedStep | None
    optimum: PlayedStep
    failure: str | None
    lag: Lag | None
    limits: ScaleLimits
    is_useful: bool = False

    @property
    def is_safe(self) -> bool:
        """Whether an autoscaler may scale to this number with the group's assignor."""
        fits = self.lag is None or self.limits.lag is None or self.lag.most <= self.limits.lag
        return self.assignor is not None and fits and _is_safe(self.assignor, self.limits)

    @property
    def is_safe_at_best(self) -> bool:
        """Whether it may with the best assignment."""
        return _is_safe(self.optimum, self.limits)

    def to_json(self) -> dict[str, Any]:
        """JSON fields of this count."""
        return {
            "members": self.members,
            "assignor": None if self.assignor is None else self.assignor.to_json(),
            "optimum": self.optimum.to_json(),
            "failure": self.failure,
            "lag": None if self.lag is None else self.lag.to_json(),
            "moves_max": self.limits.moves,
            "load_max": self.limits.load,
            "useful": self.is_useful,
            "safe": self.is_safe,
            "safe_at_best": self.is_safe_at_best,
        }


def _is_safe(step: PlayedStep, limits: ScaleLimits) -> bool:
    """No idle member, loads within one, all partitions assigned, stable, and within the limits."""
    worst = {figure: step.range_of(figure).most for figure in step.figures}
    good = not worst["idle"] and worst["spread"] <= 1 and not worst["unassigned"]
    fits = worst["most"] <= limits.load and step.loads.members >= limits.members
    return good and fits and step.rounds is not None and worst["moved"] <= limits.moves


class UsefulStep(NamedTuple):
    """Counts from `first` to `last`, of which the first makes the busiest member lighter and no other does.

    `least` and `most`: what the busiest member has at `first`, over the places of newcomers.
    """

    first: int
    last: int
    least: int
    most: int


@dataclass(frozen=True)
class GroupScale:
    """A group at every number of members evaluated; `left_out` numbers were not, for there are too many."""

    observed: ObservedGroup
    target: str
    today: int
    counts: tuple[Scaled, ...]
    extra_moves: int
    alarm: str | None = None
    loads: Loads | None = None
    lag: int | None = None
    left_out: int = 0

    @property
    def steps(self) -> tuple[UsefulStep, ...]:
        """The counts, cut where the busiest member gets lighter."""
        steps: list[UsefulStep] = []
        for each in self.counts:
            if each.assignor is None:
                continue
            if each.is_useful or not steps:
                steps.append(UsefulStep(each.members, each.members, *each.assignor.range_of("most")))
            else:
                steps[-1] = steps[-1]._replace(last=each.members)
        return tuple(steps)

    @property
    def failed(self) -> tuple[Scaled, ...]:
        """The counts at which the assignor returned no assignment."""
        return tuple(each for each in self.counts if each.failure is not None)

    def to_json(self) -> dict[str, Any]:
        """The document of `kassay scale --json`."""
        return {
            "schema": SCHEMA,
            **self.observed.to_json(),
            "alarm": self.alarm,
            "target": self.target,
            "members_today": self.today,
            "partitions": sum(self.observed.cluster.counts.values()),
            "extra_moves": self.extra_moves,
            "counts": [each.to_json() for each in self.counts],
            "left_out": self.left_out,
            "useful": [each.members for each in self.counts if each.is_useful],
            "steps": [list(each) for each in self.steps],
            "today": None if self.loads is None else self.loads.to_json(),
            "lag_today": self.lag,
            "safe": [each.members for each in self.counts if each.is_safe],
            "safe_at_best": [each.members for each in self.counts if each.is_safe_at_best],
        }


def usual_most(observed: ObservedGroup) -> int:
    """The default highest number of members: twice today's, or the number of partitions if fewer."""
    today = len(observed.group.members)
    return min(max(today, min(2 * today, sum(observed.cluster.counts.values()))), COUNTS_MAX)


def counts_of(observed: ObservedGroup, most: int) -> Sequence[int]:
    """The numbers of members to evaluate, up to `most`: all of them unless the group is too large for that.

    Then 1 and `most`, today's with its neighbours, and others at equal ratios: from one to the next the mean
    load falls by the same share.
    """
    size = sum(observed.cluster.counts.values()) + len(observed.group.members)
    number, today = max(2, WORK // (PLAYS * size)), len(observed.group.members)
    if most <= number:
        return range(1, most + 1)
    near = {count for count in range(today - NEAR, today + NEAR + 1) if 1 <= count <= most}
    ratio = 1.01
    while len(spread := _ladder(most, ratio)) > max(2, number - len(near)):
        ratio *= 1.01
    return sorted(near.union(spread))


def _ladder(most: int, ratio: float) -> list[int]:
    """Numbers from 1 to `most`, each larger than the one before by this factor, and by 1 at the least."""
    rungs = [1]
    while rungs[-1] < most:
        rungs.append(min(most, max(rungs[-1] + 1, int(rungs[-1] * ratio))))
    return rungs


def scale(
    observed: ObservedGroup,
    target: Target,
    most: int,
    *,
    lags: Mapping[TopicPartition, int] | None = None,
    extra_moves: int | None = None,
    seconds: float = 1.0,
    report: Callable[[int], object] = lambda _: None,
) -> GroupScale:
    """The group with 1 to `most` members, of a large group at some of these numbers (`counts_of`).

    `extra_moves`: how many moves above the fewest are still safe, by default a tenth of the partitions.
    `seconds` limits each search for the best weights. `report` gets each number of members
    that is done.
    """
    if extra_moves is None:
        extra_moves = -(-sum(observed.cluster.counts.values()) // EXTRA_SHARE)
    counts: list[Scaled] = []
    best = resolve(OPTIMUM)
    limits = _limits(observed, lags)
    with target.open() as host, best.open() as best_host:
        for members in counts_of(observed, most):
            group = with_members(observed, members)
            optimum = play_on(best_host, best, group, ()).steps[0]
            placed = [play_on(host, target, each, ()) for each in _placed(observed, members)]
            played = ranged(play_on(host, target, group, ()), placed)
            lag = None if lags is None else _lag(group, played, lags, seconds)
            step = _orphaned(observed, group, played.steps[0]) if played.steps else None
            counts.append(
                Scaled(
                    members,
                    step,
                    _orphaned(observed, group, optimum),
                    played.failure,
                    lag,
                    limits._replace(moves=optimum.moved + extra_moves),
                    _is_useful(step, counts),
                )
            )
            report(members)
    today = len(observed.group.members)
    alarm = alarm_of(observed, target)
    scales = observed.scales if lags is None else replace(observed.scales, lags=lags)
    loads = loads_today(replace(observed, scales=scales))
    known = observed.scales.lags if lags is None else lags
    behind = None if known is None else sum(known.values())
    left_out = most - len(counts)
    return GroupScale(
        observed, target.spec, today, tuple(counts), extra_moves, alarm, loads, behind, left_out
    )


def _limits(observed: ObservedGroup, lags: Mapping[TopicPartition, int] | None) -> ScaleLimits:
    """The limits but for moves, from what the busiest member has today."""
    members = observed.group.members
    load = max((len(member.owned) for member in members), default=0)
    lag = None if lags is None else max(sum(lags.get(tp, 0) for tp in member.owned) for member in members)
    return ScaleLimits(0, LOAD_FACTOR * load, MEMBERS_MIN, None if lag is None else LOAD_FACTOR * lag)


def _is_useful(step: PlayedStep | None, counts: Sequence[Scaled]) -> bool:
    """Whether the busiest member has fewer partitions than at every smaller count."""
    smaller = [each.assignor.range_of("most").least for each in counts if each.assignor is not None]
    return step is not None and bool(smaller) and step.range_of("most").most < min(smaller)


def with_members(observed: ObservedGroup, count: int) -> ObservedGroup:
    """The group with this many members: the first by id, or all of them plus new ones."""
    members = observed.group.members
    if count <= len(members):
        return replace(observed, group=Group(members[:count], members[0].member_id))
    return _joined(observed, parse_events(f"join:{count - len(members)}", observed))


def _joined(observed: ObservedGroup, changes: Sequence[PlannedChange]) -> ObservedGroup:
    """The group with the members that join."""
    joined = tuple(event.member for each in changes for event in each.change if isinstance(event, Join))
    return replace(observed, group=replace(observed.group, members=observed.group.members + joined))


def _placed(observed: ObservedGroup, count: int) -> list[ObservedGroup]:
    """The group with newcomers at other places among the members' ids."""
    more = count - len(observed.group.members)
    if more <= 0:
        return []
    changes = parse_events(f"join:{more}", observed)
    most = max(2, places_max(observed) // PLACES_SHARE)
    return [_joined(observed, each) for each in other_places(changes, observed, most)]


def _orphaned(observed: ObservedGroup, group: ObservedGroup, step: PlayedStep) -> PlayedStep:
    """The step, with the partitions of removed members counted as orphaned."""
    gone = observed.group.by_id.keys() - group.group.by_id.keys()
    return replace(step, orphaned=sum(len(observed.group.by_id[member].owned) for member in gone))


def _lag(
    group: ObservedGroup, played: PlayedCandidate, lags: Mapping[TopicPartition, int], seconds: float
) -> Lag | None:
    """The largest lag of a member, and the bounds of the least possible one."""
    if not played.answers:
        return None
    most, busiest = max(_weights(group, played.answers[0], lags), key=lambda pair: pair[0])
    # Owners and partitions without lag do not affect the largest load; a smaller problem is proven sooner.
    weighed = Cluster(
        tuple(
            Topic(topic.name, len(weights), weights=weights)
            for topic in group.cluster.topics
            if (weights := tuple(lag for tp in topic.tps() if (lag := lags.get(tp, 0))))
        )
    )
    unknown = sum(tp not in lags for topic in group.cluster.topics for tp in topic.tps())
    if not weighed.topics:
        return Lag(most, busiest, 0, 0, unknown)
    readers = Group(tuple(member._replace(owned=()) for member in group.group.members))
    figures = solve_packing(Problem.of(weighed, readers, group.name or "group"), Terms(), seconds).figures
    return Lag(most, busiest, int(figures["lower"]), int(figures["upper"]), unknown)


def _weights(
    group: ObservedGroup, answer: Assignment, lags: Mapping[TopicPartition, int]
) -> Iterator[tuple[int, str]]:
    """The lag of each member, with its id."""
    for member in group.group.members:
        tps: Sequence[TopicPartition] = answer.get(member.member_id, ())
        yield sum(lags.get(tp, 0) for tp in tps), member.member_id
