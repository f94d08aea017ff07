"""A classic group while one step changes it, and how it rebalances.

`GroupBuilder` is the draft of the group: questions about it, and single changes. The rebalance of a
classic group: prepare, await JoinGroups, complete, send assignments. Source: `ClassicGroup`.
`GroupMetadataManager.prepareRebalance`, `completeClassicGroupJoin`, `maybeCompleteJoinPhase`,
`tryCompleteInitialRebalanceElseSchedule`, `expirePendingSync`, `propagateAssignment`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from kassay.model.protocols.coordinator.table import LEGAL
from kassay.model.protocols.table import IllegalTransition
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import LEADER, PROTOCOL, Effects
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
    ClassicMember,
    StoredAssignment,
)
from kassay.model.protocols.values.records import GROUP, GroupValue, LogRecord, StoredMember
from kassay.model.protocols.values.requests import (
    ANSWERED,
    NO_REQUEST,
    ZERO_BYTES,
    JoinGroupReply,
    Partitions,
    SyncGroupReply,
)


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
            if member.awaiting_join != ANSWERED:
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


class UnparsedSubscription(Exception):
    """Kafka's uncaught exception before 4.4, when a join phase ends with a subscription that is none."""


def _unparsed(group: GroupBuilder) -> bool:
    """Whether a member of a group of consumers has metadata that is no subscription."""
    of_consumers = group.protocol_type == requests.CONSUMER_TYPE
    return of_consumers and not subscribed_topics(group.protocol_type, group.protocol, group.members.values())


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


_WRITE_ERRORS: Final = {
    "UNKNOWN_TOPIC_OR_PARTITION": errors.COORDINATOR_NOT_AVAILABLE,
    "NOT_ENOUGH_REPLICAS": errors.COORDINATOR_NOT_AVAILABLE,
    "REQUEST_TIMED_OUT": errors.COORDINATOR_NOT_AVAILABLE,
    "NOT_LEADER_OR_FOLLOWER": errors.NOT_COORDINATOR,
    "KAFKA_STORAGE_ERROR": errors.NOT_COORDINATOR,
    "MESSAGE_TOO_LARGE": errors.UNKNOWN_SERVER_ERROR,
    "RECORD_LIST_TOO_LARGE": errors.UNKNOWN_SERVER_ERROR,
    "INVALID_FETCH_SIZE": errors.UNKNOWN_SERVER_ERROR,
}


def write_error(error: str) -> str:
    """The error that a client gets if a write failed with `error`."""
    return _WRITE_ERRORS.get(error, error)


def rebalance_or_complete(group: GroupBuilder) -> None:
    """Start a rebalance, or complete the one being prepared if no member is missing."""
    if group.state == PREPARING:
        complete_if_all_joined(group)
    else:
        prepare(group)


def prepare(group: GroupBuilder) -> None:
    """Require every member to join again.

    From Completing, drop the assignments and refuse parked SyncGroups; from Stable, keep them until the next
    ones arrive. From Empty, wait for more members.
    """
    effects = group.effects
    if group.state == COMPLETING:
        clear_assignments(group, errors.REBALANCE_IN_PROGRESS)
    group.pending_sync.clear()
    effects.disarm(requests.SYNC)
    if group.state == EMPTY:
        delay = effects.config.initial_rebalance_delay
        remaining = max(group.rebalance_timeout() - delay, 0)
        effects.arm(requests.JOIN, "", delay, requests.InitialDelay(delay, remaining))
        group.move_to(PREPARING)
        return
    group.move_to(PREPARING)
    if group.all_joined():
        complete(group)
    else:
        effects.arm(requests.JOIN, "", group.rebalance_timeout())


def complete_if_all_joined(group: GroupBuilder) -> None:
    """End the join phase if no member is missing; an initial rebalance still waits for its timer."""
    if group.state == PREPARING and not group.initial and group.all_joined():
        complete(group)


