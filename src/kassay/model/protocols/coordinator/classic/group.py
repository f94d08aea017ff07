"""A mutable classic group for the duration of one step: queries and single changes.

Source: `ClassicGroup`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from kassay.model.protocols.coordinator.classic.table import LEGAL
from kassay.model.protocols.shared.table import IllegalTransition
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import LEADER, PROTOCOL
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import EMPTY, PREPARING, ClassicGroup, ClassicMember
from kassay.model.protocols.values.records import GROUP, GroupValue, LogRecord, StoredMember
from kassay.model.protocols.values.requests import NO_REQUEST, JoinGroupReply, Partitions, SyncGroupReply


class GroupBuilder:
    """A classic group during a step; `freeze` returns its value."""

    __slots__ = (
        "effects",
        "generation",
        "initial",
        "leader",
        "members",
        "new_member_added",
        "pending_join",
        "pending_sync",
        "protocol",
        "protocol_type",
        "state",
        "subscribed_topics",
    )

    def __init__(self, effects: Effects, group: ClassicGroup) -> None:
        self.effects = effects
        self.state = group.state
        self.generation = group.generation
        self.protocol_type = group.protocol_type
        self.protocol = group.protocol
        self.leader = group.leader
        self.members = {member.member_id: member for member in group.members}
        self.pending_join = set(group.pending_join)
        self.pending_sync = set(group.pending_sync)
        self.initial = group.initial
        self.new_member_added = group.new_member_added
        self.subscribed_topics = group.subscribed_topics

    def freeze(self) -> ClassicGroup:
        """The group as a value."""
        members = self.members
        return ClassicGroup(
            self.state,
            self.generation,
            self.protocol_type,
            self.protocol,
            self.leader,
            tuple([members[member_id] for member_id in sorted(members)]),
            tuple(sorted(self.pending_join)),
            tuple(sorted(self.pending_sync)),
            self.initial,
            self.new_member_added,
            self.subscribed_topics,
        )

    def move_to(self, state: str) -> None:
        """Change the state; raises `IllegalTransition` if `LEGAL` has no such move."""
        if state not in LEGAL[self.state]:
            raise IllegalTransition(self.state, f"-> {state}")
        self.initial = state == PREPARING and self.state == EMPTY
        self.state = state

    # Queries.

    def static_id(self, instance: str) -> str:
        """The id of the member with an instance id, or ""."""
        for member in self.members.values():
            if member.group_instance_id == instance:
                return member.member_id
        return ""

    def identity_error(self, member_id: str, instance: str) -> str:
        """The error of a member id and an instance id, or NONE; the instance is looked up first."""
        if instance:
            named = [m.member_id for m in self.members.values() if m.group_instance_id == instance]
            if not named:
                return errors.UNKNOWN_MEMBER_ID
            if member_id not in named:
                return errors.FENCED_INSTANCE_ID
        return errors.NONE if member_id in self.members else errors.UNKNOWN_MEMBER_ID

    def supports(self, protocol_type: str, protocols: requests.Protocols) -> bool:
        """Whether a member with these protocols can join: same type, and one name that all support."""
        if self.state == EMPTY:
            return bool(protocol_type and protocols)
        common = self.common_protocols()
        return self.protocol_type == protocol_type and any(
            common is None or name in common for name, _ in protocols
        )

    def common_protocols(self) -> set[str] | None:
        """The names that all members support; None, meaning every name, without members."""
        common: set[str] | None = None
        for member in self.members.values():
            names = {name for name, _ in member.protocols}
            common = names if common is None else common & names
        return common

    def all_joined(self) -> bool:
        """Whether no member is missing: there is no pending id, and all members' JoinGroups are parked."""
        return not self.pending_join and all(
            member.awaiting_join != NO_REQUEST for member in self.members.values()
        )

    def rebalance_timeout(self) -> int:
        """The members' longest rebalance timeout, 0 without members."""
        return max((member.rebalance_timeout for member in self.members.values()), default=0)

    def member_metadata(self) -> tuple[tuple[str, str, requests.Metadata], ...]:
        """The leader's view: ids, instance ids and metadata for the selected protocol."""
        return tuple(
            (member.member_id, member.group_instance_id, metadata_of(member, self.protocol))
            for _, member in sorted(self.members.items())
        )

    def record(self, assignments: dict[str, Partitions]) -> LogRecord:
        """The record of the group with these assignments."""
        members = tuple(
            StoredMember(
                member.member_id,
                member.group_instance_id,
                member.client_id,
                member.session_timeout,
                member.rebalance_timeout,
                metadata_of(member, self.protocol),
                assignments[member.member_id],
            )
            for _, member in sorted(self.members.items())
        )
        value = GroupValue(self.generation, self.protocol_type, self.protocol, self.leader, members)
        return LogRecord((GROUP, ""), value)

    # Changes.

    def update(self, member_id: str, **changes: Any) -> ClassicMember:
        """Change fields of a member."""
        member = self.members[member_id] = self.members[member_id]._replace(**changes)
        return member

    def add(self, member: ClassicMember, protocol_type: str) -> None:
        """Add a member; the first one sets the protocol type and becomes leader."""
        if not self.members:
            self.protocol_type = protocol_type
        if not self.leader:
            self.leader = member.member_id
        self.members[member.member_id] = member
        self.pending_join.discard(member.member_id)

    def remove(self, *member_ids: str) -> None:
        """Remove members and pending ids; if the leader leaves, any remaining member becomes leader."""
        for member_id in member_ids:
            self.members.pop(member_id, None)
            self.pending_join.discard(member_id)
            self.pending_sync.discard(member_id)
        if self.leader and self.leader not in self.members:
            self.leader = self.pick_leader(self.members)

    def pick_leader(self, candidates: Iterable[str]) -> str:
        """One of the candidates, or "" without any."""
        options = sorted(candidates)
        return self.effects.choices.pick(LEADER, options) if options else ""

    def pick_protocol(self) -> str:
        """The winner of the members' votes: the first name of each member's list that all support."""
        common = self.common_protocols() or set()
        votes = Counter(
            next(name for name, _ in member.protocols if name in common) for member in self.members.values()
        )
        most = max(votes.values())
        return self.effects.choices.pick(PROTOCOL, sorted(name for name in votes if votes[name] == most))

    def answer_join(self, member_id: str, reply: JoinGroupReply) -> None:
        """Answer the parked JoinGroup, if there is one."""
        member = self.members[member_id]
        if member.awaiting_join != NO_REQUEST:
            self.effects.reply(member.awaiting_join, reply)
            self.members[member_id] = member._replace(awaiting_join=NO_REQUEST)

    def answer_sync(self, member_id: str, reply: SyncGroupReply) -> bool:
        """Answer the parked SyncGroup; returns whether there was one."""
        member = self.members[member_id]
        if member.awaiting_sync == NO_REQUEST:
            return False
        self.effects.reply(member.awaiting_sync, reply)
        self.members[member_id] = member._replace(awaiting_sync=NO_REQUEST)
        return True

    def refresh_session(self, member_id: str) -> None:
        """Arm the session timer again."""
        self.effects.arm(requests.SESSION, member_id, self.members[member_id].session_timeout)


def metadata_of(member: ClassicMember, protocol: str) -> requests.Metadata:
    """The member's metadata for one protocol, which it must support."""
    return next(metadata for name, metadata in member.protocols if name == protocol)


def subscribed_topics(
    protocol_type: str, protocol: str, members: Iterable[ClassicMember]
) -> tuple[tuple[str, ...], ...]:
    """The subscribed topics of a consumer group, in a tuple; () if the coordinator cannot know them."""
    if protocol_type != requests.CONSUMER_TYPE:
        return ()
    topics: set[str] = set()
    for member in members:
        metadata = metadata_of(member, protocol)
        if not isinstance(metadata, requests.Subscription):
            return ()
        topics.update(metadata.topics)
    return (tuple(sorted(topics)),)
