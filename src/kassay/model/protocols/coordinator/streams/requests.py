"""The Streams part of the coordinator: dispatches events and checks results against its table.

The faults of Streams groups that can be turned on in the coordinator (`Config.switches`). Source:
`GroupMetadataManager.streamsGroupHeartbeat`, `streamsGroupLeave`, `streamsGroupFenceMember`, `onLoaded`;
`StreamsGroup.validateOffsetCommit`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.model.protocols.coordinator import table
from kassay.model.protocols.coordinator.classic.requests import create_by_join, refuse_leave
from kassay.model.protocols.coordinator.consumer.group import Refused
from kassay.model.protocols.coordinator.consumer.heartbeat import check_request
from kassay.model.protocols.coordinator.streams import checks, targets
from kassay.model.protocols.coordinator.streams.group import (
    current_record,
    epoch_record,
    find,
    group_state,
    group_tombstones,
    removal_records,
    replaceable,
    replay,
    taken_back,
    target_epoch_record,
    written,
)
from kassay.model.protocols.coordinator.streams.heartbeat import HeartbeatAttempt
from kassay.model.protocols.table import check_move
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import ClassicGroup, Group
from kassay.model.protocols.values.records import Log, LogRecord
from kassay.model.protocols.values.streams import (
    INITIAL_REBALANCE,
    NONE_HELD,
    STREAMS_SESSION,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
)
from kassay.model.protocols.values.streams_groups import (
    UNREVOKED_TASKS,
    StreamsTaskGroup,
    StreamsTaskMember,
)

STREAMS_SWITCHES: Final[Mapping[str, str]] = {
    "streams_acknowledgement_lost": "a member's revocation is ignored once the target moved on",
    "streams_commit_unfenced": "OffsetCommit checks nothing",
    "streams_delay_without_end": "after the initial rebalance delay, no target is computed",
    "streams_demotion_not_awaited": "an active task that becomes a copy counts as free at once",
    "streams_endpoints_kept": "the endpoint epoch does not rise when tasks move",
    "streams_epoch_not_bumped": "a member that leaves does not advance the group epoch",
    "streams_ignore_unreleased": "an active task is assigned while another member still has it",
    "streams_process_ignored": "tasks of other threads of the process are ignored",
    "streams_refined_kept": "members move towards a target cached for an older epoch",
    "streams_refined_not_relabelled": "a static member's intermediate target does not pass to its new id",
    "streams_revocation_not_awaited": "tasks that a member must revoke count as free at once",
    "streams_revoked_at_epoch": "revoking tasks does not add 1 to the member epoch",
    "streams_simple_group_kept": "a group with offsets only is not replaced by its records",
    "streams_sessions_not_restored": "a new coordinator watches no session",
    "streams_silence_revokes": "a heartbeat without tasks counts as one that reports none",
    "streams_static_epochs_kept": "a static member that leaves temporarily keeps the epochs of its tasks",
    "streams_static_target_lost": "the target of a static member does not pass to its new id",
    "streams_topics_unwatched": "a change of the topics is ignored",
    "streams_topology_ignored": "a member may join with a topology other than the group's",
}
"""A short description of each."""


def _checked(before: StreamsTaskGroup, event: str, after: Group) -> Group:
    """The group after an event, checked against the table."""
    if isinstance(after, StreamsTaskGroup):
        state = group_state(after)
    else:
        state = table.CLASSIC if isinstance(after, ClassicGroup) else table.NO_GROUP
    check_move(table.STREAMS_GROUP, group_state(before), event, state)
    return after


def _without_member(effects: Effects, before: StreamsTaskGroup, event: str, after: StreamsTaskGroup) -> Group:
    """The group after a member left, checked against the table.

    The switch streams_epoch_not_bumped violates the table: then the group seems stable at once.
    """
    return after if effects.has("streams_epoch_not_bumped") else _checked(before, event, after)


def handle_heartbeat(effects: Effects, group: Group, request: StreamsHeartbeat) -> Group:
    """The group after StreamsGroupHeartbeat to a group of any kind. Raises `Refused`.

    A refused request may still have changed in-memory state: then it is answered here.
    """
    checks.check_request(request)
    if request.member_epoch < requests.JOIN_EPOCH:
        if not isinstance(group, StreamsTaskGroup):
            raise Refused(errors.GROUP_ID_NOT_FOUND)
        return _without_member(effects, group, table.STREAMS_LEAVE, _leave(effects, group, request))
    joins_anew = request.member_epoch == requests.JOIN_EPOCH and replaceable(group)
    if not isinstance(group, StreamsTaskGroup) and not joins_anew:
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    attempt = HeartbeatAttempt(effects, group, request)
    try:
        reply = attempt.answer()
    except Refused as refusal:
        effects.reply(request.correlation_id, StreamsHeartbeatReply(refusal.error))
        return attempt.group if isinstance(group, StreamsTaskGroup) else group
    after = _taken(effects, group, attempt)
    effects.reply_when_durable(request.correlation_id, reply)
    return _checked(attempt.group, table.STREAMS_HEARTBEAT, after)


def _taken(effects: Effects, before: Group, attempt: HeartbeatAttempt) -> Group:
    """Append the records of a heartbeat. Of a failed new group, only timers and records remain."""
    if isinstance(before, StreamsTaskGroup):
        return _write(effects, before, attempt.group, tuple(attempt.records))
    former = () if before is None else (LogRecord((r.GROUP, ""), None),)
    records = (*former, *attempt.records)
    after = replay(None, records)
    effects.persist(records, undo=(before,))
    return after if after is None else after._replace(delayed=attempt.group.delayed)


def _write(
    effects: Effects, before: StreamsTaskGroup, group: StreamsTaskGroup, records: tuple[LogRecord, ...]
) -> StreamsTaskGroup:
    """Append records, if any, and replay them; `group` is `before` with its current in-memory state."""
    if not records:
        return group
    after = replay(group, records)
    assert after is not None, "records of its members do not end a group"
    effects.persist(records, undo=(taken_back(before, after),))
    return written(after)


def _leave(effects: Effects, group: StreamsTaskGroup, request: StreamsHeartbeat) -> StreamsTaskGroup:
    """The group without the member, or with its place kept.

    Even an unknown member can request a shutdown.
    """
    before = group
    if request.shutdown and not group.shutdown_by:
        group = group._replace(shutdown_by=request.member_id)
    try:
        member = checks.named(group, request)
    except Refused as refusal:
        effects.reply(request.correlation_id, StreamsHeartbeatReply(refusal.error))
        return group
    if request.member_epoch == requests.STATIC_LEAVE_EPOCH:
        after = _write(effects, before, group, (_away(effects, member),))
    else:
        after = _fence(effects, before, group, member)
    reply = StreamsHeartbeatReply(errors.NONE, request.member_id, request.member_epoch)
    effects.reply_when_durable(request.correlation_id, reply)
    return after


def _away(effects: Effects, member: StreamsTaskMember) -> LogRecord:
    """A static member leaves temporarily: it keeps tasks and target, and its timers keep running."""
    assigned = member.assigned
    if not effects.has("streams_static_epochs_kept"):
        assigned = assigned._replace(epochs=(0,) * len(assigned.epochs))
    away = member._replace(epoch=requests.STATIC_LEAVE_EPOCH, pending=NONE_HELD, assigned=assigned)
    return current_record(away)


def _fence(
    effects: Effects, before: StreamsTaskGroup, group: StreamsTaskGroup, member: StreamsTaskMember
) -> StreamsTaskGroup:
    """The group without a member: its tasks become free, the group epoch increases, its timers stop."""
    epoch = group.epoch + (not effects.has("streams_epoch_not_bumped"))
    records = (*removal_records(member.member_id), epoch_record(group, epoch))
    if len(group.members) == 1:
        records += (target_epoch_record(epoch),)
    for kind in (STREAMS_SESSION, requests.REVOCATION):
        effects.disarm(kind, member.member_id)
    return _write(effects, before, group, records)


def handle_other_request(effects: Effects, group: StreamsTaskGroup, request: requests.Request) -> Group:
    """The group after a request that is not a Streams heartbeat. Raises `Refused`."""
    if isinstance(request, requests.OffsetCommit):
        return _checked(group, table.OFFSET_COMMIT, _commit(effects, group, request))
    if isinstance(request, requests.ConsumerHeartbeat):
        check_request(effects, request)
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    if isinstance(request, requests.LeaveGroup):
        refuse_leave(effects, request)
        return group
    if not isinstance(request, requests.JoinGroup):
        raise Refused(errors.UNKNOWN_MEMBER_ID)
    if group.members:
        raise Refused(errors.INCONSISTENT_GROUP_PROTOCOL)
    effects.disarm(INITIAL_REBALANCE)
    # A failed write brings the group back as the last append left it.
    former = taken_back(group, group._replace(delayed=False))
    after = create_by_join(effects, request, former, group_tombstones())
    return _checked(group, table.JOIN_GROUP, after)


def _commit(effects: Effects, group: StreamsTaskGroup, request: requests.OffsetCommit) -> StreamsTaskGroup:
    checks.check_commit(effects, group, request)
    effects.persist(r.offset_records(request.offsets), undo=(taken_back(group, group),))
    effects.reply_when_durable(request.correlation_id, requests.OffsetCommitReply(errors.NONE))
    return written(group)


def handle_timer(effects: Effects, group: StreamsTaskGroup, fired: requests.TimerFired) -> Group:
    """The group after a timer of one of its members, or the end of the initial rebalance delay."""
    if fired.timer.kind == INITIAL_REBALANCE:
        if effects.has("streams_delay_without_end"):
            return group
        group = group._replace(delayed=False)
        after = _write(effects, group, group, targets.delay_over(effects, group))
        return _checked(group, table.DELAY_TIMER, after)
    member = find(group, fired.timer.member_id)
    late = fired.timer.kind == requests.REVOCATION and member and fired.payload != (member.epoch,)
    if member is None or late:
        return group
    return _without_member(effects, group, table.MEMBER_TIMER, _fence(effects, group, group, member))


def undone(group: StreamsTaskGroup, undo: tuple[Group, ...]) -> Group:
    """The group after a failed write."""
    return _checked(group, table.WRITE_FAILED, undo[0] if undo else group)


def load(effects: Effects, log: Log) -> Group:
    """The group in the records; all sessions and revocation timers restart."""
    group = replay(None, log)
    return None if group is None else resume(effects, group)


def resume(effects: Effects, group: StreamsTaskGroup) -> StreamsTaskGroup:
    """The group as loaded by a new coordinator, with its timers."""
    for member in () if effects.has("streams_sessions_not_restored") else group.members:
        effects.arm(STREAMS_SESSION, member.member_id, effects.config.streams.session_timeout)
        if member.state == UNREVOKED_TASKS:
            effects.arm(requests.REVOCATION, member.member_id, member.rebalance_timeout, (member.epoch,))
    return group
