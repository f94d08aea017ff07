"""Range of the ZooKeeper era: blocks of one size, rounded up, until the partitions run out.

Each topic by itself: with P partitions and C subscribers let N = ceil(P / C); subscriber i (from 0) gets the
partitions from i * N up to, not including, (i + 1) * N, as far as they exist. Contiguous, but not even:
the last subscribers may get fewer partitions or none (3 subscribers, 4 partitions: 2, 2, 0). Not sticky.
Tie-breaks: static members by instance id, then the others by member id.
Source: the rebalance rule of Kafka's old high-level consumer as articles still describe it; today's
`RangeAssignor` (see `range`) spreads the remainder instead. No racks.
Cost: O(M log M + S + P) for M members with S topic subscriptions and P partitions.
"""

from __future__ import annotations

from kassay.assignors.groups.client.range import readers_by_topic
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group


@reference(
    "ceil-range",
    claims=("contiguous", "deterministic", "order-independent"),
    source="ZooKeeper-based high-level consumer, before Kafka 0.9",
)
class CeilRange(AssignorBase):
    """Assigns each topic in blocks of one size, rounded up, until its partitions run out."""

    name = "ceil-range"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's blocks."""
        assignment: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        readers = readers_by_topic(group)
        for topic, partitions in cluster.partitions.items():
            subscribers = readers.get(topic, ())
            size = -(-len(partitions) // max(1, len(subscribers)))
            for place, member in enumerate(subscribers):
                assignment[member.member_id] += partitions[place * size : (place + 1) * size]
        return Assignment(assignment)
