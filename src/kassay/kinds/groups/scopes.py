"""Every small group, the smallest first: for exhaustive runs, cells of a hunt, and restarts of shrinking.

The scope MxP holds groups of one to M members on one to P partitions in all, split over topics in every way,
with every assignment of non-empty subscriptions and every past in which each partition was owned by one
subscriber or by no member. Members and topics are enumerated up to renaming: subscriptions form a multiset.
Changes after the first are not part of it.

A cell has the groups of so many members and partitions in every order: a rule that depends on the order of
names may treat two members with different subscriptions differently when they swap names. Where a history
cannot be cut further, the smallest groups with the features of the history (a past, racks, members that read
nothing) are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, islice, product
from typing import Final

from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import AddPartitions, History, Join
from kassay.properties.groups.histories.generator import GENERATION, GroupProfile


def scope_cases(
    profile: GroupProfile,
    members_max: int,
    partitions_max: int,
    *,
    topics_max: int | None = None,
    pasts: bool = True,
) -> Iterator[History]:
    """The histories of the scope, each a single change; without `pasts` there are no owned partitions."""
    for members in range(1, members_max + 1):
        for partitions in range(1, partitions_max + 1):
            for sizes in splits(partitions, partitions):
                if topics_max is not None and len(sizes) > topics_max:
                    continue
                topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
                for subscriptions in _subscriptions(profile, topics, members):
                    yield from _pasts(topics, subscriptions, pasts)


def cell_cases(members: int, partitions: int, *, equal: bool, pasts: bool) -> Iterator[History]:
    """Every group of the size, up to renaming that keeps the order of names.

    `equal`: equal subscriptions only. With `pasts`: only groups with owned partitions, else only groups
    without.
    """
    for parts in splits(partitions, partitions):
        for sizes in arrangements(parts):
            topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
            names = [topic.name for topic in topics]
            every = (tuple(names),)
            sets = every if equal else [o for n in range(1, len(names) + 1) for o in combinations(names, n)]
            choices = product(every, repeat=members) if equal else product(sets, repeat=members)
            for subscriptions in choices:
                if set(names) == set().union(*subscriptions):
                    cases = _pasts(topics, subscriptions, pasts)
                    yield from islice(cases, 1, None) if pasts else cases


def arrangements(parts: tuple[int, ...], *, rising: bool = False) -> Iterator[tuple[int, ...]]:
    """The different orders of these parts, one at a time: the greatest first, or the least if `rising`.

    Thirteen topics of one partition have one order, but six billion permutations.
    """
    if not parts:
        yield ()
        return
    for first in sorted(set(parts), reverse=not rising):
        at = parts.index(first)
        for rest in arrangements(parts[:at] + parts[at + 1 :], rising=rising):
            yield (first, *rest)


def splits(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to write `total` as a falling sum of parts of at most `largest`."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in splits(total - part, part):
            yield (part, *rest)


def _subscriptions(
    profile: GroupProfile, topics: tuple[Topic, ...], members: int
) -> Iterator[tuple[tuple[str, ...], ...]]:
    names = [topic.name for topic in topics]
    sets = [own for size in range(1, len(names) + 1) for own in combinations(names, size)]
    for chosen in combinations_with_replacement(sets, members):
        if profile.allows("equal-subscriptions") or len(set(chosen)) == 1:
            yield chosen


def _pasts(
    topics: tuple[Topic, ...], subscriptions: tuple[tuple[str, ...], ...], pasts: bool
) -> Iterator[History]:
    tps = [tp for topic in topics for tp in topic.tps()]
    able: list[list[int | None]]
    able = [[None, *(i for i, own in enumerate(subscriptions) if pasts and tp.topic in own)] for tp in tps]
    for owners in product(*able):
        owned: list[list[TopicPartition]] = [[] for _ in subscriptions]
        for tp, owner in zip(tps, owners):
            if owner is not None:
                owned[owner].append(tp)
        joins = tuple(
            Join(Member(f"m{i}", own, tuple(held), GENERATION if any(owned) else -1))
            for i, (own, held) in enumerate(zip(subscriptions, owned))
        )
        yield History(Cluster(topics), (joins,))


ALL_PASTS: Final = 3
"""Partitions up to which every past is tried; beyond, those in which one member owned all it reads."""
MANY_TOPICS: Final = 6
"""Members and partitions together up to which every number of topics is tried; beyond, a few."""
FEW_TOPICS: Final = 2
RACKS: Final = ("r0", "r1")


def fresh_groups(case: History) -> Iterator[History]:
    """Groups of at most as many members and partitions as the case had, the smallest first.

    A later event may become part of the past: then one more member may join at the start.
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
            for owned in _fresh_pasts(topics, reads) if past else (((),) * members,):
                yield _history(Cluster(topics), reads, owned)


Reads = tuple[tuple[str, ...], ...]
Owned = tuple[tuple[TopicPartition, ...], ...]


def _groups(
    members: int, partitions: int, topics_max: int, idle: bool
) -> Iterator[tuple[tuple[Topic, ...], Reads]]:
    """Every split of the partitions into topics and every way to read these, each topic with a subscriber."""
    for parts in splits(partitions, partitions):
        for sizes in arrangements(parts, rising=True) if len(parts) <= topics_max else ():
            topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
            names = [topic.name for topic in topics]
            sets = [
                tuple(name for name, is_read in zip(names, chosen) if is_read)
                for chosen in product((False, True), repeat=len(names))
            ]
            for reads in product(sets if idle else sets[1:], repeat=members):
                if set(names) == {name for own in reads for name in own}:
                    yield topics, reads


def _fresh_pasts(topics: tuple[Topic, ...], reads: Reads) -> Iterator[Owned]:
    """The owners before: one member owned all it reads; every way where these are few."""
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
    """Two racks with a broker each; each member in either rack, each partition on either broker."""
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
