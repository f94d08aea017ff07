"""Which owned partitions a member keeps when a sticky group rebalances, before any are assigned.

Members are visited in the order of the leader's map. A partition that two members report goes to the one with
the higher generation; with equal generations neither keeps it. Kafka reads the visited member's generation
from its user data, but that of the earlier member from its subscription; where the two differ, so do answers.
Kafka finds in the same pass whether all subscriptions are equal, so this is here too. A member with an empty
subscription does not count against that as long as only such members came before it.
Source: Kafka client `AbstractStickyAssignor` 3.9.1; KIP-341, KIP-792.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from typing import NamedTuple

from kassay.assignors.sticky.user_data import UserDataClaim
from kassay.model.cluster import TopicPartition
from kassay.model.groups.group import NO_GENERATION, Member

Partitions = Mapping[str, tuple[TopicPartition, ...]]


class Claims(NamedTuple):
    """The members' valid owned partitions.

    `stated` is what each member reported, `owned` the valid part of it, `contested` the partitions that
    several members reported in one generation, `highest` the highest generation of all.
    """

    stated: dict[str, UserDataClaim]
    owned: dict[str, list[TopicPartition]]
    contested: set[TopicPartition]
    highest: int
    equal_subscriptions: bool


def weigh_claims(
    members: Iterable[Member], topics: Container[str], read: Callable[[Member], UserDataClaim]
) -> Claims:
    """The valid owned partitions of existing topics; `read` takes a member's report from a subscription."""
    stated: dict[str, UserDataClaim] = {}
    owned: dict[str, list[TopicPartition]] = {}
    contested: set[TopicPartition] = set()
    claimants: dict[TopicPartition, Member] = {}
    highest = NO_GENERATION
    subscribed: set[str] = set()
    equal = True
    for member in members:
        if not subscribed:
            subscribed = set(member.topics)
        elif equal:
            equal = len(member.topics) == len(subscribed) and subscribed.issuperset(member.topics)
        claim = stated[member.member_id] = read(member)
        highest = max(highest, claim.generation)
        mine = owned[member.member_id] = []
        for tp in claim.owned:
            if tp[0] not in topics:
                continue
            other = claimants.get(tp)
            if other is None:
                mine.append(tp)
                claimants[tp] = member
                continue
            theirs = max(other.generation, NO_GENERATION)
            if claim.generation < theirs:
                continue
            if claim.generation == theirs:
                contested.add(tp)
            else:
                mine.append(tp)
            _drop(owned[other.member_id], tp)
            claimants[tp] = member
    return Claims(stated, owned, contested, highest, equal)


def _drop(tps: list[TopicPartition], tp: TopicPartition) -> None:
    if tp in tps:
        tps.remove(tp)


def unassigned(partitions: Partitions, assigned: Iterable[TopicPartition]) -> list[TopicPartition]:
    """The partitions that are not assigned, topics in the order of the mapping.

    Kafka walks the sorted lists of all and of assigned partitions in parallel. It waits in vain for an
    assigned partition that does not exist, so that every later partition counts as unassigned.
    """
    taken = set(assigned)
    free = [tp for tps in partitions.values() for tp in tps if tp not in taken]
    if len(free) + len(taken) == sum(map(len, partitions.values())):
        return free
    rank = {topic: place for place, topic in enumerate(partitions)}
    missing = min((rank[topic], p) for topic, p in taken if not 0 <= p < len(partitions[topic]))
    return [
        tp
        for tps in partitions.values()
        for tp in tps
        if tp not in taken or (rank[tp.topic], tp.partition) > missing
    ]
