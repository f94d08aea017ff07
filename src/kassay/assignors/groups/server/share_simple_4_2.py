"""Share-simple since 4.2: equally many members for each partition, members within one, few changes.

Where all members read the same topics, of M members and P assignable partitions each partition is to be
shared by `s = ceil(M / P)` members, and the member at place i wants `ceil(x * (i + 1)) - ceil(x * i)` of
them, with `x = s * P / M` in doubles, whose rounding may assign one too many (M = 7, P = 29).
Where they read different topics the rule applies to each topic by itself, over its readers: the first members
have the larger share of every topic, so that totals can lie far apart.
1. Partitions of topics that no member reads any more are removed; with different subscriptions they stay.
2. A member that has more than it wants gives up the first, in the order of its own hash set.
3. A partition that has more than s members loses the first of them, in the order of its own hash set.
4. The partitions are visited once, in the order of the hash table that was filled with the members' previous
   partitions and then with the assignable ones. While a partition is short of members, the members below what
   they want form a circle, and the next that did not hold it takes it; a member that has what it wants leaves
   the circle. A member that has just taken the partition takes it again when the circle returns to it, which
   counts as another member. A full circle in which no member takes the partition is not repeated, so nothing
   more is assigned.
Partitions that are not assignable, or missing, count like the others in what members hold and are never
revoked for that reason. If they leave the circle empty while a partition is still short, that is an error.
Source: Kafka `SimpleHomogeneousAssignmentBuilder`, `SimpleHeterogeneousAssignmentBuilder`, branch 4.4
(KAFKA-19362, 19363; the same from 4.2 on).
Cost: O(M + N log N) for M members and N partitions and copies held, with a sort by hash; for each topic.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import ceil
from typing import TypeVar

from kassay.assignors.groups.server.topics import assignable_of, described_counts, partition_hashes
from kassay.assignors.java_errors import NoSuchElementError
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import SHARE
from kassay.model.java import bucket_order, computed_order, sized_table

_P = TypeVar("_P", bound=Hashable)


@reference(
    "share-simple",
    kind=SHARE,
    claims=(
        "assignable",
        "shared-evenly",
        "balanced-within-one",
        "fewest-taken-back",
        "stable",
        "deterministic",
    ),
    source="org.apache.kafka.coordinator.group.assignor.SimpleAssignor",
    since="4.2",
)
class ShareEvenly(AssignorBase):
    """Shares every partition among equally many members and moves little."""

    name = "simple"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions; empty where no member reads anything.

        Raises `PartitionAssignorException` for a missing topic, and `NoSuchElementError` where held
        partitions that are not assignable leave no member for one that is.
        """
        if not group.subscribers or (group.homogeneous and not group.members[0].topics):
            return Assignment({})
        described_counts(cluster, group.subscribers)
        if group.homogeneous:
            return _of_all_topics(cluster, group)
        return _topic_by_topic(cluster, group)


def _of_all_topics(cluster: Cluster, group: Group) -> Assignment:
    """The answer where all read the same topics."""
    topics = dict.fromkeys(group.members[0].topics)
    held = [[tp for tp in member.owned if tp[0] in topics] for member in group.members]
    targets = [tp for topic in topics for tp in assignable_of(cluster, group, topic)]
    hashes = partition_hashes(cluster, [*targets, *(tp for tps in held for tp in tps)])
    shares = shared(held, targets, range(len(held)), hashes)
    return Assignment({member.member_id: tps for member, tps in zip(group.members, shares)})


def _topic_by_topic(cluster: Cluster, group: Group) -> Assignment:
    """The answer where members read different topics; partitions of topics without readers stay."""
    places = {member.member_id: place for place, member in enumerate(group.members)}
    kept = [[tp for tp in member.owned if tp[0] not in group.subscribers] for member in group.members]
    for topic, readers in group.subscribers.items():
        held = [[partition for name, partition in member.owned if name == topic] for member in group.members]
        targets = [partition for _, partition in assignable_of(cluster, group, topic)]
        shares = shared(held, targets, [places[member_id] for member_id in readers], int)
        for tps, share in zip(kept, shares):
            tps += (TopicPartition(topic, partition) for partition in share)
    return Assignment({member.member_id: tps for member, tps in zip(group.members, kept)})


