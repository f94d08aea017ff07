"""Online migration between the classic and the consumer protocol, and classic members of consumer groups.

A consumer heartbeat that joins a classic group converts it, if the policy allows upgrades; if only classic
members are left, the group is converted back, if the policy allows downgrades. In between, classic members of
a consumer group are reconciled like the others: their generation is the member epoch, and JoinGroup and
SyncGroup replace the heartbeats. Source: `GroupMetadataManager` (validateOnlineUpgrade,
convertToConsumerGroup, convertToClassicGroup, classicGroup*ToConsumerGroup),
`ConsumerGroup.fromClassicGroup`, `ClassicGroup.fromConsumerGroup`.
"""

from __future__ import annotations

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.classic.group import GroupBuilder, subscribed_topics
from kassay.model.protocols.coordinator.classic.rebalance import prepare
from kassay.model.protocols.coordinator.consumer.group import (
    all_records,
    find_static,
    group_tombstones,
    replay,
    subscription_metadata,
    target_of,
)
from kassay.model.protocols.coordinator.consumer.heartbeat import Refused, disarm_all, remove_members
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import (
    STABLE,
    ClassicGroup,
    ClassicMember,
    ConsumerGroup,
    ConsumerMember,
    Group,
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
    topics = () if unknown else subscription_metadata(effects.image, members)
    converted = ConsumerGroup(group.generation, group.generation, topics, members, target)
    return converted, (LogRecord((r.GROUP, ""), None), *all_records(effects, converted))


def _modern(effects: Effects, group: GroupBuilder, member: ClassicMember) -> ConsumerMember:
    unassigned = member.assignment == requests.ZERO_BYTES
    if unassigned and effects.has("zero_bytes_refused"):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    if requests.user_data_of(member.assignment) and not effects.has("user_data_lost"):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    if not group.protocol and not effects.has("first_generation_not_found"):
        raise Refused(errors.UNKNOWN_SERVER_ERROR)
    metadata = next((subscription for name, subscription in member.protocols if name == group.protocol), None)
    if not isinstance(metadata, requests.Subscription):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
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
    takes over that one's. With `rebalance` the group prepares one at once, whichever member joins.
    """
    replaced = find_static(group, joining.group_instance_id) if joining else None
    ids = (replaced.member_id, joining.member_id) if replaced and joining else ()
    tombstones = group_tombstones(group, *ids)
    draft = GroupBuilder(effects, ClassicGroup(STABLE, group.epoch))
    targets = {m.member_id: target_of(group, m.member_id) for m in group.members}
    members = [member for member in group.members if member not in gone and member is not replaced]
    elders = [member.member_id for member in members]
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
