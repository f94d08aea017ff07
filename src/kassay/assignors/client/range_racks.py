"""Rack matching of range: within the sizes of the blocks, and for co-partitioned topics together.

Racks are matched if a subscriber of the topic has a rack, some replica is in such a rack, and the
partitions do not all have the same racks. A member without a rack matches every partition.
Source: Kafka client `RangeAssignor` 3.9.1, KIP-881.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Member

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
