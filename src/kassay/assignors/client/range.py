"""Range: each topic's partitions in contiguous blocks over its subscribers, the first ones one larger.

Goals, in order: balance per topic; co-partitioning (topics with equal counts and equal subscribers
have the same owner at each index); where racks are known, rack alignment as far as the first two goals
allow; contiguity where no rack was matched. Not sticky. Loads over all topics are not balanced: every
topic's surplus partitions go to the same first members, so the imbalance grows with the number of topics.
Tie-breaks: static members by instance id, then the others by member id. A topic listed twice in a
subscription counts once.
Lists are in the order of the metadata's topics, or by topic and number if racks were matched.
Source: Kafka client `RangeAssignor` 3.9.1; KIP-345 (static members), KIP-881 (racks, `range_racks`).
Cost: O(M log M + S + P) for M members with S topic subscriptions and P partitions; with racks O(P * M).
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache

from kassay.assignors.client.order import members_in_order, partitions_in_order
from kassay.assignors.client.range_racks import Share, match_racks, topics_in_need
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member

PartitionsByMember = dict[str, list[TopicPartition]]


@reference(
    "range",
    claims=("topic-even", "contiguous", "copartitioned", "deterministic", "order-independent"),
    source="org.apache.kafka.clients.consumer.RangeAssignor",
    since="3.9",
)
class Range(AssignorBase):
    """Assigns each topic in contiguous blocks, one for each subscriber.

    With `prefer_rack_aware`, racks are matched even where every partition has a replica in every rack.
    """

    name = "range"

    def __init__(self, *, prefer_rack_aware: bool = False) -> None:
        self._prefer_rack_aware = prefer_rack_aware

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's blocks."""
        assignment: PartitionsByMember = {member.member_id: [] for member in group.members}
        readers = readers_by_topic(group)
        if any(member.rack for member in group.members):
            needy = topics_in_need(cluster, readers, prefer=self._prefer_rack_aware)
            if needy:
                _by_racks(cluster, readers, needy, assignment)
                return Assignment(
                    {member_id: partitions_in_order(tps) for member_id, tps in assignment.items()}
                )
        _by_blocks(cluster, readers, assignment)
        return Assignment(assignment)


def readers_by_topic(group: Group) -> dict[str, list[Member]]:
    """For each subscribed topic, its subscribers in Kafka's order of members; treat lists as read-only."""
    in_order = members_in_order(group.members)
    subscriptions = [member.topics for member in in_order]
    if subscriptions and subscriptions.count(subscriptions[0]) == len(subscriptions):
        return dict.fromkeys(subscriptions[0], in_order)
    readers: defaultdict[str, list[Member]] = defaultdict(list)
    for member, topics in zip(in_order, subscriptions):
        for topic in set(topics):
            readers[topic].append(member)
    return readers


def _by_blocks(cluster: Cluster, readers: dict[str, list[Member]], assignment: PartitionsByMember) -> None:
    for topic, partitions in cluster.partitions.items():
        if topic in readers:
            subscribers = readers[topic]
            for member, block in zip(subscribers, blocks(len(partitions), len(subscribers))):
                assignment[member.member_id] += partitions[block]


@lru_cache
def blocks(count: int, shares: int) -> tuple[slice, ...]:
    """The numbers below `count` split into `shares` blocks, the first ones one longer if needed.

    Empty blocks, which would be last, are left out.

    >>> blocks(5, 3)
    (slice(0, 2, None), slice(2, 4, None), slice(4, 5, None))
    >>> blocks(1, 3)
    (slice(0, 1, None),)
    """
    size, longer = divmod(count, shares)
    starts = [share * size + min(share, longer) for share in range(min(shares, count) + 1)]
    return tuple(map(slice, starts, starts[1:]))


def _by_racks(
    cluster: Cluster, readers: dict[str, list[Member]], needy: set[str], assignment: PartitionsByMember
) -> None:
    """Share each family of co-partitioned topics once, and apply the result to all its topics."""
    families: dict[tuple[int, tuple[str, ...]], list[str]] = {}
    for topic, count in cluster.counts.items():
        if topic in readers:
            ids = tuple(member.member_id for member in readers[topic])
            families.setdefault((count, ids), []).append(topic)
    for (count, _), topics in families.items():
        share = Share(count, readers[topics[0]])
        racks = [cluster.replica_racks.get(topic, (frozenset(),) * count) for topic in topics]
        if len(topics) > 1 or topics[0] in needy:
            match_racks(share, racks)
        share.deal_rest()
        for topic in topics:
            partitions = cluster.partitions[topic]
            for member_id, numbers in share.taken.items():
                assignment[member_id] += (partitions[number] for number in numbers)
