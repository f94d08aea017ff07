"""JoinGroup requests to a classic group.

Checks, in Kafka's order: a missing group that may not be created, a full group, no common protocol, a pending
id, the instance id, the member id. Source: `GroupMetadataManager.classicGroupJoinToClassicGroup` and its
callees.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.classic.group import GroupBuilder
from kassay.model.protocols.coordinator.classic.rebalance import (
    complete_if_all_joined,
    join_reply,
    prepare,
    rebalance_or_complete,
    write_error,
)
from kassay.model.protocols.shared.table import IllegalTransition
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    EMPTY,
    PREPARING,
    STABLE,
    ClassicMember,
    ReplacedStatic,
)
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
