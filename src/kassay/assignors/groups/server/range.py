"""Server-side range: each topic in contiguous blocks over its subscribers in order.

Goals, in order: each topic's counts within one of each other, earlier members one larger; with
equal subscriptions and equal partition counts, the same numbers of every topic for a member
(co-partitioning). Not sticky: the current target has no effect.
Members: static ones by instance id, then the others by member id.
Source: Kafka `org.apache.kafka.coordinator.group.assignor.RangeAssignor`, trunk 1eb7644349cb
(KIP-848). Its two branches, for equal and for differing subscriptions, give the same answer.
Cost: O(M log M + S + P) for S subscriptions of M members and P partitions.
"""

from __future__ import annotations

from itertools import repeat

from kassay.assignors.groups.client.range import blocks
from kassay.assignors.groups.order import members_in_order
from kassay.assignors.groups.server.topics import described_counts
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import SERVER


@reference(
    "server-range",
    kind=SERVER,
    claims=("topic-even", "deterministic", "order-independent"),
    source="org.apache.kafka.coordinator.group.assignor.RangeAssignor",
    since="4.0.0",
)
class ServerRange(AssignorBase):
    """Assigns each topic's partitions in contiguous blocks, as the coordinator does."""

    name = "range"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's blocks; raises `PartitionAssignorException` for a missing topic."""
        counts = described_counts(cluster, group.subscribers)
        assignment: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        readers = Group(tuple(members_in_order(group.members))).subscribers
        for topic, member_ids in readers.items():
            for member_id, block in zip(member_ids, blocks(counts[topic], len(member_ids))):
                assignment[member_id] += map(TopicPartition, repeat(topic), range(block.start, block.stop))
        return Assignment(assignment)