def complete(group: GroupBuilder) -> None:
    """End the join phase with the members that joined; without any, continue waiting.

    Dynamic members that did not join are removed, static ones stay. A leader that joined stays leader.
    """
    effects = group.effects
    effects.disarm(requests.JOIN)
    late = [
        m.member_id
        for m in group.members.values()
        if m.awaiting_join == NO_REQUEST and not m.group_instance_id
    ]
    for member_id in late:
        effects.disarm(requests.SESSION, member_id)
    joined = [m.member_id for m in group.members.values() if m.awaiting_join != NO_REQUEST]
    if joined and group.leader not in joined:
        group.leader = group.pick_leader(joined)
    group.remove(*late)
    if group.members and not joined:
        effects.arm(requests.JOIN, "", group.rebalance_timeout())
        return
    if not group.effects.has("generation_kept"):
        group.generation += 1
    group.protocol = group.pick_protocol() if group.members else ""
    if effects.has("unparsed_is_server_error") and _unparsed(group):
        raise UnparsedSubscription
    group.subscribed_topics = subscribed_topics(group.protocol_type, group.protocol, group.members.values())
    if group.state != PREPARING:
        # This join timer was armed for a group that no longer exists (see the table). Kafka's state check
        # stops it here, after some changes have already been made.
        return
    group.pending_sync.clear()
    if group.members:
        group.move_to(COMPLETING)
        _answer_joins(group)
    else:
        group.move_to(EMPTY)
        if effects.has("empty_forgets_generation"):
            group.generation = 0
        effects.persist((group.record({}),))


def _answer_joins(group: GroupBuilder) -> None:
    """Send every member the new generation, and await the SyncGroups."""
    for member_id in sorted(group.members):
        group.answer_join(member_id, join_reply(group, member_id))
        group.refresh_session(member_id)
        group.update(member_id, is_new=False)
        group.pending_sync.add(member_id)
    if not group.effects.has("no_sync_timer"):
        group.effects.arm(requests.SYNC, "", group.rebalance_timeout(), (group.generation,))


def join_reply(group: GroupBuilder, member_id: str) -> JoinGroupReply:
    """The reply to a member's JoinGroup in this generation; the leader's lists the members."""
    members = group.member_metadata() if group.leader == member_id else ()
    return JoinGroupReply(
        errors.NONE,
        member_id,
        group.generation,
        group.protocol_type,
        group.protocol,
        group.leader,
        False,
        members,
    )


def initial_delay_over(group: GroupBuilder, delay: int, remaining: int) -> None:
    """The initial delay is over: wait again if members joined meanwhile and time remains."""
    if not group.new_member_added or not remaining:
        complete(group)
        return
    group.new_member_added = False
    more = min(group.effects.config.initial_rebalance_delay, remaining)
    group.effects.arm(requests.JOIN, "", more, requests.InitialDelay(more, max(remaining - delay, 0)))


def sync_timeout(group: GroupBuilder, generation: int) -> None:
    """Members without a SyncGroup in time are removed, and the group rebalances."""
    if generation != group.generation or group.state not in (COMPLETING, STABLE) or not group.pending_sync:
        return
    late = sorted(group.pending_sync)
    for member_id in late:
        group.effects.disarm(requests.SESSION, member_id)
    group.remove(*late)
    prepare(group)


def assignment_stored(group: GroupBuilder, stored: StoredAssignment, error: str) -> None:
    """The leader's assignment is stored or failed: answer all members, unless the group changed meanwhile."""
    if group.state != COMPLETING or group.generation != stored.generation:
        return
    if error:
        clear_assignments(group, write_error(error))
        prepare(group)
        return
    given = dict(stored.assignment)
    for member_id in sorted(group.members):
        group.update(member_id, assignment=given.get(member_id, ZERO_BYTES))
    _propagate(group, errors.NONE)
    group.move_to(STABLE)


def clear_assignments(group: GroupBuilder, error: str) -> None:
    """Drop all assignments and refuse the parked SyncGroups."""
    for member_id in group.members:
        group.update(member_id, assignment=ZERO_BYTES)
    _propagate(group, error)


def _propagate(group: GroupBuilder, error: str) -> None:
    """Answer the parked SyncGroups and restart these sessions, whose expiry was ignored."""
    for member_id in sorted(group.members):
        if error == errors.NONE:
            assignment = group.members[member_id].assignment
            reply = SyncGroupReply(errors.NONE, group.protocol_type, group.protocol, assignment)
        else:
            reply = SyncGroupReply(error)
        if group.answer_sync(member_id, reply):
            group.refresh_session(member_id)
