"""The classic coordinator: dispatches events and checks the results against its table."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from kassay.model.protocols.coordinator import table
from kassay.model.protocols.coordinator.classic import membership, rebalance
from kassay.model.protocols.coordinator.classic.membership import join, static_stored
from kassay.model.protocols.coordinator.classic.rebalance import GroupBuilder, subscribed_topics
from kassay.model.protocols.table import IGNORE, IllegalTransition, check_move, look_up
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import (
    EMPTY,
    PREPARING,
    STABLE,
    ClassicGroup,
    ClassicMember,
    CreatedGroup,
    Group,
    Persisted,
    ReplacedStatic,
    StoredAssignment,
)
from kassay.model.protocols.values.marks import RequestId
from kassay.model.protocols.values.records import GROUP, GroupValue, LogRecord, offset_records

OWN_ERROR_VERSION: Final = 9
"""Since this version OffsetCommit may answer GROUP_ID_NOT_FOUND."""

TIMERS: Final = {
    requests.SESSION: table.SESSION_TIMER,
    requests.JOIN: table.JOIN_TIMER,
    requests.SYNC: table.SYNC_TIMER,
}


_HANDLERS: Final[dict[type[requests.Request], tuple[str, Callable[[GroupBuilder, Any], None]]]] = {
    requests.JoinGroup: (table.JOIN_GROUP, join),
    requests.SyncGroup: (table.SYNC_GROUP, membership.sync),
    requests.Heartbeat: (table.HEARTBEAT, membership.heartbeat),
    requests.LeaveGroup: (table.LEAVE_GROUP, membership.leave),
    requests.OffsetCommit: (table.OFFSET_COMMIT, membership.commit),
}


def handle_request(effects: Effects, group: ClassicGroup, request: requests.Request) -> ClassicGroup:
    """The group after a request; raises `IllegalTransition` if its table does not allow that."""
    if type(request) not in _HANDLERS:
        raise IllegalTransition(group.state, type(request).__name__)
    name, handle = _HANDLERS[type(request)]
    draft = GroupBuilder(effects, group)
    try:
        handle(draft, request)
    except rebalance.UnparsedSubscription:
        _fail(draft, request)
    check_move(table.CLASSIC_GROUP, group.state, name, draft.state)
    return draft.freeze()


def _fail(draft: GroupBuilder, request: requests.Request) -> None:
    """Answer a request that an exception ended; what it changed in memory stays, a parked JoinGroup too."""
    error = errors.UNKNOWN_SERVER_ERROR
    draft.effects.reply(request.correlation_id, requests.error_reply(request, error))
    for member in list(draft.members.values()):
        if member.awaiting_join == request.correlation_id:
            draft.update(member.member_id, awaiting_join=requests.ANSWERED)


def handle_without_group(effects: Effects, request: requests.Request) -> Group:
    """The group after a request to a missing group.

    JoinGroup without a member id creates the group, as does an OffsetCommit without a generation (from
    consumers that assign themselves).
    """
    if isinstance(request, requests.JoinGroup):
        return create_by_join(effects, request)
    if isinstance(request, requests.SyncGroup | requests.Heartbeat):
        effects.reply(request.correlation_id, requests.error_reply(request, errors.UNKNOWN_MEMBER_ID))
    elif isinstance(request, requests.LeaveGroup):
        refuse_leave(effects, request)
    elif isinstance(request, requests.OffsetCommit):
        return _create_by_commit(effects, request)
    else:
        raise IllegalTransition(table.NO_GROUP, type(request).__name__)
    return None


def refuse_leave(effects: Effects, request: requests.LeaveGroup) -> None:
    """Answer a LeaveGroup to a group without members of the classic protocol: each one is unknown."""
    unknown = tuple((member, instance, errors.UNKNOWN_MEMBER_ID) for member, instance in request.members)
    effects.reply(request.correlation_id, requests.LeaveGroupReply(errors.NONE, unknown))


def create_by_join(
    effects: Effects, request: requests.JoinGroup, before: Group = None, former: tuple[LogRecord, ...] = ()
) -> Group:
    """A JoinGroup to a missing group, or to a group `before` to replace: `former` are its tombstones."""
    if request.member_id != requests.UNKNOWN_MEMBER:
        effects.reply(
            request.correlation_id, requests.JoinGroupReply(errors.UNKNOWN_MEMBER_ID, request.member_id)
        )
        effects.remove_unwritten(before)
        return None
    draft = GroupBuilder(effects, ClassicGroup())
    join(draft, request)
    check_move(table.CLASSIC_GROUP, table.NO_GROUP, table.JOIN_GROUP, draft.state)
    records = (*former, LogRecord((GROUP, ""), GroupValue(0, "", "", "")))
    effects.persist(records, CreatedGroup(request.correlation_id), (before,))
    return draft.freeze()


def _create_by_commit(effects: Effects, request: requests.OffsetCommit) -> Group:
    if request.generation_id >= 0:
        error = (
            errors.GROUP_ID_NOT_FOUND
            if request.api_version >= OWN_ERROR_VERSION
            else errors.ILLEGAL_GENERATION
        )
        effects.reply(request.correlation_id, requests.OffsetCommitReply(error))
        return None
    check_move(table.CLASSIC_GROUP, table.NO_GROUP, table.OFFSET_COMMIT, EMPTY)
    effects.persist(offset_records(request.offsets), undo=(None,))
    effects.reply_when_durable(request.correlation_id, requests.OffsetCommitReply(errors.NONE))
    return ClassicGroup()


def handle_timer(effects: Effects, group: ClassicGroup, fired: requests.TimerFired) -> ClassicGroup:
    """The group after one of its timers fired."""
    kind, member_id = fired.timer
    name = TIMERS[kind]
    if look_up(table.CLASSIC_GROUP, group.state, name) is IGNORE:
        return group
    draft = GroupBuilder(effects, group)
    with suppress(rebalance.UnparsedSubscription):
        if name == table.SESSION_TIMER:
            membership.session_expired(draft, member_id)
        elif name == table.SYNC_TIMER:
            rebalance.sync_timeout(draft, *fired.payload)
        elif isinstance(fired.payload, requests.InitialDelay):
            rebalance.initial_delay_over(draft, *fired.payload)
        else:
            rebalance.complete(draft)
    check_move(table.CLASSIC_GROUP, group.state, name, draft.state)
    return draft.freeze()


def handle_stored(effects: Effects, group: Group, stored: Persisted) -> Group:
    """The group after an awaited write, which may have failed."""
    then, error = stored.then, stored.error
    if then is None or not isinstance(group, ClassicGroup):
        return stored.undo[0] if error and stored.undo else group
    if isinstance(then, CreatedGroup):
        return _creation_stored(effects, group, then, stored)
    name = table.ASSIGNMENT_STORED if isinstance(then, StoredAssignment) else table.STATIC_STORED
    if look_up(table.CLASSIC_GROUP, group.state, name) is IGNORE:
        return group
    draft = GroupBuilder(effects, group)
    if isinstance(then, StoredAssignment):
        rebalance.assignment_stored(draft, then, error)
    elif isinstance(then, ReplacedStatic):
        static_stored(draft, then, error)
    check_move(table.CLASSIC_GROUP, group.state, name, draft.state)
    return draft.freeze()


def _creation_stored(effects: Effects, group: ClassicGroup, then: CreatedGroup, stored: Persisted) -> Group:
    """A failed write ends the new group; its first member gets the error, if it has no answer yet."""
    if not stored.error:
        return group
    check_move(table.CLASSIC_GROUP, group.state, table.GROUP_STORED, table.NO_GROUP)
    draft = GroupBuilder(effects, group)
    refusal = requests.JoinGroupReply(rebalance.write_error(stored.error), "")
    for member in group.members:
        if member.awaiting_join == then.correlation_id:
            draft.answer_join(member.member_id, refusal)
    return stored.undo[0]


def unload(effects: Effects, group: ClassicGroup, behind: frozenset[RequestId]) -> None:
    """Answer all parked requests: this broker is no longer the coordinator.

    A JoinGroup that waits in Stable (a static member's that is not stored yet) gets no answer. Those of
    `behind` are answered already.
    """
    draft = GroupBuilder(effects, group)
    for member_id in sorted(draft.members):
        member = draft.members[member_id]
        if member.awaiting_join in behind or member.awaiting_sync in behind:
            continue
        if group.state == PREPARING:
            draft.answer_join(member_id, requests.JoinGroupReply(errors.NOT_COORDINATOR, member_id))
        else:
            draft.answer_sync(member_id, requests.SyncGroupReply(errors.NOT_COORDINATOR))


def load(effects: Effects, value: GroupValue) -> ClassicGroup:
    """The group from its last record: Stable or Empty, with restarted sessions.

    Each member has only the metadata of the selected protocol; pending ids, parked requests and a generation
    whose assignment was not stored are lost.
    """
    members = tuple(
        ClassicMember(
            stored.member_id,
            stored.group_instance_id,
            stored.client_id,
            stored.session_timeout,
            stored.rebalance_timeout,
            ((value.protocol, stored.metadata),),
            assignment=stored.assignment,
        )
        for stored in value.members
    )
    group = ClassicGroup(
        STABLE if members else EMPTY,
        value.generation,
        value.protocol_type,
        value.protocol,
        value.leader,
        members,
        subscribed_topics=subscribed_topics(value.protocol_type, value.protocol, members),
    )
    draft = GroupBuilder(effects, group)
    for member_id in draft.members:
        draft.refresh_session(member_id)
    if len(members) > effects.config.classic_max_size:
        rebalance.prepare(draft)
    return draft.freeze()
