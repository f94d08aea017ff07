"""Share-simple of 4.0: every member gets every partition of the topics it reads.

In a share group (KIP-932) the members of a partition share its records, so there is
nothing to divide. A member without topics is absent from the answer.
Source: Kafka `org.apache.kafka.coordinator.group.assignor.SimpleAssignor`, trunk 1eb7644349cb.
Cost: O(S + the size of the answer) for S subscriptions; members with one subscription share a list.
"""

from __future__ import annotations

from itertools import chain

from kassay.assignors.groups.server.topics import described_counts
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import SHARE


@reference(
    "share-simple",
    kind=SHARE,
    claims=("deterministic", "order-independent"),
    source="org.apache.kafka.coordinator.group.assignor.SimpleAssignor",
    since="4.0.0",
)
class ShareSimple(AssignorBase):
    """Assigns every member all partitions of its topics."""

    name = "simple"

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """All partitions of each member's topics.

        Raises `PartitionAssignorException` for a missing topic.
        """
        described_counts(cluster, group.subscribers)
        tps = {topic.name: tuple(topic.tps()) for topic in cluster.topics}
        shared: dict[tuple[str, ...], tuple[TopicPartition, ...]] = {}
        for member in group.members:
            if member.topics not in shared:
                shared[member.topics] = tuple(chain(*map(tps.__getitem__, dict.fromkeys(member.topics))))
        return Assignment(
            {member.member_id: shared[member.topics] for member in group.members if member.topics}
        )
