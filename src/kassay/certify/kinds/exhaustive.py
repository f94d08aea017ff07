"""Every small group: all subscriptions and all single-owner pasts, the smallest groups first.

The scope MxP holds groups of one to M members on one to P partitions in all, split over topics in
every way, with every assignment of non-empty subscriptions and every past in which each partition
was owned by one subscriber or by nobody. Members and topics are taken up to renaming: which member
has which subscription is enumerated as a multiset. Changes after the first are not part of it.

A cell has the groups of so many members and partitions in every order: a rule that goes by the order of
names may treat two members of other subscriptions otherwise when they change names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, combinations_with_replacement, islice, permutations, product

from kassay.model.cluster import Cluster, Topic, TopicPartition
from kassay.model.groups.group import Member
from kassay.model.groups.history import History, Join
from kassay.properties.groups.histories.generator import GENERATION, Profile


def scope_cases(
    profile: Profile,
    members_max: int,
    partitions_max: int,
    *,
    topics_max: int | None = None,
    pasts: bool = True,
) -> Iterator[History]:
    """The histories of the scope, each a single change; without `pasts` nobody owned anything before."""
    for members in range(1, members_max + 1):
        for partitions in range(1, partitions_max + 1):
            for sizes in splits(partitions, partitions):
                if topics_max is not None and len(sizes) > topics_max:
                    continue
                topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
                for subscriptions in _subscriptions(profile, topics, members):
                    yield from _pasts(topics, subscriptions, pasts)


def cell_cases(members: int, partitions: int, *, equal: bool, pasts: bool) -> Iterator[History]:
    """Every group of so many members and partitions, up to renaming that keeps the order of names.

    `equal` for equal subscriptions alone; with `pasts` those groups alone in which somebody owned something,
    else those in which nobody did.
    """
    for parts in splits(partitions, partitions):
        for sizes in sorted(set(permutations(parts)), reverse=True):
            topics = tuple(Topic(f"t{i}", size) for i, size in enumerate(sizes))
            names = [topic.name for topic in topics]
            every = (tuple(names),)
            sets = every if equal else [o for n in range(1, len(names) + 1) for o in combinations(names, n)]
            choices = product(every, repeat=members) if equal else product(sets, repeat=members)
            for subscriptions in choices:
                if set(names) == set().union(*subscriptions):
                    cases = _pasts(topics, subscriptions, pasts)
                    yield from islice(cases, 1, None) if pasts else cases


def splits(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    """The ways to write `total` as a falling sum of parts of at most `largest`."""
    if total == 0:
        yield ()
    for part in range(min(total, largest), 0, -1):
        for rest in splits(total - part, part):
            yield (part, *rest)


def _subscriptions(
    profile: Profile, topics: tuple[Topic, ...], members: int
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
