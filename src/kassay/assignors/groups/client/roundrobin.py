"""Round robin: all partitions in order, assigned one at a time to the members in order.

Goals, in order: balance over all topics where subscriptions are equal; nothing else. Not sticky.
Members: static ones by instance id, then the others by member id. Partitions: by topic name, then number. A
member that does not read the topic is skipped, and the next partition starts after the member that got the
last one.
Where subscriptions differ, loads can differ by more than one.
A group without members is an error, as in Kafka.
Source: Kafka client `RoundRobinAssignor` 3.9.1.
Cost: O(M log M + P) with equal subscriptions, O(M log M + P * M) at worst.
"""

from __future__ import annotations

from itertools import chain

from kassay.assignors.groups.order import members_in_order
from kassay.assignors.java_errors import IllegalArgumentError
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group, Member
from kassay.model.java import utf16_sorted

PartitionsByMember = dict[str, list[TopicPartition]]
Partitions = dict[str, tuple[TopicPartition, ...]]


@reference(
    "roundrobin",
    claims=("balanced-within-one", "deterministic", "order-independent"),
    source="org.apache.kafka.clients.consumer.RoundRobinAssignor",
    since="3.9",
)
class RoundRobin(AssignorBase):
    """Assigns partitions one at a time over the members."""

    name = "roundrobin"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions in the order in which it got them."""
        if not group.members:
            raise IllegalArgumentError("no members to assign partitions to")
        members = members_in_order(group.members)
        read = frozenset().union(*(member.topics for member in members))
        known = cluster.partitions
        partitions = {topic: known[topic] for topic in utf16_sorted(read & known.keys())}
        assignment: PartitionsByMember = {member.member_id: [] for member in group.members}
        if group.equal_subscriptions:
            # No member is skipped, so each of M members gets every M-th partition.
            deal = list(chain.from_iterable(partitions.values()))
            for first, member in enumerate(members):
                assignment[member.member_id] = deal[first :: len(members)]
        else:
            _deal_by_subscription(members, partitions, assignment)
        return Assignment(assignment)


def _deal_by_subscription(
    members: list[Member], partitions: Partitions, assignment: PartitionsByMember
) -> None:
    hands = [(frozenset(member.topics), assignment[member.member_id]) for member in members]
    turn, size = 0, len(hands)
    for topic, tps in partitions.items():
        for tp in tps:
            while topic not in hands[turn][0]:
                turn = (turn + 1) % size
            hands[turn][1].append(tp)
            turn = (turn + 1) % size
