"""SyncGroup, Heartbeat, LeaveGroup, OffsetCommit and session expiry in a classic group.

Source: `GroupMetadataManager.classicGroupSyncToClassicGroup`, `classicGroupHeartbeatToClassicGroup`,
`classicGroupLeaveToClassicGroup`, `expireClassicGroupMemberHeartbeat`, and
`ClassicGroup.validateOffsetCommit`.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.classic.group import GroupBuilder
from kassay.model.protocols.coordinator.classic.rebalance import complete, complete_if_all_joined, prepare
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE, StoredAssignment
from kassay.model.protocols.values.records import offset_records


def sync(group: GroupBuilder, request: requests.SyncGroup) -> None:
    """Handle SyncGroup: park a follower's; first store the assignment of the leader's."""
    error = _sync_error(group, request)
    if error != errors.NONE:
        group.effects.reply(request.correlation_id, requests.SyncGroupReply(error))
        return
    group.pending_sync.discard(request.member_id)
    if not group.pending_sync:
        group.effects.disarm(requests.SYNC)
    if group.state == STABLE:
        assignment = group.members[request.member_id].assignment
        reply = requests.SyncGroupReply(errors.NONE, group.protocol_type, group.protocol, assignment)
        group.effects.reply(request.correlation_id, reply)
        return
    group.update(request.member_id, awaiting_sync=request.correlation_id)
    if request.member_id == group.leader:
        given = dict.fromkeys(sorted(group.members), requests.ZERO_BYTES) | dict(request.assignments)
        then = StoredAssignment(group.generation, tuple(sorted(given.items())))
        group.effects.persist((group.record(given),), then)


def _sync_error(group: GroupBuilder, request: requests.SyncGroup) -> str:
    if group.state == EMPTY:
        return errors.UNKNOWN_MEMBER_ID
    error = group.identity_error(request.member_id, request.group_instance_id)
    if error != errors.NONE:
        return error
    if request.generation_id != group.generation:
        return errors.ILLEGAL_GENERATION
    if _differs(request.protocol_type, group.protocol_type) or _differs(request.protocol, group.protocol):
        return errors.INCONSISTENT_GROUP_PROTOCOL
    return errors.REBALANCE_IN_PROGRESS if group.state == PREPARING else errors.NONE


def _differs(asked: str, actual: str) -> bool:
    """Whether both are known and differ."""
    return bool(asked) and bool(actual) and asked != actual


def heartbeat(group: GroupBuilder, request: requests.Heartbeat) -> None:
    """Handle Heartbeat: the session is refreshed even if the answer is to rejoin."""
    error = group.identity_error(request.member_id, request.group_instance_id)
    if error == errors.NONE and request.generation_id != group.generation:
        error = errors.ILLEGAL_GENERATION
    if error != errors.NONE:
        group.effects.reply(request.correlation_id, requests.HeartbeatReply(error))
        return
    group.refresh_session(request.member_id)
    answer = errors.REBALANCE_IN_PROGRESS if group.state == PREPARING else errors.NONE
    group.effects.reply_when_durable(request.correlation_id, requests.HeartbeatReply(answer))


def leave(group: GroupBuilder, request: requests.LeaveGroup) -> None:
    """Handle LeaveGroup: known members and pending ids are removed, and the group rebalances."""
    answers: list[tuple[str, str, str]] = []
    only_pending = True
    for member_id, instance in request.members:
        leaver, error = _leaver(group, member_id, instance)
        answers.append((member_id, instance, error))
        if error != errors.NONE:
            continue
        group.effects.disarm(requests.SESSION, leaver)
        if leaver in group.members:
            only_pending = False
            group.answer_join(leaver, requests.JoinGroupReply(errors.UNKNOWN_MEMBER_ID, ""))
        group.remove(leaver)
    if any(error == errors.NONE for _, _, error in answers):
        if group.state in (STABLE, COMPLETING):
            prepare(group)
        elif not (only_pending and group.effects.has("pending_blocks_forever")):
            complete_if_all_joined(group)
    group.effects.reply_when_durable(
        request.correlation_id, requests.LeaveGroupReply(errors.NONE, tuple(answers))
    )


def _leaver(group: GroupBuilder, member_id: str, instance: str) -> tuple[str, str]:
    """The id of the member to remove, and the error; an instance id alone identifies its member."""
    if member_id == requests.UNKNOWN_MEMBER:
        known = group.static_id(instance) if instance else ""
        return known, errors.NONE if known else errors.UNKNOWN_MEMBER_ID
    if member_id in group.pending_join:
        return member_id, errors.NONE
    return member_id, group.identity_error(member_id, instance)


def commit(group: GroupBuilder, request: requests.OffsetCommit) -> None:
    """Handle OffsetCommit."""
    error = errors.NONE if group.effects.has("no_generation_fence") else _commit_error(group, request)
    if error != errors.NONE:
        group.effects.reply(request.correlation_id, requests.OffsetCommitReply(error))
        return
    if group.state in (STABLE, PREPARING) and request.member_id in group.members:
        group.refresh_session(request.member_id)
    group.effects.persist(offset_records(request.offsets))
    group.effects.reply_when_durable(request.correlation_id, requests.OffsetCommitReply(errors.NONE))


def _commit_error(group: GroupBuilder, request: requests.OffsetCommit) -> str:
    if request.generation_id < 0 and group.state == EMPTY:
        return errors.NONE
    if request.generation_id < 0 and not request.member_id and not request.group_instance_id:
        return errors.UNKNOWN_MEMBER_ID
    error = group.identity_error(request.member_id, request.group_instance_id)
    if error != errors.NONE:
        return error
    if request.generation_id != group.generation:
        return errors.ILLEGAL_GENERATION
    return errors.REBALANCE_IN_PROGRESS if group.state == COMPLETING else errors.NONE


def session_expired(group: GroupBuilder, member_id: str) -> None:
    """A session timer fired: remove a pending id or a silent member.

    A parked JoinGroup or SyncGroup keeps a member that is not new; its timer is not armed again before its
    next answer. Unlike LeaveGroup, an expiry in Preparing ignores the initial delay.
    """
    if member_id in group.pending_join:
        group.remove(member_id)
        if not group.effects.has("pending_blocks_forever"):
            _complete_at_once(group)
        return
    member = group.members.get(member_id)
    if member is None:
        return
    parked = member.awaiting_join != requests.NO_REQUEST or member.awaiting_sync != requests.NO_REQUEST
    if parked and (not member.is_new or group.effects.has("new_member_timer_once")):
        return
    group.answer_join(member_id, requests.JoinGroupReply(errors.UNKNOWN_MEMBER_ID, ""))
    group.remove(member_id)
    if group.state in (STABLE, COMPLETING):
        prepare(group)
    else:
        _complete_at_once(group)


def _complete_at_once(group: GroupBuilder) -> None:
    if group.state == PREPARING and group.all_joined():
        complete(group)
