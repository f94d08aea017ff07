"""Sticky: balanced, and within that as many partitions as possible stay with their owner.

Goals, in order: balance (loads within one where all subscriptions are equal, else no single partition could
move to a subscriber with a load two lower); rack alignment of what has to move anyway; stickiness.
Eager: each member revokes everything and then gets the answer. A member's previous partitions and their
generation travel in its user data, and nothing else counts (`user_data`).
Tie-breaks: in `sticky_constrained` (equal subscriptions) and `sticky_general`; conflicting ownership in
`sticky_claims`. The answer depends on the order of the leader's map where ownership conflicts, where a member
subscribes to nothing, and where too many members own more than the lesser quota.
Kafka's bugs kept: partitions for a member that does not read the topic (empty subscriptions ahead of others;
owners of an older generation), partitions that do not exist, IllegalStateException and NullPointerException
on such input, ArithmeticException for a group without members. Balance is not always the best where
subscriptions differ, movement not always the least.
Source: Kafka client `StickyAssignor` 3.9.1; KIP-54, KIP-341, KIP-792, KIP-881.
Cost: see the two branches.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.assignors.sticky.rule import StickyRule
from kassay.assignors.sticky.user_data import UserDataClaim, decode_sticky, sticky_user_data
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import Assignment, Group, Member


def _claim(member: Member) -> UserDataClaim:
    return decode_sticky(member.user_data)


@reference(
    "sticky",
    claims=("balanced-kip54", "deterministic", "converges"),
    source="org.apache.kafka.clients.consumer.StickyAssignor",
    since="3.9",
)
class Sticky(AssignorBase):
    """Balances while keeping partitions in place."""

    name = "sticky"

    def __init__(self, *, prefer_rack_aware: bool = False) -> None:
        self._rule = StickyRule(_claim, prefer_rack_aware=prefer_rack_aware)
        self._user_data: bytes | None = None

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The member's last assignment and its generation; None before its first assignment."""
        return self._user_data

    def on_assignment(
        self,
        assignment: tuple[TopicPartition, ...],
        user_data: bytes | None,
        metadata: GroupMetadata,
    ) -> None:
        """Remember the assignment and its generation for the next subscription."""
        self._user_data = sticky_user_data(assignment, metadata.generation)

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions: kept ones first."""
        return Assignment(self._rule.assign(cluster, group).assignment)
