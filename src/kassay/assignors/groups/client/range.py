"""Range: each topic's partitions in contiguous blocks over its subscribers, the first ones one larger.

Goals, in order: balance per topic; co-partitioning (topics with equal counts and equal subscribers
have the same owner at each index); where racks are known, rack alignment as far as the first two goals
allow; contiguity where no rack was matched. Not sticky. Loads over all topics are not balanced: every
topic's surplus partitions go to the same first members, so the imbalance grows with the number of topics.
Tie-breaks: static members by instance id, then the others by member id. A topic listed twice in a
subscription counts once.
Lists are in the order of the metadata's topics, or by topic and number if racks were matched.
Source: Kafka client `RangeAssignor` 3.9.1; KIP-345 (static members), KIP-881 (racks).
Cost: O(M log M + S + P) for M members with S topic subscriptions and P partitions; with racks O(P * M).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import islice

from kassay.assignors.groups.order import members_in_order, partitions_in_order
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member

# Rack matching of range: within the sizes of the blocks, and for co-partitioned topics together.
#
# Racks are matched if a subscriber of the topic has a rack, some replica is in such a rack, and the
# partitions do not all have the same racks. A member without a rack matches every partition.
# Source: Kafka client `RangeAssignor` 3.9.1, KIP-881.

Racks = Sequence[frozenset[str]]


def worth_matching(consumers: Iterable[str], partitions: Iterable[frozenset[str]], *, prefer: bool) -> bool:
    """Whether these racks of consumers and partitions require matching (`useRackAwareAssignment`)."""
    by_partition = list(partitions)
    every = frozenset[str]().union(*by_partition)
    if every.isdisjoint(consumers):
        return False
    return prefer or any(racks != every for racks in by_partition)


def topics_in_need(cluster: Cluster, readers: dict[str, list[Member]], *, prefer: bool) -> set[str]:
    """The topics whose subscribers and replicas require rack matching."""
    return {
        topic
        for topic, members in readers.items()
        if topic in cluster.counts
        and worth_matching(
            {member.rack for member in members if member.rack},
            cluster.replica_racks.get(topic, ()),
            prefer=prefer,
        )
    }


class Share:
    """How the partition numbers of topics of one size are shared among their common subscribers.

    Each subscriber may take `size` numbers; the first `larger` subscribers that fill up may take one more.
    """

    def __init__(self, count: int, members: list[Member]) -> None:
        self.racks: dict[str, str | None] = {member.member_id: member.rack or None for member in members}
        self.size, self.larger = divmod(count, len(self.racks))
        self.taken: dict[str, list[int]] = {member_id: [] for member_id in self.racks}
        self.free: dict[int, None] = dict.fromkeys(range(count))

    def room(self, member_id: str) -> int:
        """How many numbers the member may still take."""
        return max(0, self.size + (self.larger > 0) - len(self.taken[member_id]))

    def take(self, member_id: str, numbers: list[int]) -> None:
        """Give the member these numbers."""
        taken = self.taken[member_id]
        taken += numbers
        if len(taken) > self.size:
            self.larger -= 1
        for number in numbers:
            del self.free[number]

    def deal(self, member_id: str, numbers: Iterable[int]) -> None:
        """Assign the member the first of these numbers that it has room for."""
        taken = list(islice(numbers, self.room(member_id)))
        if taken:
            self.take(member_id, taken)

    def deal_rest(self) -> None:
        """Assign the remaining numbers in blocks."""
        for member_id in self.racks:
            self.deal(member_id, self.free)


def match_racks(share: Share, topics: Sequence[Racks]) -> None:
    """Assign each subscriber the numbers that match its own rack.

    For one topic, each subscriber takes its matches in order. For several topics, each number goes to the
    first subscriber with room that matches in every topic, so that the topics stay co-partitioned.
    """
    if len(topics) == 1:
        for member_id, rack in share.racks.items():
            share.deal(member_id, (p for p in share.free if rack is None or rack in topics[0][p]))
        return
    for number in list(share.free):
        common = frozenset.intersection(*(racks[number] for racks in topics))
        for member_id, rack in share.racks.items():
            if (rack is None or rack in common) and share.room(member_id):
                share.take(member_id, [number])
                break


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
