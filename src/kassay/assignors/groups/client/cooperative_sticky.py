"""Cooperative sticky: sticky's answer, less what another member must give up first.

Goals, in order: no partition is assigned to a member while another one owns it; then sticky's goals. Withheld
partitions are in no member's list, their owners give them up, and a second rebalance assigns them. A member
reports the owned partitions of its subscription, which it keeps during a rebalance; their generation is the
subscription's (KIP-792), or else the one in the user data.
Withheld are: with equal subscriptions the partitions above an owner's quota or in the wrong rack that another
member got, and those reported by two members in one generation; else every partition that one member owns and
does not get and that another gets and does not own.
Kafka's bugs kept: those of `sticky`; and with different subscriptions, a partition reported by a stale member
and by its owner goes to the stale one at once, since it counts as its owner already.
Source: Kafka client `CooperativeStickyAssignor` 3.9.1; KIP-429, KIP-792, KIP-881.
Cost: that of sticky and O(P).
"""

from __future__ import annotations

from kassay.assignors.groups.client.sticky import StickyRule
from kassay.assignors.groups.client.sticky_owned import UserDataOwned, decode_generation, encode_generation
from kassay.assignors.registry import COOPERATIVE, EAGER, reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member


def _reported_by(member: Member) -> UserDataOwned:
    if member.generation > NO_GENERATION:
        return UserDataOwned(member.owned, member.generation)
    return UserDataOwned(member.owned, decode_generation(member.user_data))


@reference(
    "cooperative-sticky",
    claims=("balanced-kip54", "cooperative", "converges", "deterministic"),
    source="org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
    protocol=COOPERATIVE,
    since="3.9",
)
class CooperativeSticky(AssignorBase):
    """Balances while keeping partitions in place, and reassigns only partitions that were given up."""

    name = "cooperative-sticky"
    protocols = (COOPERATIVE, EAGER)

    def __init__(self, *, prefer_rack_aware: bool = False) -> None:
        self._rule = StickyRule(_reported_by, prefer_rack_aware=prefer_rack_aware)
        self._generation = NO_GENERATION

    def subscription_user_data(self, topics: tuple[str, ...]) -> bytes | None:
        """The generation of the member's last assignment."""
        return encode_generation(self._generation)

    def on_assignment(
        self,
        assignment: tuple[TopicPartition, ...],
        user_data: bytes | None,
        metadata: GroupMetadata,
    ) -> None:
        """Remember the generation."""
        self._generation = metadata.generation

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """Each member's partitions, without those that another member must give up first."""
        assignment, transferring = self._rule.assign(cluster, group)
        if transferring is None:
            transferring = _changing_owner(group, assignment)
        for tp, member_id in transferring.items():
            assignment[member_id].remove(tp)
        return Assignment(assignment)


def _changing_owner(group: Group, assignment: dict[str, list[TopicPartition]]) -> dict[TopicPartition, str]:
    """The partitions that one member gains and another loses, with the gaining member."""
    gained: dict[TopicPartition, str] = {}
    lost: set[TopicPartition] = set()
    for member in group.members:
        before, after = set(member.owned), assignment[member.member_id]
        gained.update((tp, member.member_id) for tp in after if tp not in before)
        lost |= before.difference(after)
    return {tp: member_id for tp, member_id in gained.items() if tp in lost}
