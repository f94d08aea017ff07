"""Online migration between the classic and the consumer protocol, and classic members of consumer groups.

A consumer heartbeat that joins a classic group converts it, if the policy allows upgrades; if only
classic members are left, the group is converted back, if the policy allows downgrades. In between,
classic members of a consumer group are reconciled like the others: their generation is the member epoch,
and JoinGroup and SyncGroup replace the heartbeats. Source: `GroupMetadataManager`
(validateOnlineUpgrade, convertToConsumerGroup, convertToClassicGroup, classicGroup*ToConsumerGroup),
`ConsumerGroup.fromClassicGroup`, `ClassicGroup.fromConsumerGroup`.
"""

from __future__ import annotations

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.classic.membership import KNOWN_MEMBER_ID_VERSION
from kassay.model.protocols.coordinator.classic.rebalance import GroupBuilder, prepare, subscribed_topics
from kassay.model.protocols.coordinator.consumer.group import (
    Refused,
    all_records,
    find,
    find_static,
    group_tombstones,
    held,
    names_of,
    remembering,
    replay,
    subscription_metadata,
    target_of,
)
from kassay.model.protocols.coordinator.consumer.heartbeat import (
    Updated,
    check_room,
    check_static,
    disarm_all,
    named,
    remove_members,
    replace_static,
    update_member,
)
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import (
    STABLE,
    UNRELEASED,
    UNREVOKED,
    ClassicGroup,
    ClassicMember,
    ConsumerGroup,
    ConsumerMember,
    Group,
    JoinedConsumerGroup,
    SyncedConsumerGroup,
)
from kassay.model.protocols.values.records import ClassicMetadata, LogRecord


def to_ids(image: requests.Image, tps: requests.Partitions) -> requests.Partitions:
    """Partitions named by topic converted to topic ids; those of unknown topics are dropped."""
    ids = {topic.name: topic.topic_id for topic in image}
    return tuple(sorted(TopicPartition(ids[tp.topic], tp.partition) for tp in tps if tp.topic in ids))


def to_names(image: requests.Image, tps: requests.Partitions) -> requests.Partitions:
    """Partitions named by topic id converted to topic names; those of unknown topics are dropped."""
    names = {topic.topic_id: topic.name for topic in image}
    return tuple(sorted(TopicPartition(names[tp.topic], tp.partition) for tp in tps if tp.topic in names))


def upgrade(effects: Effects, group: GroupBuilder) -> tuple[ConsumerGroup, tuple[LogRecord, ...]]:
    """The classic group as a consumer group, and the records that convert it.

    All parked requests are answered REBALANCE_IN_PROGRESS, even if the conversion then fails. It fails if any
    member has metadata that is no subscription, or an assignment with user data, which would be lost. Before
    the first generation no protocol is selected, which Kafka treats as an error of its own. Raises `Refused`.
    """
    allowed = effects.config.upgrade and group.protocol_type == requests.CONSUMER_TYPE
    if not allowed or len(group.members) > effects.config.consumer_max_size:
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    for member_id in sorted(group.members):
        group.answer_join(member_id, requests.JoinGroupReply(errors.REBALANCE_IN_PROGRESS, member_id))
        group.answer_sync(member_id, requests.SyncGroupReply(errors.REBALANCE_IN_PROGRESS))
    members = tuple(_modern(effects, group, member) for _, member in sorted(group.members.items()))
    if effects.has("conversion_stops_timers"):
        effects.disarm(requests.JOIN)
        effects.disarm(requests.SYNC)
        for member_id in sorted({*group.members, *group.pending_join}):
            effects.disarm(requests.SESSION, member_id)
    for member in members:
        effects.arm(requests.CONSUMER_SESSION, member.member_id, member.classic[0].session_timeout)
    target = tuple((member.member_id, member.assigned) for member in members)
    unknown = effects.has("upgrade_always_bumps")
    topics = () if unknown else subscription_metadata(effects.image, names_of(members))
    converted = ConsumerGroup(
        group.generation, group.generation, topics, members, target, statics=_statics(effects, members)
    )
    return converted, (LogRecord((r.GROUP, ""), None), *all_records(effects, converted))


def _statics(
    effects: Effects, members: tuple[ConsumerMember, ...]
) -> tuple[tuple[tuple[str, str], ...], ...]:
    """The map of instance ids, if the group has one."""
    if not effects.has("instances_remembered"):
        return ()
    named = {m.group_instance_id: m.member_id for m in members if m.group_instance_id}
    return (tuple(sorted(named.items())),)


def _modern(effects: Effects, group: GroupBuilder, member: ClassicMember) -> ConsumerMember:
    unassigned = member.assignment == requests.ZERO_BYTES
    if unassigned and effects.has("zero_bytes_refused"):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    if requests.user_data_of(member.assignment) and not effects.has("user_data_lost"):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    if not group.protocol and not effects.has("first_generation_not_found"):
        raise Refused(errors.UNKNOWN_SERVER_ERROR)
    metadata = next((subscription for name, subscription in member.protocols if name == group.protocol), None)
    if metadata is None:
        # It has joined again, without the name that the group still has; or the group has no name yet.
        raise Refused(errors.UNKNOWN_SERVER_ERROR if group.protocol else errors.GROUP_ID_NOT_FOUND)
    if not isinstance(metadata, requests.Subscription):
        uncaught = effects.has("unparsed_is_server_error")
        raise Refused(errors.UNKNOWN_SERVER_ERROR if uncaught else errors.GROUP_ID_NOT_FOUND)
    assigned = to_ids(effects.image, member.assignment)
    return ConsumerMember(
        member.member_id,
        member.group_instance_id,
        member.client_id,
        member.rebalance_timeout,
        tuple(sorted(set(metadata.topics))),
        classic=(ClassicMetadata(member.session_timeout, member.protocols),),
        epoch=group.generation,
        prev_epoch=group.generation,
        assigned=assigned,
        assigned_epochs=() if effects.has("no_assignment_epochs") else (group.generation,) * len(assigned),
    )


