"""Round robin: all partitions in order, dealt one at a time over the members in order.

Goals, in order: balance over all topics where subscriptions are equal; nothing else. Not sticky.
Members: static ones by instance id, then the others by member id. Partitions: by topic name, then
number. A member that does not read the topic is passed over, and the deal goes on behind it.
Where subscriptions differ, loads can differ by more than one.
Source: Kafka client `RoundRobinAssignor`.
Cost: O(M log M + P) with equal subscriptions, O(M log M + P * M) at worst.
"""

from __future__ import annotations

from kassay.assignors.order import members_in_order
from kassay.assignors.registry import reference
from kassay.model.assignor import AssignorBase
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.group import Assignment, Group
from kassay.model.java import utf16_sorted


@reference(
    "roundrobin",
    claims=("balanced-within-one", "deterministic", "order-independent"),
    source="org.apache.kafka.clients.consumer.RoundRobinAssignor",
)
class RoundRobin(AssignorBase):
    """Deals partitions one at a time over the members."""

    name = "roundrobin"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions in the order in which they were dealt."""
        given: dict[str, list[TopicPartition]] = {member.member_id: [] for member in group.members}
        members = members_in_order(group.members)
        reads = [frozenset(member.topics) for member in members]
        counts = cluster.counts
        topics = utf16_sorted(topic for topic in frozenset().union(*reads) if topic in counts)
        turn, size = 0, len(members)
        for topic in topics:
            for partition in range(counts[topic]):
                while topic not in reads[turn]:
                    turn = (turn + 1) % size
                given[members[turn].member_id].append(TopicPartition(topic, partition))
                turn = (turn + 1) % size
        return Assignment(given)
