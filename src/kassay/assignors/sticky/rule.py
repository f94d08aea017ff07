"""Shared part of `sticky` and `cooperative-sticky`: the two branches, and which one runs.

Source: Kafka client `AbstractStickyAssignor.assignPartitions` 3.9.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kassay.assignors.sticky.claims import weigh_claims
from kassay.assignors.sticky.constrained import ConstrainedDeal
from kassay.assignors.sticky.general import GeneralBalance
from kassay.assignors.sticky.racks import RackInfo
from kassay.assignors.sticky.user_data import UserDataClaim
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.group import NO_GENERATION, Group, Member


class StickyOutcome(NamedTuple):
    """Each member's partitions, and those that change owners (None where the general branch ran)."""

    assignment: dict[str, list[TopicPartition]]
    transferring: dict[TopicPartition, str] | None


class StickyRule:
    """The rule as one leader's object applies it.

    As in Kafka, the object keeps the highest generation that it ever saw: lower generations are old to it,
    even where the whole group is lower now. This matters only to the general branch.
    """

    def __init__(self, read: Callable[[Member], UserDataClaim], *, prefer_rack_aware: bool) -> None:
        self._read = read
        self._prefer_rack_aware = prefer_rack_aware
        self._highest = NO_GENERATION

    def assign(self, cluster: Cluster, group: Group) -> StickyOutcome:
        """The outcome for the group."""
        members = group.members
        subscribed: set[str] = set().union(*(member.topics for member in members))
        partitions = {topic: tps for topic, tps in cluster.partitions.items() if topic in subscribed}
        claims = weigh_claims(members, partitions, self._read)
        self._highest = max(self._highest, claims.highest)
        racks = RackInfo.of(cluster, partitions, members, prefer=self._prefer_rack_aware)
        if claims.equal_subscriptions:
            deal = ConstrainedDeal(partitions, claims, racks)
            deal.run()
            return StickyOutcome(deal.assignment, deal.transferring)
        return StickyOutcome(GeneralBalance(partitions, members, claims, racks, self._highest).run(), None)
