"""Every small group, the smallest first: for exhaustive runs, cells of a hunt, and restarts of shrinking.

The scope MxP holds every group of one to M members on at most P partitions: every split of the partitions
into topics in every order, every set of topics that a member can subscribe to, also none, and everything that
the members can report as owned, of two generations or none. Groups that differ in the order of names count
separately: a rule may depend on it. `LEFT_OUT` lists what scopes leave out. Members, topics, subscriptions
and reports are listed in the order of their names, and the latest generation is always `GENERATION`.

A cell holds the groups with exactly so many members and partitions whose input does not contradict itself.
Where a history cannot be cut further, the smallest groups with the features of the history (a past, racks,
members that read nothing) are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, islice, permutations, product
from types import MappingProxyType
from typing import Final, NamedTuple

from kassay.kinds.cuts import compositions
from kassay.model.cluster import Broker, Cluster, Topic, TopicPartition
from kassay.model.groups.group import NO_GENERATION, Member
from kassay.model.groups.history import AddPartitions, History, Join
from kassay.model.groups.kinds import CLIENT, SERVER, SHARE
from kassay.model.kinds import Kind
from kassay.properties.groups.histories.generator import GENERATION, GroupProfile

Reads = tuple[tuple[str, ...], ...]
Owned = tuple[tuple[TopicPartition, ...], ...]

LEFT_OUT: Final[Mapping[Kind, Mapping[str, tuple[str, ...]]]] = MappingProxyType(
    {
        kind: MappingProxyType(words)
        for kind, words in {
            CLIENT: {
                "racks": ("racks-against",),
                "weights": ("weights",),
                "static members": ("static-mix", "static-return"),
                "unknown topics": ("unknown-topic", "deleted-topic"),
                "repeated topics": ("duplicate-topic",),
                "later changes": (
                    *("no-change", "leader-changed", "failed-sync", "owned-and-resubscribe"),
                    "partitions-added",
                ),
            },
            SERVER: {
                "racks": ("racks-against",),
                "weights": ("weights",),
                "later changes": ("no-change", "partitions-added"),
            },
            SHARE: {
                "racks": (),
                "withheld partitions": ("unassignable",),
                "later changes": ("no-change",),
            },
        }.items()
    }
)
"""What no scope of a kind has, each with the situations that need it."""


class Ownership(NamedTuple):
    """What the members report: the owned partitions of each, and the generation of each."""

    owned: Owned
    generations: tuple[int, ...]


class GroupRules(NamedTuple):
    """Which groups a scope holds.

    `equal`: only equal subscriptions. `idle`: also members without subscriptions. `conflicts`: also input
    that contradicts itself.
    """

    kind: Kind = CLIENT
    equal: bool = False
    idle: bool = True
    conflicts: bool = False


def scope_cases(profile: GroupProfile, members_max: int, partitions_max: int) -> Iterator[History]:
    """The histories of the scope that the profile's assumptions allow, each a single change.

    First those without a past, then those with an ordinary one, then those whose input contradicts itself;
    each the smallest groups first.
    """
    rules = GroupRules(
        profile.kind,
        equal=not profile.allows("equal-subscriptions"),
        idle=profile.allows("no-empty-subscriptions"),
    )
    cells = list(product(range(1, members_max + 1), range(partitions_max + 1)))
    for pasts in (False, True):
        for members, partitions in cells:
            yield from cell_cases(members, partitions, rules, pasts=pasts)
    if profile.allows("no-conflicting-claims"):
        for members, partitions in cells:
            yield from _conflicting(members, partitions, rules)


def cell_cases(members: int, partitions: int, rules: GroupRules, *, pasts: bool) -> Iterator[History]:
    """Every group of the size on ordinary input, smaller subscriptions and pasts first.

    With `pasts` only groups in which a member owns something or has a generation, else only the others.
    With equal subscriptions those to all topics come first.
    """
    for topics, reads in groups_of(members, partitions, rules):
        if not pasts:
            yield _history(Cluster(topics), reads, Ownership(((),) * members, (NO_GENERATION,) * members))
            continue
        for past in _ordinary_pasts(topics, reads, rules.kind):
            yield _history(Cluster(topics), reads, past)


def groups_of(members: int, partitions: int, rules: GroupRules) -> Iterator[tuple[tuple[Topic, ...], Reads]]:
    """Every split of the partitions into topics with all subscriptions of the members, the fewest first."""
    if rules.equal:
        yield from _equal_groups(members, partitions, rules.idle)
        return
    least = 0 if rules.idle else 1
    for size in range(partitions * (members + 1) + 1):
        for count in range(min(1, partitions), min(size, partitions) + 1):
            for topics in _topics(partitions, count):
                names = tuple(topic.name for topic in topics)
                for reads in _subscriptions(names, members, size - count, least):
                    yield topics, reads


def _equal_groups(members: int, partitions: int, idle: bool) -> Iterator[tuple[tuple[Topic, ...], Reads]]:
    """Every group with equal subscriptions: those to all topics, then those to fewer."""
    for whole in (True, False):
        for count in range(min(1, partitions), partitions + 1):
            for topics in _topics(partitions, count):
                names = tuple(topic.name for topic in topics)
                sizes = (count,) if whole else range(0 if idle else 1, count)
                for own in (own for size in sizes for own in combinations(names, size)):
                    if own or idle:
                        yield topics, (own,) * members


def _topics(partitions: int, count: int) -> Iterator[tuple[Topic, ...]]:
    """The ways to split the partitions into that many topics, in every order, large first topics first."""
    if not partitions:
        yield ()
        return
    for ends in combinations(range(1, partitions), count - 1):
        sizes = [end - start for start, end in zip((0, *ends), (*ends, partitions))]
        yield tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))


def _subscriptions(names: tuple[str, ...], members: int, total: int, least: int) -> Iterator[Reads]:
    """The ways in which the members can subscribe to that many topics together, each to at least `least`."""
    if not members:
        if not total:
            yield ()
        return
    others = members - 1
    for size in range(max(least, total - others * len(names)), min(len(names), total - others * least) + 1):
        for own in combinations(names, size):
            for rest in _subscriptions(names, others, total - size, least):
                yield (own, *rest)


def _ordinary_pasts(topics: tuple[Topic, ...], reads: Reads, kind: Kind) -> Iterator[Ownership]:
    """What the members can report without a contradiction, with something owned or a generation.

    A partition has one owner at most, one of its subscribers; those that own something report the latest
    generation, or no member reports one. In a share group members may own the same partition, and what they
    do not read.
    """
    tps = [tp for topic in topics for tp in topic.tps()]
    members = range(len(reads))
    for total in range((len(tps) * len(reads) if kind is SHARE else len(tps)) + 1):
        if kind is SHARE:
            reports: Iterator[tuple[tuple[int, TopicPartition], ...]] = combinations(
                [(member, tp) for member in members for tp in tps], total
            )
        else:
            reports = _owned_once(tps, [[i for i in members if tp.topic in reads[i]] for tp in tps], total)
        for chosen in reports:
            owned = tuple(tuple(tp for owner, tp in chosen if owner == member) for member in members)
            for generations in _ordinary_generations(owned, kind):
                yield Ownership(owned, generations)


def _owned_once(
    tps: list[TopicPartition], able: list[list[int]], total: int
) -> Iterator[tuple[tuple[int, TopicPartition], ...]]:
    """The ways in which that many of the partitions can each have an owner, one of those that are able."""
    for places in combinations(range(len(tps)), total):
        for owners in product(*(able[place] for place in places)):
            yield tuple((owner, tps[place]) for owner, place in zip(owners, places))


def _ordinary_generations(owned: Owned, kind: Kind) -> Iterator[tuple[int, ...]]:
    """The generations of the members that do not contradict what they own, without a group that is new."""
    if kind is not CLIENT:
        if any(owned):
            yield (GENERATION,) * len(owned)
        return
    for generations in client_generations(len(owned)):
        latest = max(generations)
        if all(generation == latest for own, generation in zip(owned, generations) if own) and (
            any(owned) or latest != NO_GENERATION
        ):
            yield generations


def client_generations(members: int) -> Iterator[tuple[int, ...]]:
    """The generations that members can report: none, or the latest and the one before.

    Some member reports the latest, or no member reports any; a member that reports none among others that do
    is new.
    """
    for generations in product((NO_GENERATION, GENERATION, GENERATION - 1), repeat=members):
        if max(generations) in (NO_GENERATION, GENERATION):
            yield generations


def _conflicting(members: int, partitions: int, rules: GroupRules) -> Iterator[History]:
    """Every group of the size whose input contradicts itself."""
    if rules.kind is SHARE:
        return
    for topics, reads in groups_of(members, partitions, rules):
        tps = [tp for topic in topics for tp in topic.tps()]
        for past in _server_pasts(tps, members) if rules.kind is SERVER else _client_pasts(tps, members):
            if not _is_ordinary(reads, past):
                yield _history(Cluster(topics), reads, past)


def _server_pasts(tps: list[TopicPartition], members: int) -> Iterator[Ownership]:
    """The target that the coordinator computed last: one owner of each partition, whatever it reads now."""
    for total in range(1, len(tps) + 1):
        for chosen in _owned_once(tps, [list(range(members))] * len(tps), total):
            owned = tuple(tuple(tp for owner, tp in chosen if owner == i) for i in range(members))
            yield Ownership(owned, (GENERATION,) * members)


def _client_pasts(tps: list[TopicPartition], members: int) -> Iterator[Ownership]:
    """Every report of every member: any partitions, of any of its generations; a new member owns nothing."""
    subsets = [own for size in range(len(tps) + 1) for own in combinations(tps, size)]
    for generations in client_generations(members):
        sends = max(generations) != NO_GENERATION
        able = [subsets[:1] if sends and each == NO_GENERATION else subsets for each in generations]
        for owned in product(*able):
            yield Ownership(owned, generations)


def _is_ordinary(reads: Reads, past: Ownership) -> bool:
    """Whether no two members own a partition, all own what they read, and all that own are up to date."""
    owned, latest = past.owned, max(past.generations)
    reported = [tp for own in owned for tp in own]
    return (
        len(set(reported)) == len(reported)
        and all(tp.topic in read for read, own in zip(reads, owned) for tp in own)
        and all(each == latest for own, each in zip(owned, past.generations) if own)
    )


def splits(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to write `total` as a falling sum of parts of at most `largest`."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in splits(total - part, part):
            yield (part, *rest)


def starting_points(members: int, partitions: int, *, pasts: bool) -> Iterator[History]:
    """The groups of the size to start a search from: all members read something, and all topics are read."""
    for sizes in compositions(partitions):
        topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
        names = [topic.name for topic in topics]
        sets = [own for count in range(1, len(names) + 1) for own in combinations(names, count)]
        for reads in product(sets, repeat=members):
            if set(names) == set().union(*reads):
                cases = _one_owner(topics, reads, pasts)
                yield from islice(cases, 1, None) if pasts else cases


def _one_owner(topics: tuple[Topic, ...], reads: Reads, pasts: bool) -> Iterator[History]:
    tps = [tp for topic in topics for tp in topic.tps()]
    able: list[list[int]] = [
        [-1, *(i for i, own in enumerate(reads) if pasts and tp.topic in own)] for tp in tps
    ]
    for owners in product(*able):
        owned = tuple(tuple(tp for tp, owner in zip(tps, owners) if owner == i) for i in range(len(reads)))
        yield _history(Cluster(topics), reads, _same_generation(owned))


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
                yield _history(Cluster(topics), reads, _same_generation(owned))


def _groups(
    members: int, partitions: int, topics_max: int, idle: bool
) -> Iterator[tuple[tuple[Topic, ...], Reads]]:
    """Every split of the partitions into topics and every way to read these, each topic with a subscriber."""
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
            nothing = _same_generation(((),) * len(reads))
            yield _history(Cluster(placed, brokers), reads, nothing, racks)


def _same_generation(owned: Owned) -> Ownership:
    """What the members own, all of the latest generation; of none where no member owns anything."""
    return Ownership(owned, (GENERATION if any(owned) else NO_GENERATION,) * len(owned))


def _history(
    cluster: Cluster, reads: Reads, past: Ownership, racks: tuple[str | None, ...] | None = None
) -> History:
    racks = racks or (None,) * len(reads)
    joins = tuple(
        Join(Member(f"m{i}", read, own, generation, rack=rack))
        for i, (read, own, generation, rack) in enumerate(zip(reads, *past, racks))
    )
    return History(cluster, (joins,))