def fence(effects: Effects, group: ConsumerGroup, gone: tuple[ConsumerMember, ...]) -> Group:
    """The group without the members that leave or are removed; downgraded if that is allowed."""
    if may_fall_back(effects, group, gone):
        after, records = downgrade(effects, group, gone)
        effects.persist(records, undo=(group,))
        return after
    records = remove_members(effects, group, list(gone))
    effects.persist(records, undo=(group,))
    return replay(group, records)


def may_fall_back(effects: Effects, group: ConsumerGroup, gone: tuple[ConsumerMember, ...]) -> bool:
    """Whether members remain, all of them classic, and the policy and the size allow a downgrade."""
    left = [member for member in group.members if member not in gone]
    if effects.has("downgrade_by_consumer_alone") and any(member.classic for member in gone):
        return False
    return (
        bool(left)
        and all(member.classic for member in left)
        and effects.config.downgrade
        and len(left) <= effects.config.classic_max_size
    )


def may_replace(effects: Effects, group: ConsumerGroup, instance: str) -> bool:
    """Whether replacing this static member by a classic one removes the last consumer-protocol member."""
    replaced = find_static(group, instance)
    return (
        replaced is not None
        and not replaced.classic
        and all(member.classic for member in group.members if member is not replaced)
        and effects.config.downgrade
        and len(group.members) <= effects.config.classic_max_size
    )


def downgrade(
    effects: Effects,
    group: ConsumerGroup,
    gone: tuple[ConsumerMember, ...],
    joining: ConsumerMember | None = None,
    *,
    rebalance: bool = True,
) -> tuple[ClassicGroup, tuple[LogRecord, ...]]:
    """The consumer group as a classic group, and the records that convert it.

    Every member keeps its target as assignment; a member that replaces the last consumer-protocol member
    takes over that one's. With `rebalance` the group prepares one at once, whichever member joins. Raises
    `Refused` for what an older release does not survive, before anything has changed.
    """
    replaced = find_static(group, joining.group_instance_id) if joining else None
    ids = (replaced.member_id, joining.member_id) if replaced and joining else ()
    tombstones = group_tombstones(group, *ids)
    draft = GroupBuilder(effects, ClassicGroup(STABLE, group.epoch))
    targets = {m.member_id: target_of(group, m.member_id) for m in group.members}
    members = [member for member in group.members if member not in gone and member is not replaced]
    elders = [member.member_id for member in members]
    wanted = {*elders, *(() if replaced is None else (replaced.member_id,))}
    if effects.has("downgrade_needs_targets") and not wanted <= dict(group.target).keys():
        raise Refused(errors.UNKNOWN_SERVER_ERROR)
    if joining and replaced and replaced.group_instance_id != joining.group_instance_id:
        # It has given that id up: Kafka takes it for one that stays, and finds no classic metadata.
        raise Refused(errors.UNKNOWN_SERVER_ERROR)
    if joining is not None and replaced is not None:
        targets[joining.member_id] = targets[replaced.member_id]
        members.append(joining)
    for member in members:
        assignment = to_names(effects.image, targets[member.member_id])
        draft.add(_classic(member, assignment), requests.CONSUMER_TYPE)
    draft.leader = draft.pick_leader(elders or draft.members)
    draft.protocol = draft.pick_protocol()
    draft.subscribed_topics = subscribed_topics(
        requests.CONSUMER_TYPE, draft.protocol, draft.members.values()
    )
    given = {member.member_id: member.assignment for member in draft.members.values()}
    records = (*tombstones, draft.record(given))
    if effects.has("conversion_stops_timers"):
        for member_id in sorted({*(member.member_id for member in group.members), *draft.members}):
            disarm_all(effects, member_id)
    for member_id in sorted(draft.members):
        draft.refresh_session(member_id)
    if rebalance:
        prepare(draft)
    return draft.freeze(), records


def _classic(member: ConsumerMember, assignment: requests.Partitions) -> ClassicMember:
    metadata = member.classic[0]
    return ClassicMember(
        member.member_id,
        member.group_instance_id,
        member.client_id,
        metadata.session_timeout,
        member.rebalance_timeout,
        metadata.protocols,
        assignment=assignment,
    )


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
    updated = update_member(effects, group, member, wanted, owned, keeps_target=keeps_target, by_join=True)
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
    then = SyncedConsumerGroup(
        request.correlation_id,
        member.member_id,
        metadata.session_timeout,
        request.protocol_type,
        request.protocol,
        member.assigned,
    )
    effects.persist((), then)


def synced(effects: Effects, then: SyncedConsumerGroup) -> None:
    """Answer the SyncGroup with the topics that exist by now, and await heartbeats."""
    effects.disarm(requests.CLASSIC_SYNC, then.member_id)
    effects.arm(requests.CONSUMER_SESSION, then.member_id, then.session_timeout)
    assignment = to_names(effects.image, then.assigned)
    effects.reply(
        then.correlation_id,
        requests.SyncGroupReply(errors.NONE, then.protocol_type, then.protocol, assignment),
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
