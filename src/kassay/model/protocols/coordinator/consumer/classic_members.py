"""Members of the classic protocol in a consumer group: JoinGroup, SyncGroup, Heartbeat, LeaveGroup.

Source: `GroupMetadataManager.classicGroupJoinToConsumerGroup`, `classicGroupSyncToConsumerGroup`,
`classicGroupHeartbeatToConsumerGroup`, `classicGroupLeaveToConsumerGroup`.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.classic.join import KNOWN_MEMBER_ID_VERSION
from kassay.model.protocols.coordinator.consumer.group import (
    find,
    find_static,
    held,
    remembering,
    replay,
    target_of,
)
from kassay.model.protocols.coordinator.consumer.heartbeat import (
    Refused,
    Updated,
    check_room,
    check_static,
    named,
    remove_members,
    replace_static,
    update_member,
)
from kassay.model.protocols.coordinator.consumer.migration import (
    downgrade,
    fence,
    may_replace,
    to_ids,
    to_names,
)
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import (
    UNRELEASED,
    UNREVOKED,
    ConsumerGroup,
    ConsumerMember,
    Group,
    JoinedConsumerGroup,
    SyncedConsumerGroup,
)
from kassay.model.protocols.values.records import ClassicMetadata, LogRecord


def join(effects: Effects, group: ConsumerGroup, request: requests.JoinGroup) -> Group:
    """Handle JoinGroup: returns the group. Raises `Refused`."""
    config = effects.config
    if not config.upgrade and not config.downgrade and not effects.has("disabled_lets_classic_in"):
        raise Refused(errors.INCONSISTENT_GROUP_PROTOCOL)
    member_id = request.member_id or effects.choices.member_id("")
    check_room(effects, group, member_id, request.group_instance_id)
    if not _supports(group, request):
        raise Refused(errors.INCONSISTENT_GROUP_PROTOCOL)
    dynamic = not request.member_id and not request.group_instance_id
    if dynamic and request.api_version >= KNOWN_MEMBER_ID_VERSION:
        effects.reply(request.correlation_id, requests.JoinGroupReply(errors.MEMBER_ID_REQUIRED, member_id))
        return group
    member, records = _subscribe(group, request, member_id)
    subscription = request.protocols[0][1]
    if not isinstance(subscription, requests.Subscription):
        unparsed_is_ours = effects.has("unparsed_is_server_error")
        raise Refused(errors.UNKNOWN_SERVER_ERROR if unparsed_is_ours else errors.INCONSISTENT_GROUP_PROTOCOL)
    wanted = member._replace(
        group_instance_id=request.group_instance_id or member.group_instance_id,
        client_id=request.client_id,
        rebalance_timeout=request.rebalance_timeout,
        subscribed=tuple(sorted(set(subscription.topics))),
        classic=(ClassicMetadata(request.session_timeout, request.protocols),),
        regex="",
    )
    owned = to_ids(effects.image, subscription.owned)
    down = may_replace(effects, group, request.group_instance_id)
    keeps_target = down and not effects.has("static_downgrade_never_rebalances")
    updated = update_member(effects, group, member, wanted, owned, keeps_target=keeps_target)
    return _store(effects, group, request, updated, records + updated.records, down=down)


def _supports(group: ConsumerGroup, request: requests.JoinGroup) -> bool:
    """Whether all classic members support one of the names; without classic members, any will do."""
    known = [
        {name for name, _ in metadata.protocols} for member in group.members for metadata in member.classic
    ]
    names = [name for name, _ in request.protocols]
    return request.protocol_type == requests.CONSUMER_TYPE and any(
        all(name in k for k in known) for name in names
    )


def _subscribe(
    group: ConsumerGroup, request: requests.JoinGroup, member_id: str
) -> tuple[ConsumerMember, tuple[LogRecord, ...]]:
    """The joining member: known, new (under any id that it brings), or in place of a static one."""
    if not request.group_instance_id:
        return find(group, member_id) or ConsumerMember(member_id), ()
    known = find_static(group, request.group_instance_id)
    if request.member_id:
        return check_static(known, member_id), ()
    if known is None:
        return ConsumerMember(member_id), ()
    return replace_static(group, known, member_id)


def _store(
    effects: Effects,
    group: ConsumerGroup,
    request: requests.JoinGroup,
    updated: Updated,
    records: tuple[LogRecord, ...],
    *,
    down: bool,
) -> Group:
    """Append; downgrade if the new member replaces the last one of the consumer protocol."""
    member = updated.member
    reply = requests.JoinGroupReply(
        errors.NONE, member.member_id, member.epoch, requests.CONSUMER_TYPE, request.protocols[0][0]
    )
    group = remembering(effects, group)
    after: Group
    if down:
        after, more = downgrade(effects, group, (), member, rebalance=updated.stale)
        records += more
    else:
        after = replay(group, records)
    then = JoinedConsumerGroup(
        request.correlation_id, reply, request.session_timeout, request.rebalance_timeout, down
    )
    effects.persist(records, then, (group,))
    return after


def joined(effects: Effects, then: JoinedConsumerGroup) -> None:
    """The join is stored: answer it, and await the member's SyncGroup."""
    member_id = then.reply.member_id
    effects.disarm(requests.CLASSIC_JOIN, member_id)
    if not then.downgraded:
        effects.arm(requests.CONSUMER_SESSION, member_id, then.session_timeout)
        effects.arm(requests.CLASSIC_SYNC, member_id, then.rebalance_timeout)
    effects.reply(then.correlation_id, then.reply)


