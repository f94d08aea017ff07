"""The consumer-group part of the coordinator: dispatches events and checks results against its table.

Source: `GroupMetadataManager.consumerGroupHeartbeat`, `getOrMaybeCreateConsumerGroup`,
`consumerGroupFenceMember`, `onLoaded`.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator import table
from kassay.model.protocols.coordinator.classic.rebalance import GroupBuilder, write_error
from kassay.model.protocols.coordinator.classic.requests import create_by_join
from kassay.model.protocols.coordinator.consumer import heartbeat, migration, regexes
from kassay.model.protocols.coordinator.consumer.group import (
    Refused,
    group_state,
    group_tombstones,
    new_group,
    remembering,
    replay,
)
from kassay.model.protocols.coordinator.consumer.targets import offloaded_records
from kassay.model.protocols.coordinator.watched import without_watched
from kassay.model.protocols.table import IllegalTransition, check_move
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import (
    EMPTY,
    UNREVOKED,
    ClassicGroup,
    ConsumerGroup,
    Group,
    JoinedConsumerGroup,
    Persisted,
    SyncedConsumerGroup,
)
from kassay.model.protocols.values.records import Log, LogRecord, Offloaded, Resolved


def _checked(before: ConsumerGroup, event: str, after: Group) -> Group:
    """The group after an event, checked against the table."""
    if isinstance(after, ConsumerGroup):
        state = group_state(after)
    else:
        state = table.CLASSIC if isinstance(after, ClassicGroup) else table.NO_GROUP
    check_move(table.CONSUMER_GROUP, group_state(before), event, state)
    return after


def handle_heartbeat(effects: Effects, group: Group, request: requests.ConsumerHeartbeat) -> Group:
    """The group after ConsumerGroupHeartbeat to a group of any kind. Raises `Refused`."""
    heartbeat.check_request(effects, request)
    if request.member_epoch < requests.JOIN_EPOCH:
        if not isinstance(group, ConsumerGroup):
            raise Refused(errors.GROUP_ID_NOT_FOUND)
        return _checked(group, table.CONSUMER_LEAVE, _leave(effects, group, request))
    if request.member_epoch > requests.JOIN_EPOCH and not isinstance(group, ConsumerGroup):
        raise Refused(errors.GROUP_ID_NOT_FOUND)
    if isinstance(group, ClassicGroup) and group.state != EMPTY:
        return _upgrade_and_join(effects, group, request)
    records: tuple[LogRecord, ...] = ()
    if isinstance(group, ClassicGroup):
        records = (LogRecord((r.GROUP, ""), None),)
    present = group if isinstance(group, ConsumerGroup) else new_group(effects)
    records += heartbeat.heartbeat(effects, present, request)
    return _checked(present, table.CONSUMER_HEARTBEAT, _write(effects, group, records))


def _write(effects: Effects, group: Group, records: tuple[LogRecord, ...]) -> Group:
    """Append records, if any, and replay them."""
    if isinstance(group, ConsumerGroup):
        group = remembering(effects, group)
    if not records:
        return group
    effects.persist(records, undo=(group,))
    return replay(group, records, new_group(effects))


def _upgrade_and_join(effects: Effects, group: ClassicGroup, request: requests.ConsumerHeartbeat) -> Group:
    """Convert the group and add the member; if that is refused, only parked requests are answered."""
    draft = GroupBuilder(effects, group)
    try:
        converted, records = migration.upgrade(effects, draft)
        records += heartbeat.heartbeat(effects, converted, request)
    except Refused as refusal:
        effects.reply(request.correlation_id, requests.ConsumerHeartbeatReply(refusal.error))
        return draft.freeze()
    effects.persist(records, undo=(draft.freeze(),))
    effects.left_topics = without_watched(effects, effects.left_topics, converted)
    return replay(None, records, new_group(effects))


def _leave(effects: Effects, group: ConsumerGroup, request: requests.ConsumerHeartbeat) -> Group:
    member = heartbeat.named(group, request.member_id, request.group_instance_id)
    if request.member_epoch == requests.STATIC_LEAVE_EPOCH:
        after = _write(effects, group, heartbeat.leave_for_a_while(member))
    else:
        after = migration.fence(effects, group, (member,))
    reply = requests.ConsumerHeartbeatReply(errors.NONE, request.member_id, request.member_epoch)
    effects.reply_when_durable(request.correlation_id, reply)
    return after


def apply_resolution(effects: Effects, group: Group, result: Resolved) -> Group:
    """The group after the result of a resolution is written, if the group still exists."""
    if not isinstance(group, ConsumerGroup):
        return group
    return _checked(
        group, table.RESOLVED, _write(effects, group, regexes.apply_result(effects, group, result))
    )


def apply_target(effects: Effects, group: Group, computed: Offloaded) -> Group:
    """The group after a target computed in the background is written, if the group still exists."""
    if not isinstance(group, ConsumerGroup):
        return group
    records = offloaded_records(effects, group, computed)
    return _checked(group, table.OFFLOADED, _write(effects, group, records))


def handle_classic_request(effects: Effects, group: ConsumerGroup, request: requests.Request) -> Group:
    """The group after a request of the classic protocol. Raises `Refused`."""
    if isinstance(request, requests.JoinGroup):
        return _checked(group, table.JOIN_GROUP, migration.join(effects, group, request))
    if isinstance(request, requests.LeaveGroup):
        return _checked(group, table.LEAVE_GROUP, migration.leave(effects, group, request))
    if isinstance(request, requests.SyncGroup):
        migration.sync(effects, group, request)
        return _checked(group, table.SYNC_GROUP, group)
    if isinstance(request, requests.Heartbeat):
        migration.heartbeat(effects, group, request)
        return _checked(group, table.HEARTBEAT, group)
    if isinstance(request, requests.OffsetCommit):
        return _checked(group, table.OFFSET_COMMIT, _commit(effects, group, request))
    raise IllegalTransition(group_state(group), type(request).__name__)


def _commit(effects: Effects, group: ConsumerGroup, request: requests.OffsetCommit) -> ConsumerGroup:
    heartbeat.check_commit(effects, group, request)
    effects.persist(r.offset_records(request.offsets))
    effects.reply_when_durable(request.correlation_id, requests.OffsetCommitReply(errors.NONE))
    return group


def handle_timer(effects: Effects, group: ConsumerGroup, fired: requests.TimerFired) -> Group:
    """The group after a timer of one of its members; one that ends with an exception is armed again."""
    member = heartbeat.fenced_by(group, fired)
    if member is None:
        return group
    try:
        after = migration.fence(effects, group, (member,))
    except Refused:
        effects.arm(*fired.timer, requests.RETRY_BACKOFF, fired.payload)
        return group
    return _checked(group, table.MEMBER_TIMER, after)


def stored(
    effects: Effects, group: Group, then: JoinedConsumerGroup | SyncedConsumerGroup, event: Persisted
) -> Group:
    """Continue after a classic member's request is stored; after a failed write, refuse it."""
    if event.error:
        # Nothing else answers it: the service around the coordinator does.
        error = write_error(event.error)
        joins = isinstance(then, JoinedConsumerGroup)
        refusal = requests.JoinGroupReply(error, "") if joins else requests.SyncGroupReply(error)
        effects.reply(then.correlation_id, refusal)
        return undone(group, event.undo)
    if isinstance(then, JoinedConsumerGroup):
        migration.joined(effects, then)
    else:
        migration.synced(effects, then)
    return _checked(group, table.MEMBER_STORED, group) if isinstance(group, ConsumerGroup) else group


def undone(group: Group, undo: tuple[Group, ...]) -> Group:
    """The group after a failed write: the previous value, if the write carries it."""
    after = undo[0] if undo else group
    return _checked(group, table.WRITE_FAILED, after) if isinstance(group, ConsumerGroup) else after


def replace_empty(effects: Effects, group: ConsumerGroup, request: requests.JoinGroup) -> Group:
    """A JoinGroup to an empty consumer group, which a classic group replaces, or which is just removed."""
    after = create_by_join(effects, request, group, group_tombstones(group))
    return _checked(group, table.JOIN_GROUP, after)


def load(effects: Effects, log: Log) -> Group:
    """The group in the records; all sessions and revocation timers restart."""
    return resume(effects, replay(None, log, new_group(effects)))


def resume(effects: Effects, group: Group) -> Group:
    """The group as loaded; all sessions and revocation timers restart."""
    for member in group.members if isinstance(group, ConsumerGroup) else ():
        effects.arm(requests.CONSUMER_SESSION, member.member_id, effects.config.consumer_session_timeout)
        if member.state == UNREVOKED:
            effects.arm(requests.REVOCATION, member.member_id, member.rebalance_timeout, (member.epoch,))
    return group
