"""The target of a Streams group, and the intermediate targets of its members.

The task assignor computes a target once the group epoch is ahead, but not during the initial rebalance delay,
nor sooner than an assignment interval after the last one. Members move towards the target itself: the
intermediate step that would warm up state first changes nothing in Kafka 4.4. Still, Kafka caches it per
target epoch if warm-up tasks are allowed. With `StreamsConfig.warms_up` it comes from `warmups`. Source:
`GroupMetadataManager.maybeUpdateStreamsTargetAssignment`, `refinedAssignmentForEpoch`,
`computeDelayedTargetAssignment`; `TargetAssignmentBuilder`; KIP-1263 for the interval.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kassay.model.protocols.coordinator.streams.group import target_epoch_record, target_of, target_record
from kassay.model.protocols.coordinator.streams.warmups import warmed_up
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.streams.config import (
    NUM_STANDBY_REPLICAS,
    RACK_AWARE_TAGS,
    AssignmentConfigs,
)
from kassay.model.protocols.values.streams.group import (
    UNKNOWN_TIME,
    RefinedTarget,
    StreamsTaskGroup,
    StreamsTaskMember,
)
from kassay.model.protocols.values.streams.tasks import NO_TASKS, TaskOffsets, TaskRoles, TaskTarget
from kassay.model.protocols.values.streams.topology import ConfiguredTopology, StreamsTopology
from kassay.model.streams.group import StreamsGroup, StreamsMember, Subtopology


class NextTarget(NamedTuple):
    """The current target and the records of its changes; `late`: a newer one is due."""

    epoch: int
    target: TaskTarget
    records: tuple[LogRecord, ...] = ()
    late: bool = False


class Relabelled(NamedTuple):
    """The members and the target, with the heartbeat's member in its place."""

    members: tuple[StreamsTaskMember, ...]
    target: TaskTarget


def relabelled(
    effects: Effects, group: StreamsTaskGroup, member: StreamsTaskMember, replaced: StreamsTaskMember | None
) -> Relabelled:
    """The group with a member as of its heartbeat; a replaced member's target passes to it."""
    gone = {member.member_id} if replaced is None else {member.member_id, replaced.member_id}
    others = [other for other in group.members if other.member_id not in gone]
    target = dict(group.target)
    if replaced is not None and replaced.member_id in target:
        passed_on = target.pop(replaced.member_id)
        if not effects.has("streams_static_target_lost"):
            target[member.member_id] = passed_on
    return Relabelled(tuple(sorted([*others, member])), tuple(sorted(target.items())))


def next_target(
    effects: Effects,
    group: StreamsTaskGroup,
    now: Relabelled,
    epoch: int,
    topology: StreamsTopology,
    configured: ConfiguredTopology,
    *,
    refines: bool,
) -> NextTarget:
    """The target of a group at `epoch`; `refines`: only the epoch is to advance."""
    if group.delayed:
        return NextTarget(group.target_epoch, (), late=True)
    if group.target_epoch >= epoch:
        return NextTarget(group.target_epoch, now.target)
    if refines and group.target_epoch >= group.epoch:
        return NextTarget(epoch, now.target, (target_epoch_record(epoch, group.target_time),))
    if not _interval_over(effects, group):
        return NextTarget(group.target_epoch, now.target, late=True)
    return computed(
        effects, group, now, epoch, topology, configured, effects.config.streams.assignment_configs
    )


def _interval_over(effects: Effects, group: StreamsTaskGroup) -> bool:
    """Whether the interval since the last target is over; a target of unknown age never delays one."""
    interval = effects.config.streams.assignment_interval
    if not interval or group.target_time == UNKNOWN_TIME:
        return True
    return effects.now >= group.target_time + interval


def computed(
    effects: Effects,
    group: StreamsTaskGroup,
    now: Relabelled,
    epoch: int,
    topology: StreamsTopology,
    configured: ConfiguredTopology,
    configs: AssignmentConfigs,
) -> NextTarget:
    """The assignor's target and the records of its changes; empty while the topology is not ready."""
    if configured.ready:
        target = effects.choices.tasks(_asked(group, now.members, topology, configured, configs))
    else:
        target = tuple((member.member_id, NO_TASKS) for member in now.members)
    known = dict(now.target)
    records = [target_record(name, tasks) for name, tasks in target if known.get(name) != tasks]
    return NextTarget(epoch, target, (*records, target_epoch_record(epoch, effects.now)))


def _asked(
    group: StreamsTaskGroup,
    members: Iterable[StreamsTaskMember],
    topology: StreamsTopology,
    configured: ConfiguredTopology,
    configs: AssignmentConfigs,
) -> StreamsGroup:
    """The input of the assignor."""
    counts, settings = dict(configured.tasks), dict(configs)
    offsets = dict(group.task_offsets)
    tags = settings.get(RACK_AWARE_TAGS, "")
    return StreamsGroup(
        subtopologies=tuple(
            Subtopology(part.subtopology_id, counts[part.subtopology_id], bool(part.changelogs))
            for part in topology.subtopologies
        ),
        members=tuple(
            StreamsMember(
                member.member_id,
                member.process_id,
                member.assigned.active,
                member.assigned.standby,
                offsets.get(member.member_id, TaskOffsets()).offsets,
                member.rack or None,
                member.tags,
            )
            for member in members
        ),
        standby_replicas=int(settings.get(NUM_STANDBY_REPLICAS, "0")),
        rack_aware_tags=tuple(tags.split(",")) if tags else (),
    )


def refined(
    effects: Effects, group: StreamsTaskGroup, target: TaskTarget, topology: StreamsTopology
) -> TaskTarget:
    """The next step towards a target: the target itself, unless state is warmed up first."""
    settings = effects.config.streams
    if not settings.warms_up or not settings.num_warmup_replicas:
        return target
    return warmed_up(group, target, topology, settings.num_warmup_replicas)


def led_towards(
    effects: Effects,
    group: StreamsTaskGroup,
    aim: NextTarget,
    member_id: str,
    topology: StreamsTopology,
    *,
    at_rest: bool,
) -> tuple[StreamsTaskGroup, TaskRoles]:
    """The intermediate target of a member, and the group, which caches it for the epoch if needed.

    `at_rest`: the group was stable and is not assigned again; the cache is then not used.
    """
    if not effects.config.streams.num_warmup_replicas and not group.remembered.refined:
        return group, target_of(aim.target, member_id)
    if not at_rest:
        kept = effects.has("streams_refined_kept")
        for known in group.remembered.refined:
            if known.epoch == aim.epoch or kept:
                return group, target_of(known.target, member_id)
    target = refined(effects, group, aim.target, topology)
    if effects.config.streams.num_warmup_replicas:
        remembered = group.remembered._replace(refined=(RefinedTarget(aim.epoch, target),))
        group = group._replace(remembered=remembered)
    return group, target_of(target, member_id)


def delay_over(effects: Effects, group: StreamsTaskGroup) -> tuple[LogRecord, ...]:
    """The initial rebalance delay is over: the records of the first target, for the current members."""
    ready_to = group.members and group.epoch > group.target_epoch and group.topology
    if not ready_to or not group.remembered.configured:
        return ()
    if not _interval_over(effects, group):
        return ()
    now = Relabelled(group.members, group.target)
    (configured,), (topology,) = group.remembered.configured, group.topology
    return computed(effects, group, now, group.epoch, topology, configured, group.configs).records