def sync(effects: Effects, group: ConsumerGroup, request: requests.SyncGroup) -> None:
    """Handle SyncGroup: send the current assignment. Raises `Refused`."""
    member = _classic_member(group, request.member_id, request.group_instance_id)
    _check_generation(member, request.generation_id)
    metadata = member.classic[0]
    if request.protocol_type not in ("", requests.CONSUMER_TYPE) or request.protocol not in (
        "",
        metadata.protocols[0][0],
    ):
        raise Refused(errors.INCONSISTENT_GROUP_PROTOCOL)
    if _wanted_epoch(effects, group) > member.epoch and member.state != UNREVOKED:
        effects.arm_if_absent(requests.CLASSIC_JOIN, member.member_id, member.rebalance_timeout)
        raise Refused(errors.REBALANCE_IN_PROGRESS)
    assignment = to_names(effects.image, member.assigned)
    then = SyncedConsumerGroup(
        request.correlation_id,
        member.member_id,
        metadata.session_timeout,
        request.protocol_type,
        request.protocol,
        assignment,
    )
    effects.persist((), then)


def synced(effects: Effects, then: SyncedConsumerGroup) -> None:
    """Answer the SyncGroup, and await heartbeats."""
    effects.disarm(requests.CLASSIC_SYNC, then.member_id)
    effects.arm(requests.CONSUMER_SESSION, then.member_id, then.session_timeout)
    effects.reply(
        then.correlation_id,
        requests.SyncGroupReply(errors.NONE, then.protocol_type, then.protocol, then.assignment),
    )


def heartbeat(effects: Effects, group: ConsumerGroup, request: requests.Heartbeat) -> None:
    """Handle Heartbeat: whether the member should join again. Raises `Refused`.

    It should if its target is newer, if it has to revoke partitions, or if all partitions that it waits for
    are free.
    """
    member = _classic_member(group, request.member_id, request.group_instance_id)
    _check_generation(member, request.generation_id)
    effects.arm(requests.CONSUMER_SESSION, member.member_id, member.classic[0].session_timeout)
    released = member.state == UNRELEASED and not _waits(group, member)
    error = errors.NONE
    if member.epoch < _wanted_epoch(effects, group) or member.state == UNREVOKED or released:
        error = errors.REBALANCE_IN_PROGRESS
        effects.arm_if_absent(requests.CLASSIC_JOIN, member.member_id, member.rebalance_timeout)
    effects.reply_when_durable(request.correlation_id, requests.HeartbeatReply(error))


def _wanted_epoch(effects: Effects, group: ConsumerGroup) -> int:
    """The epoch that makes a classic member with a lower one join again."""
    return group.epoch if effects.has("classic_follows_group_epoch") else group.target_epoch


def _waits(group: ConsumerGroup, member: ConsumerMember) -> bool:
    """Whether some partition of the member's target is neither its own yet nor free."""
    taken = held(group)
    return any(tp in taken for tp in target_of(group, member.member_id) if tp not in member.assigned)


def _classic_member(group: ConsumerGroup, member_id: str, instance: str) -> ConsumerMember:
    """The classic member that a request names; raises `Refused`."""
    member = named(group, member_id, instance)
    if not member.classic:
        raise Refused(errors.UNKNOWN_MEMBER_ID)
    return member


def _check_generation(member: ConsumerMember, generation: int) -> None:
    if member.epoch != generation:
        raise Refused(errors.ILLEGAL_GENERATION)


def leave(effects: Effects, group: ConsumerGroup, request: requests.LeaveGroup) -> Group:
    """Handle LeaveGroup: the group without the named members, of either protocol."""
    classic_alone = effects.has("leave_of_classic_alone")
    answers: list[tuple[str, str, str]] = []
    leaving: list[ConsumerMember] = []
    for member_id, instance in request.members:
        known = find_static(group, instance)
        anybody = known.member_id if instance and not member_id and known else member_id
        try:
            member = (_classic_member if classic_alone else named)(group, anybody, instance)
        except Refused as refusal:
            answers.append((member_id, instance, refusal.error))
        else:
            answers.append((member.member_id if classic_alone else member_id, instance, errors.NONE))
            leaving.append(member)
    after: Group = group
    gone = tuple(dict.fromkeys(leaving))
    if gone and effects.has("leave_never_downgrades"):
        records = remove_members(effects, group, list(gone))
        effects.persist(records, undo=(group,))
        after = replay(group, records)
    elif gone:
        after = fence(effects, group, gone)
    effects.reply_when_durable(request.correlation_id, requests.LeaveGroupReply(errors.NONE, tuple(answers)))
    return after
