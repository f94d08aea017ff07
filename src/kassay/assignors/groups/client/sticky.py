"""Sticky: balanced, and within that as many partitions as possible stay with their owner.

Goals, in order: balance (loads within one where all subscriptions are equal, else no single partition could
move to a subscriber with a load two lower); rack alignment of what has to move anyway; stickiness.
Eager: each member revokes everything and then gets the answer. A member's previous partitions and their
generation travel in its user data, and nothing else counts (`user_data`).
Tie-breaks: in `sticky_constrained` (equal subscriptions) and `sticky_general`; conflicting ownership in
`sticky_owned`. The answer depends on the order of the leader's map where ownership conflicts, where a member
subscribes to nothing, and where too many members own more than the lesser quota.
Kafka's bugs kept: partitions for a member that does not read the topic (empty subscriptions ahead of others;
owners of an older generation), partitions that do not exist, IllegalStateException and NullPointerException
on such input, ArithmeticException for a group without members. Balance is not always the best where
subscriptions differ, movement not always the least.
Source: Kafka client `StickyAssignor` 3.9.1; KIP-54, KIP-341, KIP-792, KIP-881.
Cost: see the two branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kassay.assignors.groups.client.sticky_general import GeneralBalance
from kassay.assignors.groups.client.sticky_owned import (
    OwnedPartitions,
    Partitions,
    RackInfo,
    UserDataOwned,
    decode_sticky,
    sticky_user_data,
    unassigned,
    weigh_owned,
)
from kassay.assignors.groups.order import partitions_by_number
from kassay.assignors.java_errors import DivisionByZeroError, IllegalStateError
from kassay.assignors.registry import reference
from kassay.model.cluster import Cluster, TopicPartition
from kassay.model.groups.assignor import AssignorBase, GroupMetadata
from kassay.model.groups.group import NO_GENERATION, Assignment, Group, Member
from kassay.model.java import utf16_sorted

# Sticky where all subscriptions are equal: keep what fits the quota, assign the rest round robin.
#
# With P partitions and M members each member gets floor(P / M), and P mod M members one more.
#
# 1. Keep owned partitions (by number, then topic; with racks only matching ones): all of them below the
#    lesser quota; up to the greater quota while members may still have that many; else the lesser quota.
# 2. With racks: assign what matches a rack of an unfilled member, partitions with the fewest such members
#    first, round robin over the members below the lesser quota, then over those at it.
# 3. Assign the rest: round robin over the members below the lesser quota by name, then one each to those at
#    it.
#
# Tie-breaks: the order of the leader's map decides which members may keep the greater quota; everything
# else goes by member id and (topic, number) in Java's order. Kafka's bugs kept: an owned partition beyond
# the topic's count is treated as a partition, and the assigned partitions no longer fit the quotas; mostly
# that ends in IllegalStateException. Source: Kafka client
# `AbstractStickyAssignor.ConstrainedAssignmentBuilder` 3.9.1 (KAFKA-9987, KIP-881). Cost: O(P log P + M log
# M); with racks O(P * M).


class ConstrainedDeal:
    """One assignment under construction; `given` and `transferring` hold the outcome of `run`.

    `below` are the members under the lesser quota, `at_least` those exactly at it that may still get one
    more. `transferring` are partitions whose new owner must wait until the previous one gives them up.
    """

    def __init__(self, partitions: Partitions, reported: OwnedPartitions, racks: RackInfo) -> None:
        if not reported.owned:
            raise DivisionByZeroError("no members to share the partitions among")
        self._partitions = {topic: partitions[topic] for topic in utf16_sorted(partitions)}
        self._reported = reported
        self._racks = racks
        members = len(reported.owned)
        self._least, self._larger_expected = divmod(sum(map(len, partitions.values())), members)
        self._most = self._least + (self._larger_expected > 0)
        self._larger = 0
        self._below: list[str] = []
        self._at_least: list[str] = []
        self._revoked: dict[TopicPartition, str] = {}
        self.assignment: dict[str, list[TopicPartition]] = {}
        self.transferring: dict[TopicPartition, str] = {}

    def run(self) -> None:
        """Assign everything; raises `IllegalStateError` where Kafka does."""
        for member_id, owned in self._reported.owned.items():
            self.assignment[member_id] = self._keep(member_id, owned)
        kept = [tp for tps in self.assignment.values() for tp in tps]
        free = unassigned(self._partitions, kept)
        self._below = utf16_sorted(self._below)
        self._at_least = utf16_sorted(self._at_least)
        if self._racks.members:
            free = self._deal_by_racks(self._racks.rarest_first(free))
        self._deal_in_turn(free)
        self._verify()

    def _keep(self, member_id: str, owned: list[TopicPartition]) -> list[TopicPartition]:
        """The owned partitions that the member keeps; records what it may lose and if it can take more."""
        if not owned:
            mine = owned
        elif self._racks.members:
            mine = partitions_by_number(tp for tp in owned if not self._racks.mismatch(member_id, tp))
            self._revoked |= {tp: member_id for tp in owned if self._racks.mismatch(member_id, tp)}
        else:
            mine = partitions_by_number(owned)
        if self._reported.contested:
            mine = [tp for tp in mine if tp not in self._reported.contested]
        if len(mine) < self._least:
            self._below.append(member_id)
            return list(mine)
        if len(mine) >= self._most and self._larger < self._larger_expected:
            self._larger += 1
            if self._larger == self._larger_expected:
                self._at_least.clear()
            quota = self._most
        else:
            if self._larger < self._larger_expected:
                self._at_least.append(member_id)
            quota = self._least
        for tp in mine[quota:]:
            self._revoked[tp] = member_id
        return mine[:quota]

    def _deal_by_racks(self, free: Sequence[TopicPartition]) -> list[TopicPartition]:
        """Assign what matches a rack within the quotas; returns the rest."""
        left: list[TopicPartition] = []
        turn = 0
        for tp in free:
            place = self._racks.next_member(tp, self._below, turn)
            if place is not None:
                member_id = self._below[place]
                turn = self._turn_after(place)
            else:
                place = self._racks.next_member(tp, self._at_least, 0)
                if place is None:
                    left.append(tp)
                    continue
                member_id = self._at_least[place]
                self._fill(place)
            self._give(tp, member_id)
        return left

    def _turn_after(self, place: int) -> int:
        """The place of the next member once the one at this place below quota gets one more."""
        member_id = self._below[place]
        count = len(self.assignment[member_id]) + 1
        if count >= self._least:
            del self._below[place]
            if count < self._most and self._larger < self._larger_expected:
                self._at_least.append(member_id)
        else:
            place += 1
        return place % len(self._below) if self._below else 0

    def _fill(self, place: int) -> None:
        """Record that the member at this place at the lesser quota gets one more."""
        if len(self.assignment[self._at_least[place]]) + 1 == self._most:
            del self._at_least[place]
            self._larger += 1
            if self._larger == self._larger_expected:
                self._at_least.clear()

    def _deal_in_turn(self, free: Sequence[TopicPartition]) -> None:
        below, at_least, least, most = self._below, self._at_least, self._least, self._most
        turn = 0
        for tp in free:
            if below:
                turn = turn if turn < len(below) else 0
                member_id = below[turn]
                turn += 1
            elif at_least:
                member_id = at_least.pop(0)
            else:
                raise IllegalStateError("No more unfilled consumers to be assigned.")
            self._give(tp, member_id)
            count = len(self.assignment[member_id])
            if count == least:
                turn -= 1
                del below[turn]
                at_least.append(member_id)
            elif count == most:
                self._larger += 1

    def _give(self, tp: TopicPartition, member_id: str) -> None:
        self.assignment[member_id].append(tp)
        if self._revoked.get(tp, member_id) != member_id or tp in self._reported.contested:
            self.transferring[tp] = member_id

    def _verify(self) -> None:
        """Kafka's own check that every member has one of the quotas."""
        if not self._below:
            return
        if self._larger != self._larger_expected:
            raise IllegalStateError("partitions ran out before enough members had the greater quota")
        for member_id in self._below:
            if len(self.assignment[member_id]) != self._least:
                raise IllegalStateError(f"partitions ran out before {member_id} had the lesser quota")


