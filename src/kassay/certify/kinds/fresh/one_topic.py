"""Groups of one topic that all read: few, so that they are tried up to the size of the history itself.

Of groups of any topics and subscriptions (`groups.py`) there are so many that the smallest alone are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from kassay.model.cluster import Cluster, Topic
from kassay.model.groups.group import Member
from kassay.model.groups.history import AddPartitions, CreateTopic, History, Join, Reweigh
from kassay.properties.groups.histories.generator import GENERATION

MORE_PARTITIONS: Final = 3
"""So many partitions more than the history has may a group of fewer members have: members count first."""
MEMBERS_MAX: Final = 12
PARTITIONS_MAX: Final = 32
"""Larger groups than these are not tried: whatever has as many can still be cut."""
WEIGHED_MAX: Final = 8
"""Partitions up to which weights are tried in every order."""


def one_topic_groups(case: History) -> Iterator[History]:
    """Groups of at most as many members as the case had, the fewest first; nobody or one owns everything.

    What happens to a group may be put into its past: then one member more may come at the start. Where
    partitions have weights, those in which each has the largest or next to none come before all others.
    """
    members_max = min(len(case.joins) + (case.events > 0), MEMBERS_MAX)
    added = sum(e.partitions for change in case.changes for e in change if isinstance(e, AddPartitions))
    partitions_max, heavy = min(case.size[2] + added, PARTITIONS_MAX), _heaviest(case)
    if heavy > 1:
        yield from _weighted(members_max, min(partitions_max, WEIGHED_MAX), heavy)
    for members in range(1, members_max + 1):
        more = MORE_PARTITIONS if members < members_max else 0
        for partitions in range(1, partitions_max + more + 1):
            for owner in range(-1, members):
                yield _group(members, Topic("t0", partitions), owner)


def _heaviest(case: History) -> int:
    """The largest weight of a partition; 0 where none has any."""
    events = [event for change in case.changes for event in change]
    topics = [*case.cluster.topics, *(event.topic for event in events if isinstance(event, CreateTopic))]
    rows = [topic.weights or () for topic in topics]
    rows += [event.weights for event in events if isinstance(event, Reweigh)]
    return max((weight for row in rows for weight in row), default=0)


def _weighted(members_max: int, partitions_max: int, heavy: int) -> Iterator[History]:
    """Nobody owns anything; each partition weighs as much as one may, or next to nothing."""
    sizes = product(range(1, members_max + 1), range(1, partitions_max + 1))
    for members, partitions in sorted(sizes, key=lambda size: (sum(size), size)):
        for weights in product((heavy, 1), repeat=partitions):
            yield _group(members, Topic("t0", partitions, weights=weights))


def _group(members: int, topic: Topic, owner: int = -1) -> History:
    """Members that all read the topic; the one with that number owns it all."""
    joins = []
    for i in range(members):
        owned, generation = (tuple(topic.tps()), GENERATION) if i == owner else ((), -1)
        joins.append(Join(Member(f"m{i}", (topic.name,), owned, generation)))
    return History(Cluster((topic,)), (tuple(joins),))
