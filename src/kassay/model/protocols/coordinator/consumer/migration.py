"""Online migration between the classic and the consumer protocol, and classic members of a consumer group.

A consumer heartbeat that joins a classic group converts it, if the policy allows upgrades; when the
last member of the consumer protocol goes, a group of classic members is converted back, if the policy
allows downgrades. In between, classic members of a consumer group are led like the others: their
generation is the member epoch, JoinGroup and SyncGroup stand for the heartbeats.
Source: `GroupMetadataManager` (validateOnlineUpgrade, convertToConsumerGroup, convertToClassicGroup,
classicGroup*ToConsumerGroup), `ConsumerGroup.fromClassicGroup`, `ClassicGroup.fromConsumerGroup`.
"""

from __future__ import annotations

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.classic.group import GroupBuilder, subscribed_topics
from kassay.model.protocols.coordinator.classic.rebalance import prepare
from kassay.model.protocols.coordinator.consumer.group import all_records, group_tombstones, target_of
from kassay.model.protocols.coordinator.consumer.heartbeat import Refused, disarm_all
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import (
    STABLE,
    ClassicGroup,
    ClassicMember,
    ConsumerGroup,
    ConsumerMember,
)
from kassay.model.protocols.values.records import ClassicMetadata, LogRecord


def to_ids(image: requests.Image, tps: requests.Partitions) -> requests.Partitions:
    """Partitions that a client names by topic, by topic id; those of unknown topics are dropped."""
    ids = {topic.name: topic.topic_id for topic in image}
    return tuple(sorted(TopicPartition(ids[tp.topic], tp.partition) for tp in tps if tp.topic in ids))


def to_names(image: requests.Image, tps: requests.Partitions) -> requests.Partitions:
    """The reverse."""
    names = {topic.topic_id: topic.name for topic in image}
    return tuple(sorted(TopicPartition(names[tp.topic], tp.partition) for tp in tps if tp.topic in names))


def upgrade(effects: Effects, group: GroupBuilder) -> tuple[ConsumerGroup, tuple[LogRecord, ...]]:
    """The classic group as a consumer group, and the records that convert it.

    Everything parked is answered REBALANCE_IN_PROGRESS, even if the conversion then fails: it does
    while any member has an assignment of zero bytes or metadata that is no subscription. Raises `Refused`.
    """
    allowed = effects.config.upgrade and group.protocol_type == requests.CONSUMER_TYPE
    if not allowed or len(group.members) > effects.config.consumer_max_size:
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    for member_id in sorted(group.members):
        group.answer_join(member_id, requests.JoinGroupReply(errors.REBALANCE_IN_PROGRESS, member_id))
        group.answer_sync(member_id, requests.SyncGroupReply(errors.REBALANCE_IN_PROGRESS))
    members = tuple(_modern(effects, group, member) for _, member in sorted(group.members.items()))
    if not effects.has("timers_survive_migration"):
        effects.disarm(requests.JOIN)
        effects.disarm(requests.SYNC)
        for member_id in sorted({*group.members, *group.pending_join}):
            effects.disarm(requests.SESSION, member_id)
    for member in members:
        effects.arm(requests.CONSUMER_SESSION, member.member_id, member.classic[0].session_timeout)
    target = tuple((member.member_id, member.assigned) for member in members)
    converted = ConsumerGroup(group.generation, group.generation, (), members, target)
    return converted, (LogRecord((r.GROUP, ""), None), *all_records(converted))


def _modern(effects: Effects, group: GroupBuilder, member: ClassicMember) -> ConsumerMember:
    metadata = next((subscription for name, subscription in member.protocols if name == group.protocol), None)
    if member.assignment == requests.ZERO_BYTES or not isinstance(metadata, requests.Subscription):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    return ConsumerMember(
        member.member_id,
        member.group_instance_id,
        member.client_id,
        member.rebalance_timeout,
        tuple(sorted(set(metadata.topics))),
        classic=(ClassicMetadata(member.session_timeout, member.protocols),),
        epoch=group.generation,
        prev_epoch=group.generation,
        assigned=to_ids(effects.image, member.assignment),
    )


def may_downgrade(effects: Effects, group: ConsumerGroup, leaving: ConsumerMember, *, replaced: bool) -> bool:
    """Whether only classic members are left, at least one, and the policy and the size allow it.

    `replaced` says that a classic static member comes in place of the one who leaves.
    """
    left = len(group.members) - (not replaced)
    others_classic = all(member.classic for member in group.members if member is not leaving)
    return (
        not leaving.classic
        and others_classic
        and left > 0
        and effects.config.downgrade
        and left <= effects.config.classic_max_size
    )


def downgrade(
    effects: Effects, group: ConsumerGroup, leaving: ConsumerMember, joining: ConsumerMember | None
) -> tuple[ClassicGroup, tuple[LogRecord, ...]]:
    """The consumer group as a classic group, and the records that convert it.

    Everybody keeps its target as assignment; one who comes in place of the last consumer-protocol
    member takes over that one's. Unless somebody comes, the group rebalances at once.
    """
    tombstones = group_tombstones(group, *((leaving.member_id, joining.member_id) if joining else ()))
    draft = GroupBuilder(effects, ClassicGroup(STABLE, group.epoch))
    targets = {m.member_id: target_of(group, m.member_id) for m in group.members}
    members = [member for member in group.members if member is not leaving]
    if joining is not None:
        targets[joining.member_id] = targets[leaving.member_id]
        members.append(joining)
    for member in members:
        assignment = to_names(effects.image, targets[member.member_id])
        draft.add(_classic(member, assignment), requests.CONSUMER_TYPE)
    elders = [member.member_id for member in members if member is not joining]
    draft.leader = draft.pick_leader(elders or [member.member_id for member in members])
    draft.protocol = draft.pick_protocol()
    draft.subscribed_topics = subscribed_topics(
        requests.CONSUMER_TYPE, draft.protocol, draft.members.values()
    )
    given = {member.member_id: member.assignment for member in draft.members.values()}
    records = (*tombstones, draft.record(given))
    if not effects.has("timers_survive_migration"):
        for member_id in sorted({leaving.member_id, *draft.members}):
            disarm_all(effects, member_id)
    for member_id in sorted(draft.members):
        draft.refresh_session(member_id)
    if joining is None:
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
