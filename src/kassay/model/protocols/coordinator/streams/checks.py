"""The checks of a StreamsGroupHeartbeat before it is processed.

Source: `GroupCoordinatorService.throwIfStreamsGroupHeartbeatRequestIsInvalid`,
`throwIfStreamsGroupHeartbeatRequestIsUsingUnsupportedFeatures`, and the `throwIf` methods of
`GroupMetadataManager` about Streams groups.
"""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import Refused
from kassay.model.protocols.coordinator.streams.group import find, find_static
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.requests import JOIN_EPOCH, STATIC_LEAVE_EPOCH, OffsetCommit
from kassay.model.protocols.values.streams import ConfiguredTopology, OffsetsOfTasks, StreamsHeartbeat
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup, StreamsTaskMember
from kassay.model.streams.group import GroupTask

COMMIT_VERSION = 9
"""Members of the Streams protocol commit offsets with this version or a later one."""


def check_request(request: StreamsHeartbeat) -> None:
    """Raises `Refused` for a request that no group accepts."""
    roles = (request.active, request.standby, request.warmup)
    amiss = (
        not request.member_id.strip()
        or request.group_instance_id.isspace()
        or request.rack.isspace()
        or (None in roles and roles != (None, None, None))
        or any(part.expressions for part in (request.topology.subtopologies if request.topology else ()))
    )
    if request.member_epoch == JOIN_EPOCH:
        amiss |= request.rebalance_timeout == -1 or request.topology is None
        amiss |= roles != ((), (), ())
    else:
        unnamed = request.member_epoch == STATIC_LEAVE_EPOCH and not request.group_instance_id
        amiss |= unnamed or request.member_epoch < STATIC_LEAVE_EPOCH or request.topology is not None
    if amiss:
        raise Refused(errors.INVALID_REQUEST)


def check_room(effects: Effects, group: StreamsTaskGroup, request: StreamsHeartbeat) -> None:
    """Raises `Refused` if the group is full and contains neither the member nor its instance id."""
    full = len(group.members) >= effects.config.streams.max_size
    if full and not find_static(group, request.group_instance_id) and not find(group, request.member_id):
        raise Refused(errors.GROUP_MAX_SIZE_REACHED)


def check_static(known: StreamsTaskMember | None, member_id: str) -> StreamsTaskMember:
    """The member behind an instance id; raises `Refused` if there is none, or it has another id."""
    if known is None:
        raise Refused(errors.UNKNOWN_MEMBER_ID)
    if known.member_id != member_id:
        raise Refused(errors.FENCED_INSTANCE_ID)
    return known


def named(group: StreamsTaskGroup, request: StreamsHeartbeat) -> StreamsTaskMember:
    """The member that a request names; raises `Refused`."""
    instance, member_id = request.group_instance_id, request.member_id
    return check_static(find_static(group, instance) if instance else find(group, member_id), member_id)


def check_epoch(member: StreamsTaskMember, request: StreamsHeartbeat) -> None:
    """Raises `Refused` for an epoch that is not the member's, unless a reply may have been lost.

    Epoch 0 is always valid; the previous one is valid if the client reports all its tasks and owns no more
    than it was assigned.
    """
    if request.member_epoch in (member.epoch, JOIN_EPOCH):
        return
    owned = request.owned
    lost_reply = (
        request.member_epoch == member.prev_epoch
        and request.member_epoch < member.epoch
        and owned is not None
        and all(task in given for given, has in zip(member.assigned[:3], owned) for task in has)
    )
    if not lost_reply:
        raise Refused(errors.FENCED_MEMBER_EPOCH)


def check_tasks(request: StreamsHeartbeat, configured: ConfiguredTopology) -> None:
    """Raises `Refused` for tasks that do not exist; cannot be checked while the topology is not ready."""
    counts = dict(configured.tasks)
    owned = request.owned
    if owned is not None and configured.ready:
        for name, number in (task for role in owned for task in role):
            if not 0 <= number < counts.get(name, 0):
                raise Refused(errors.INVALID_REQUEST)


def check_offsets(offsets: OffsetsOfTasks) -> OffsetsOfTasks:
    """Reported offsets by task, in order; raises `Refused` if a task is listed twice."""
    if len({task for task, _ in offsets}) < len(offsets):
        raise Refused(errors.INVALID_REQUEST)
    return tuple(sorted(offsets))


def check_commit(effects: Effects, group: StreamsTaskGroup, request: OffsetCommit) -> None:
    """Raises `Refused` for an OffsetCommit that is not allowed.

    A commit under an earlier epoch of its member is allowed if the member has an active task for each of its
    partitions, assigned no later than that epoch (KIP-1251); a single other partition refuses the whole
    request.
    """
    if effects.has("streams_commit_unfenced") or (request.generation_id < 0 and not group.members):
        return
    member = find(group, request.member_id)
    if member is None:
        raise Refused(errors.UNKNOWN_MEMBER_ID)
    if request.api_version < COMMIT_VERSION:
        raise Refused(errors.UNSUPPORTED_VERSION)
    if request.generation_id == member.epoch:
        return
    if request.generation_id > member.epoch or not group.topology:
        raise Refused(errors.STALE_MEMBER_EPOCH)
    for (topic, partition), _ in request.offsets:
        given = _given_at(group, member, topic, partition)
        if given is None or request.generation_id < given:
            raise Refused(errors.STALE_MEMBER_EPOCH)


def _given_at(group: StreamsTaskGroup, member: StreamsTaskMember, topic: str, partition: int) -> int | None:
    """The epoch at which the member was assigned the active task that reads a partition, or None."""
    part = group.topology[0].reader_of(topic)
    if part is None:
        return None
    task = GroupTask(part.subtopology_id, partition)
    given = member.assigned.epoch_of(task)
    return member.pending.epoch_of(task) if given is None else given