def shared(
    held: Sequence[Sequence[_P]],
    targets: Sequence[_P],
    readers: Sequence[int],
    hash_code: Callable[[_P], int],
) -> list[list[_P]]:
    """Each member's final partitions, by its place in `held`, from the held and the target partitions.

    `readers` are the places of the members that take part; the others lose what they held.
    """
    sharing = -(-len(readers) // len(targets)) if targets else 0
    wanted = dict(zip(readers, _wanted(sharing * len(targets), len(readers))))
    holders: dict[_P, list[int]] = {}
    for place, partitions in enumerate(held):
        for partition in partitions:
            holders.setdefault(partition, []).append(place)
    shares = _without_overfilled(held, wanted, hash_code)
    _relieve_overshared(shares, holders, sharing)
    inserted = [*(partition for partitions in held for partition in partitions), *targets]
    order = computed_order(inserted, hash_code, sized_table(len(targets)))
    unfilled = [place for place in sorted(readers) if len(shares[place]) < wanted[place]]
    _hand_out(order, sharing, shares, unfilled, wanted)
    return [list(share) for share in shares]


def _wanted(copies: int, members: int) -> Iterable[int]:
    """How many of the copies each member wants, by place; in doubles, to reproduce Kafka's inexact sum."""
    each = copies / members
    return (ceil(each * (place + 1)) - ceil(each * place) for place in range(members))


def _without_overfilled(
    held: Sequence[Sequence[_P]], wanted: Mapping[int, int], hash_code: Callable[[_P], int]
) -> list[dict[_P, None]]:
    """What each member holds; one that holds more than it wants loses the first in hash order."""
    shares = []
    for place, partitions in enumerate(held):
        over = len(partitions) - wanted.get(place, 0)
        given_up = frozenset(bucket_order(partitions, hash_code)[:over] if over > 0 else ())
        shares.append(dict.fromkeys(p for p in partitions if p not in given_up))
    return shares


def _relieve_overshared(
    shares: Sequence[dict[_P, None]], holders: Mapping[_P, Sequence[int]], sharing: int
) -> None:
    """Take each partition from the first of its members, in hash order, until only `sharing` hold it.

    `holders` are all members that held it at any time in this round: they decide the size of the hash set.
    """
    for partition, places in holders.items():
        if len(places) <= sharing:
            continue
        left = [place for place in bucket_order(places, int) if partition in shares[place]]
        for place in left[: max(len(left) - sharing, 0)]:
            del shares[place][partition]


def _hand_out(
    order: Iterable[_P],
    sharing: int,
    shares: Sequence[dict[_P, None]],
    unfilled: list[int],
    wanted: Mapping[int, int],
) -> None:
    """Assign partitions that are short of members to the unfilled members, which form a circle."""
    holders: dict[_P, set[int]] = {}
    for place, share in enumerate(shares):
        for partition in share:
            holders.setdefault(partition, set()).add(place)
    at, taken = 0, False
    for partition in order:
        if not unfilled:
            return
        before = holders.get(partition, set[int]())
        lacking = sharing - len(before)
        while lacking > 0:
            if at == len(unfilled):
                if not taken:
                    break
                if not unfilled:
                    raise NoSuchElementError(
                        f"{partition} is short of members, and no member is left to take it"
                    )
                at, taken = 0, False
            place = unfilled[at]
            at += 1
            if place not in before:
                shares[place][partition] = None
                lacking -= 1
                taken = True
                if len(shares[place]) >= wanted[place]:
                    at -= 1
                    del unfilled[at]
