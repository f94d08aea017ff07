"""The requests of members of a classic group: JoinGroup, SyncGroup, Heartbeat, LeaveGroup, OffsetCommit.

With them goes session expiry. Checks, in Kafka's order: a missing group that may not be created, a full
group, no common protocol, a pending id, the instance id, the member id. Source:
`GroupMetadataManager.classicGroupSyncToClassicGroup`, `classicGroupHeartbeatToClassicGroup`,
`classicGroupLeaveToClassicGroup`, `expireClassicGroupMemberHeartbeat`, and
`ClassicGroup.validateOffsetCommit`.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.classic.rebalance import (
    GroupBuilder,
    complete,
    complete_if_all_joined,
    join_reply,
    prepare,
    rebalance_or_complete,
    write_error,
)
from kassay.model.protocols.table import IllegalTransition
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicMember,
    ReplacedStatic,
    StoredAssignment,
)
from kassay.model.protocols.values.records import offset_records
from kassay.model.protocols.values.requests import NO_REQUEST, JoinGroup, JoinGroupReply, SyncGroupReply

KNOWN_MEMBER_ID_VERSION = 4
SKIP_ASSIGNMENT_VERSION = 9


def join(group: GroupBuilder, request: JoinGroup) -> None:
    """Handle JoinGroup."""
    if not _accepts(group, request.member_id):
        group.remove(request.member_id)
        _refuse(group, request, "", errors.GROUP_MAX_SIZE_REACHED)
    elif not group.supports(request.protocol_type, request.protocols):
        _refuse(group, request, request.member_id, errors.INCONSISTENT_GROUP_PROTOCOL)
    elif request.member_id == requests.UNKNOWN_MEMBER:
        _join_without_id(group, request)
    elif request.member_id in group.pending_join:
        if request.group_instance_id:
            # Kafka expects none here and throws: only a member without an instance id was ever pending.
            _refuse(group, request, "", errors.UNKNOWN_SERVER_ERROR)
        else:
            _add(group, request, request.member_id)
    else:
        error = group.identity_error(request.member_id, request.group_instance_id)
        if error == errors.NONE:
            _rejoin(group, request)
        else:
            _refuse(group, request, request.member_id, error)


def _refuse(group: GroupBuilder, request: JoinGroup, member_id: str, error: str) -> None:
    group.effects.reply(request.correlation_id, JoinGroupReply(error, member_id))


def _accepts(group: GroupBuilder, member_id: str) -> bool:
    """Whether there is room; in Preparing, only members that have joined count."""
    if group.state == EMPTY:
        return True
    size = group.effects.config.classic_max_size
    if group.state != PREPARING:
        return member_id in group.members or len(group.members) < size
    joined = [m.member_id for m in group.members.values() if m.awaiting_join != NO_REQUEST]
    return member_id in joined or len(joined) < size


def _join_without_id(group: GroupBuilder, request: JoinGroup) -> None:
    new_id = group.effects.choices.member_id(request.group_instance_id or request.client_id)
    known = group.static_id(request.group_instance_id) if request.group_instance_id else ""
    if known and group.effects.has("static_replace_stable_only") and group.state != STABLE:
        known = ""
    if known:
        _replace_static(group, request, known, new_id)
    elif request.group_instance_id or request.api_version < KNOWN_MEMBER_ID_VERSION:
        _add(group, request, new_id)
    else:
        group.pending_join.add(new_id)
        group.effects.arm(requests.SESSION, new_id, request.session_timeout)
        _refuse(group, request, new_id, errors.MEMBER_ID_REQUIRED)


def _add(group: GroupBuilder, request: JoinGroup, member_id: str) -> None:
    """Add a new member and park its JoinGroup, at most for the time that new members may wait."""
    member = ClassicMember(
        member_id,
        request.group_instance_id,
        request.client_id,
        request.session_timeout,
        request.rebalance_timeout,
        request.protocols,
        awaiting_join=request.correlation_id,
        is_new=True,
    )
    if group.initial:
        group.new_member_added = True
    group.add(member, request.protocol_type)
    group.effects.arm(requests.SESSION, member_id, group.effects.config.new_member_join_timeout)
    rebalance_or_complete(group)


def _rejoin(group: GroupBuilder, request: JoinGroup) -> None:
    """A known member joins again."""
    unchanged = group.members[request.member_id].protocols == request.protocols
    if (group.state == COMPLETING and unchanged) or (
        group.state == STABLE and unchanged and group.leader != request.member_id
    ):
        group.effects.reply(request.correlation_id, join_reply(group, request.member_id))
        return
    _park(group, request, request.member_id)
    rebalance_or_complete(group)


def _park(group: GroupBuilder, request: JoinGroup, member_id: str) -> None:
    """Apply the request to the member and leave it unanswered; drops a previously parked request."""
    group.update(
        member_id,
        protocols=request.protocols,
        rebalance_timeout=request.rebalance_timeout,
        session_timeout=request.session_timeout,
        awaiting_join=request.correlation_id,
    )


def _replace_static(group: GroupBuilder, request: JoinGroup, old_id: str, new_id: str) -> None:
    """A static member returned without its id: the new id replaces the old one."""
    old, old_leader = group.members[old_id], group.leader
    _swap_id(group, old_id, new_id)
    group.refresh_session(new_id)
    _park(group, request, new_id)
    if group.state == PREPARING:
        complete_if_all_joined(group)
    elif group.state == COMPLETING:
        selected = any(name == group.protocol for name, _ in request.protocols)
        if selected and group.effects.has("static_no_rebalance_in_completing"):
            group.answer_join(new_id, join_reply(group, new_id))
        else:
            prepare(group)
    elif group.state == STABLE:
        if group.pick_protocol() == group.protocol:
            then = ReplacedStatic(
                request.correlation_id,
                request.group_instance_id,
                old_id,
                new_id,
                old.protocols,
                old.session_timeout,
                old.rebalance_timeout,
                old_leader,
                request.api_version,
            )
            given = {member.member_id: member.assignment for member in group.members.values()}
            group.effects.persist((group.record(given),), then)
        else:
            prepare(group)
    else:
        raise IllegalTransition(group.state, f"static member {request.group_instance_id} comes back")


def _swap_id(group: GroupBuilder, old_id: str, new_id: str) -> None:
    """Give a static member another id; requests with the old id are fenced."""
    group.answer_join(old_id, JoinGroupReply(errors.FENCED_INSTANCE_ID, old_id))
    group.answer_sync(old_id, SyncGroupReply(errors.FENCED_INSTANCE_ID))
    group.members[new_id] = group.members.pop(old_id)._replace(member_id=new_id, is_new=False)
    if group.leader == old_id:
        group.leader = new_id


def static_stored(group: GroupBuilder, stored: ReplacedStatic, error: str) -> None:
    """The replaced static member is stored: answer it. If the write failed: restore the old id."""
    new_id = stored.new_member
    if new_id not in group.members:
        return
    if error:
        group.update(
            new_id,
            protocols=stored.old_protocols,
            session_timeout=stored.old_session_timeout,
            rebalance_timeout=stored.old_rebalance_timeout,
            awaiting_join=NO_REQUEST,
        )
        _swap_id(group, new_id, stored.old_member)
        group.refresh_session(stored.old_member)
        reply = join_reply(group, "")._replace(leader=stored.old_leader, error=write_error(error))
        group.effects.reply(stored.correlation_id, reply)
        return
    as_leader = group.leader == new_id and stored.api_version >= SKIP_ASSIGNMENT_VERSION
    if as_leader and group.state == PREPARING:
        # A rebalance began meanwhile, during which members may not be reported: the request stays parked.
        return
    reply = join_reply(group, new_id if as_leader else "")._replace(member_id=new_id)
    if stored.api_version < SKIP_ASSIGNMENT_VERSION:
        reply = reply._replace(leader=stored.old_leader)
    elif as_leader and not group.effects.has("static_leader_recompute"):
        reply = reply._replace(skip_assignment=True)
    group.answer_join(new_id, reply)


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


def _differs(required: str, actual: str) -> bool:
    """Whether both are known and differ."""
    return bool(required) and bool(actual) and required != actual


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