# Shared part of `sticky` and `cooperative-sticky`: the two branches, and which one runs.
#
# Source: Kafka client `AbstractStickyAssignor.assignPartitions` 3.9.1.


class StickyOutcome(NamedTuple):
    """Each member's partitions, and those that change owners (None where the general branch ran)."""

    assignment: dict[str, list[TopicPartition]]
    transferring: dict[TopicPartition, str] | None


class StickyRule:
    """The rule as one leader's object applies it.

    As in Kafka, the object keeps the highest generation that it ever saw: lower generations are old to it,
    even where the whole group is lower now. This matters only to the general branch.
    """

    def __init__(self, read: Callable[[Member], UserDataOwned], *, prefer_rack_aware: bool) -> None:
        self._read = read
        self._prefer_rack_aware = prefer_rack_aware
        self._highest = NO_GENERATION

    def assign(self, cluster: Cluster, group: Group) -> StickyOutcome:
        """The outcome for the group."""
        members = group.members
        subscribed: set[str] = set().union(*(member.topics for member in members))
        partitions = {topic: tps for topic, tps in cluster.partitions.items() if topic in subscribed}
        reported = weigh_owned(members, partitions, self._read)
        self._highest = max(self._highest, reported.highest)
        racks = RackInfo.of(cluster, partitions, members, prefer=self._prefer_rack_aware)
        if reported.equal_subscriptions:
            deal = ConstrainedDeal(partitions, reported, racks)
            deal.run()
            return StickyOutcome(deal.assignment, deal.transferring)
        return StickyOutcome(GeneralBalance(partitions, members, reported, racks, self._highest).run(), None)


def _reported_by(member: Member) -> UserDataOwned:
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
        self._rule = StickyRule(_reported_by, prefer_rack_aware=prefer_rack_aware)
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
