"""What the metrics have of one group: loads, the distance to the certified optimum, useful member counts.

Loads and the optimum are of stable groups alone: in the middle of a rebalance, what members own is half of a
step. The optimum has the best balance and, with it, the fewest moves from what members own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.engines.clusters.observed import ObservedGroup
from kassay.engines.clusters.rollout import start_of
from kassay.engines.clusters.scale import COUNTS_MAX, scale, usual_most
from kassay.engines.clusters.stability import Stability
from kassay.engines.clusters.whatif import KAFKAS, ORDER
from kassay.engines.targets.resolve import resolve
from kassay.engines.watch.observation import CLASSIC, CONSUMER, GroupSight
from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Group, Member
from kassay.reading.kafka.other_groups import SHARE
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import solve_consumers
from kassay.solver.results import Solved

SOLVE_S: Final = 2.0
"""The most seconds for the optimum of a group."""
PLAYED_MAX: Final = 2_000
"""Members times partitions up to which every member count of a group is played."""
_RANGES: Final = ("range", "server-range")


class BestFigures(NamedTuple):
    """The spread of the loads at the optimum, and how many partitions must move to reach it."""

    spread: int
    moves: int


class UsefulCounts(NamedTuple):
    """Member counts at which the busiest member has less to read than at any smaller count.

    `current` is the greatest up to today's count, `lower` and `upper` the next ones (or `current`), and
    `most` the greatest of all.
    """

    lower: int
    current: int
    upper: int
    most: int


@dataclass(frozen=True)
class GroupFigures:
    """The figures of a group; None is not known, or not meant for such a group.

    `busiest` and `spread` are partitions of members, or tasks of threads.
    """

    sight: GroupSight
    partitions: int
    double_owned: int | None
    unowned: int | None = None
    idle: int | None = None
    busiest: int | None = None
    spread: int | None = None
    best: BestFigures | None = None
    useful: UsefulCounts | None = None


def quick_figures(sight: GroupSight) -> GroupFigures:
    """What takes no search: the loads, and who owns what."""
    owners = Counter(tp for member in sight.members for tp in member.owned)
    double = None if sight.kind == SHARE else sum(count > 1 for count in owners.values())
    partitions = sum(count for _, count in sight.partitions)
    if not sight.is_stable or not sight.members:
        return GroupFigures(sight, partitions, double)
    loads = [len(member.owned) for member in sight.members]
    return GroupFigures(
        sight,
        partitions,
        double,
        partitions - len(owners),
        loads.count(0),
        max(loads),
        max(loads) - min(loads),
    )


def best_figures(sight: GroupSight) -> BestFigures | None:
    """The certified optimum of a stable group of consumers; None for others, or if it takes too long."""
    if not sight.is_stable or not sight.members or sight.kind not in (CLASSIC, CONSUMER):
        return None
    return best_from(sight, {member.name: member.owned for member in sight.members})


def best_from(sight: GroupSight, owned: Mapping[str, tuple[TopicPartition, ...]]) -> BestFigures | None:
    """The optimum for members who own this; None if it takes too long."""
    problem = Problem.of(*_scene(sight, owned)).unweighted()
    solved = solve_consumers(problem, ORDER, "flow", SOLVE_S)
    if not isinstance(solved, Solved):
        return None
    loads = solved.figures["loads"]
    return BestFigures(loads[-1] - loads[0], solved.figures["moved"])


def _scene(sight: GroupSight, owned: Mapping[str, tuple[TopicPartition, ...]]) -> tuple[Cluster, Group]:
    """The topics and the members who own this, as far as it exists."""
    cluster = Cluster(tuple(Topic(name, count) for name, count in sight.partitions if count))
    members = tuple(
        Member(
            each.name,
            tuple(topic for topic in each.topics if topic in cluster.counts),
            tuple(tp for tp in owned.get(each.name, ()) if cluster.has(tp)),
            1,
        )
        for each in sight.members
    )
    return cluster, Group(members, members[0].member_id)


def useful_counts(sight: GroupSight) -> UsefulCounts | None:
    """Which member counts help, as `kassay scale` has them; None if the assignor is none of Kafka's."""
    spec = start_of(sight.assignor, is_consumer_group=sight.kind == CONSUMER)
    if not sight.is_stable or not sight.members or spec not in KAFKAS:
        return None
    if len({each.topics for each in sight.members}) == 1:
        counts = useful_of_equals(spec, [count for _, count in sight.partitions])
    elif len(sight.members) * sum(count for _, count in sight.partitions) <= PLAYED_MAX:
        counts = _played(sight, spec)
    else:
        return None
    today = len(sight.members)
    current = max(each for each in counts if each <= today)
    return UsefulCounts(
        max((each for each in counts if each < current), default=current),
        current,
        min((each for each in counts if each > current), default=current),
        counts[-1],
    )


def useful_of_equals(spec: str, partitions: list[int]) -> tuple[int, ...]:
    """The useful counts where all members subscribe to topics of so many partitions, least first.

    Kafka's range assignors give one member the longest range of every topic; all others balance the sum.
    """
    parts = partitions if spec in _RANGES else [sum(partitions)]
    useful: list[int] = [1]
    least = sum(parts)
    for members in range(2, min(max(parts, default=1), COUNTS_MAX) + 1):
        busiest = sum(-(-count // members) for count in parts)
        if busiest < least:
            useful.append(members)
            least = busiest
    return tuple(useful)


def _played(sight: GroupSight, spec: str) -> tuple[int, ...]:
    """The useful counts of a small group whose members subscribe to different topics, played."""
    cluster, group = _scene(sight, {member.name: member.owned for member in sight.members})
    settled = Stability(sight.state, (), None, (), ())
    observed = ObservedGroup(
        sight.name, cluster, group, (), sight.assignor, sight.kind == CONSUMER, (), (), settled
    )
    return tuple(step.first for step in scale(observed, resolve(spec), usual_most(observed)).steps)
