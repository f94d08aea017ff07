"""Uniform of 4.0.0: the default server-side assignor of KIP-848, balance first, then stickiness.

Two algorithms, one for groups whose members all read the same topics (`uniform_homogeneous`) and one for the
others (`uniform_heterogeneous`); their files describe goals, tie-breaks and cost. The coordinator decides
which of them runs (`Group.homogeneous`). A member's `owned` is its current target assignment. Racks and
static membership have no effect.

The answer is a set per member: kept partitions are listed before gained ones. With no topics at all, and with
no members, it is empty: an absent member has no partitions.
Source: Kafka `org.apache.kafka.coordinator.group.assignor.UniformAssignor`, trunk 1eb7644349cb.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.assignors.server.uniform_heterogeneous import assign_heterogeneous
from kassay.assignors.server.uniform_homogeneous import assign_homogeneous
from kassay.model.cluster import Cluster
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.kinds import SERVER


@reference(
    "uniform",
    kind=SERVER,
    claims=("balanced-within-one", "deterministic"),
    source="org.apache.kafka.coordinator.group.assignor.UniformAssignor",
    since="4.0.0",
)
class Uniform(AssignorBase):
    """Spreads all partitions evenly over the members and moves few."""

    name = "uniform"

    def with_equal_subscriptions(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions where all read the same topics."""
        return assign_homogeneous(cluster, group)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions; raises `PartitionAssignorException` for a missing topic."""
        if not group.members:
            return Assignment({})
        if group.homogeneous:
            return self.with_equal_subscriptions(cluster, group)
        return assign_heterogeneous(cluster, group)
