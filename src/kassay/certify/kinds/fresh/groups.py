"""The smallest groups of all, to begin anew where a history cannot be cut further.

They have what the history has: a past where something happens to it, racks, members that read nothing. Every
order of names is among them, as rules break ties by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Final

from kassay.certify.kinds.exhaustive import splits
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import AddPartitions, History, Join
from kassay.properties.groups.histories.generator import GENERATION

ALL_PASTS: Final = 3
"""Partitions up to which every past is tried; beyond, those in which one member had all it reads."""
MANY_TOPICS: Final = 6
"""Members and partitions together up to which there are as many topics as may be; beyond, a few."""
FEW_TOPICS: Final = 2
RACKS: Final = ("r0", "r1")


def fresh_groups(case: History) -> Iterator[History]:
    """Groups of at most as many members and partitions as the case had, the smallest first.

    What happens to a group may be put into its past: then one member more may come at the start.
    """
    joins = case.joins
    topics_max = len(case.cluster.topics) + 1
    added = sum(e.partitions for change in case.changes for e in change if isinstance(e, AddPartitions))
    racked = bool(case.cluster.brokers)
    idle = any(not join.member.topics for join in joins)
    members_max, partitions_max = len(joins) + (case.events > 0), case.size[2] + added
    cells = product(range(1, members_max + 1), range(1, partitions_max + 1), (False, True))
    for members, partitions, past in sorted(cells, key=lambda cell: (cell[0] + cell[1] + 2 * cell[2], cell)):
        few = topics_max if members + partitions <= MANY_TOPICS else FEW_TOPICS
        for topics, reads in _groups(members, partitions, min(few, topics_max), idle):
            if racked and not past:
                yield from _racked(topics, reads)
            for owned in _pasts(topics, reads) if past else (((),) * members,):
                yield _history(Cluster(topics), reads, owned)


Reads = tuple[tuple[str, ...], ...]
Owned = tuple[tuple[TopicPartition, ...], ...]


def _groups(
    members: int, partitions: int, topics_max: int, idle: bool
) -> Iterator[tuple[tuple[Topic, ...], Reads]]:
    """Every way to cut the partitions into topics and to read these, somebody each."""
    for parts in splits(partitions, partitions):
        for sizes in sorted(set(permutations(parts))) if len(parts) <= topics_max else ():
            topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
            names = [topic.name for topic in topics]
            sets = [
                tuple(name for name, is_read in zip(names, chosen) if is_read)
                for chosen in product((False, True), repeat=len(names))
            ]
            for reads in product(sets if idle else sets[1:], repeat=members):
                if set(names) == {name for own in reads for name in own}:
                    yield topics, reads


def _pasts(topics: tuple[Topic, ...], reads: Reads) -> Iterator[Owned]:
    """Who owned what: one member all it reads; every way where these are few."""
    tps = [tp for topic in topics for tp in topic.tps()]
    if len(tps) > ALL_PASTS:
        for owner, read in enumerate(reads):
            own = tuple(tp for tp in tps if tp.topic in read)
            yield tuple(own if i == owner else () for i in range(len(reads)))
        return
    able = [[-1, *(i for i, read in enumerate(reads) if tp.topic in read)] for tp in tps]
    for owners in product(*able):
        if any(owner >= 0 for owner in owners):
            yield tuple(tuple(tp for tp, owner in zip(tps, owners) if owner == i) for i in range(len(reads)))


def _racked(topics: tuple[Topic, ...], reads: Reads) -> Iterator[History]:
    """Two racks with a broker each: members in either, each partition on either."""
    brokers = tuple(Broker(i, rack) for i, rack in enumerate(RACKS))
    sizes = [topic.partitions for topic in topics]
    for places in product(range(len(RACKS)), repeat=sum(sizes)):
        rows = iter([(place,) for place in places])
        placed = tuple(
            topic._replace(replicas=tuple(next(rows) for _ in range(topic.partitions))) for topic in topics
        )
        for racks in product(RACKS, repeat=len(reads)):
            yield _history(Cluster(placed, brokers), reads, ((),) * len(reads), racks)


def _history(
    cluster: Cluster, reads: Reads, owned: Owned, racks: tuple[str | None, ...] | None = None
) -> History:
    generation = GENERATION if any(owned) else -1
    racks = racks or (None,) * len(reads)
    joins = tuple(
        Join(Member(f"m{i}", read, own, generation, rack=rack))
        for i, (read, own, rack) in enumerate(zip(reads, owned, racks))
    )
    return History(cluster, (joins,))
