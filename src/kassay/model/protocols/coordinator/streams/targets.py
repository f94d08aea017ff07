"""The target of a Streams group, what members are led towards on the way, and how a member gets there.

Target. The task assignor computes a target once the group epoch is ahead, but not during the initial
rebalance delay, nor sooner than an assignment interval after the last one. What members are led towards
is the target: the step in between, which would warm up state first, changes nothing in Kafka 4.4; yet it
is kept for each target epoch, where warm-up tasks are allowed at all.

With `StreamsConfig.warms_up` the target gets warm-up tasks. A stateful task that is to move to another
process stays with its owner until the state is there: the new owner gets a warm-up task, or restores the
standby copy that it keeps, and reports its offsets. There are so many warm-up tasks at a time as
`num.warmup.replicas` says; what else is to move waits for its turn. A task that no member runs moves at
once, as does a stateless one.

Reconciliation: the table of a member's three states. As in a consumer group, tasks are revoked first,
and only free tasks are assigned. An active task is not free while any process has it, nor while another
thread of the member's own process keeps a copy; a copy is not free while another thread of the process
has the task in any role. A member changes the roles of its own tasks without help: a copy that becomes
active stays until the task is free; an active task that becomes a copy is a copy at once, and still has
to be revoked as active. Source: `GroupMetadataManager.maybeUpdateStreamsTargetAssignment`,
`refinedAssignmentForEpoch`, `computeDelayedTargetAssignment`; `TargetAssignmentBuilder`; KIP-1263 for
the interval. KIP-1071 (warm-up tasks); the documented but missing behaviour of `AssignmentRefiner` of
branch 4.4. `CurrentAssignmentBuilder` of Streams groups.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from kassay.model.protocols.coordinator.streams.group import target_epoch_record, target_of, target_record
from kassay.model.protocols.table import Rule, check_move, look_up, total
from kassay.model.protocols.values.choices import Effects
from kassay.model.protocols.values.groups import MEMBER_STABLE
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.streams import (
    NO_TASKS,
    NONE_HELD,
    NUM_STANDBY_REPLICAS,
    RACK_AWARE_TAGS,
    AssignmentConfigs,
    ConfiguredTopology,
    HeldTasks,
    StreamsTopology,
    TaskIds,
    TaskOffsets,
    TaskRoles,
    TaskTarget,
)
from kassay.model.protocols.values.streams_groups import (
    UNKNOWN_TIME,
    UNRELEASED_TASKS,
    UNREVOKED_TASKS,
    RefinedTarget,
    StreamsTaskGroup,
    StreamsTaskMember,
)
from kassay.model.streams.group import GroupTask, StreamsGroup, StreamsMember, Subtopology


def warmed_up(
    group: StreamsTaskGroup, target: TaskTarget, topology: StreamsTopology, warmups_max: int
) -> TaskTarget:
    """The step from the members' tasks towards the target; finally the target itself."""
    stateful = {part.subtopology_id for part in topology.subtopologies if part.changelogs}
    members = {member.member_id: member for member in group.members}
    runs = {task: member for member in group.members for task in member.assigned.active}
    offsets = dict(group.task_offsets)
    step = dict(target)
    left = warmups_max
    for name, roles in target:
        for task in roles.active:
            owner, heir = runs.get(task), members.get(name)
            if owner is None or task.subtopology not in stateful or owner.member_id not in step:
                continue
            at_home = heir is not None and heir.process_id == owner.process_id
            if at_home or _caught_up(offsets.get(name, TaskOffsets()), task):
                continue
            _stay(step, task, name, owner, members.values())
            if heir is not None and task in heir.assigned.standby:
                step[name] = step[name]._replace(standby=_and(step[name].standby, task))
            elif heir is not None and left:
                left -= 1
                step[name] = step[name]._replace(warmup=_and(step[name].warmup, task))
    return tuple(sorted(step.items()))


def _caught_up(said: TaskOffsets, task: GroupTask) -> bool:
    """Whether a member has reported that its state of the task has caught up."""
    offset, end = dict(said.offsets).get(task), dict(said.ends).get(task)
    return offset is not None and end is not None and offset >= end


def _stay(
    step: dict[str, TaskRoles],
    task: GroupTask,
    heir: str,
    owner: StreamsTaskMember,
    members: Iterable[StreamsTaskMember],
) -> None:
    """The task stays with its owner, whose process may have no other copy of it."""
    step[heir] = step[heir]._replace(active=_but(step[heir].active, task))
    for member in members:
        if member.process_id == owner.process_id and member.member_id in step:
            roles = step[member.member_id]
            step[member.member_id] = roles._replace(standby=_but(roles.standby, task))
    kept = step.get(owner.member_id, NO_TASKS)
    step[owner.member_id] = kept._replace(active=_and(kept.active, task))


def _and(tasks: TaskIds, task: GroupTask) -> TaskIds:
    return tuple(sorted({*tasks, task}))


def _but(tasks: TaskIds, task: GroupTask) -> TaskIds:
    return tuple(each for each in tasks if each != task)


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


AT_TARGET: Final = "heartbeat at the target epoch"
BEHIND: Final = "heartbeat behind the target epoch"
REVOKED: Final = "heartbeat that has nothing pending"
REVOKING: Final = "heartbeat that still has some, or says nothing"

_ALL: Final = (MEMBER_STABLE, UNREVOKED_TASKS, UNRELEASED_TASKS)
_NEXT: Final = Rule(_ALL, "keep what is in the target; give up the rest first; then take what is free")
_WAIT: Final = Rule((UNREVOKED_TASKS,), "nothing: a newer target waits too")

STREAMS_MEMBER_TABLE: Final = total(
    (AT_TARGET, BEHIND, REVOKED, REVOKING),
    {
        MEMBER_STABLE: {AT_TARGET: Rule((MEMBER_STABLE,), "nothing"), BEHIND: _NEXT},
        UNREVOKED_TASKS: {REVOKED: Rule(_ALL, "epoch + 1, then on to the newest target"), REVOKING: _WAIT},
        UNRELEASED_TASKS: {AT_TARGET: _NEXT, BEHIND: _NEXT},
    },
)


class Holders(NamedTuple):
    """The processes that have each task, in each role, including tasks still to be revoked."""

    active: dict[GroupTask, set[str]]
    standby: dict[GroupTask, set[str]]
    warmup: dict[GroupTask, set[str]]


def holders_of(group: StreamsTaskGroup, *, pending: bool = True) -> Holders:
    """The processes of all tasks; without `pending`, active tasks to be revoked count as free."""
    holders = Holders({}, {task: {*processes} for task, processes in group.copies}, {})
    for member in group.members:
        for held in (member.assigned, member.pending) if pending else (member.assigned,):
            for role, tasks in ((holders.active, held.active), (holders.warmup, held.warmup)):
                for task in tasks:
                    role.setdefault(task, set()).add(member.process_id)
    if group.counted and pending:
        return holders._replace(active={task: {process} for task, process in group.counted[0]})
    return holders


def event_for(member: StreamsTaskMember, target_epoch: int, owned: TaskRoles | None) -> str:
    """The kind of this heartbeat, as an event of the member."""
    if member.state == UNREVOKED_TASKS:
        return REVOKING if _has(owned, member.pending) else REVOKED
    return AT_TARGET if member.epoch == target_epoch else BEHIND


def _has(owned: TaskRoles | None, pending: HeldTasks) -> bool:
    """Whether the client still owns any of these; a heartbeat without a list counts as owning them."""
    return owned is None or any(task in given for given, has in zip(pending[:3], owned) for task in has)


def reconcile(
    effects: Effects,
    member: StreamsTaskMember,
    target_epoch: int,
    target: TaskRoles,
    owned: TaskRoles | None,
    group: StreamsTaskGroup,
) -> StreamsTaskMember:
    """The member after a heartbeat to the group."""
    if member.epoch == target_epoch and member.state == MEMBER_STABLE:
        return member
    if owned is None and effects.has("streams_silence_revokes"):
        owned = TaskRoles()
    event = event_for(member, target_epoch, owned)
    look_up(STREAMS_MEMBER_TABLE, member.state, event)
    if event == REVOKING:
        return member
    if event == REVOKED and effects.has("streams_acknowledgement_lost") and target_epoch > member.epoch + 1:
        return member
    bumped = event == REVOKED and not effects.has("streams_revoked_at_epoch")
    holders = holders_of(group, pending=not effects.has("streams_revocation_not_awaited"))
    change = _Change(effects, member, target, holders)
    updated = change.result(member.epoch + bumped, target_epoch, owned)
    check_move(STREAMS_MEMBER_TABLE, member.state, event, updated.state)
    return updated


class _Change:
    """The changes of a member's tasks on its way to a target."""

    def __init__(
        self, effects: Effects, member: StreamsTaskMember, target: TaskRoles, holders: Holders
    ) -> None:
        self.effects, self.member, self.target, self.holders = effects, member, target, holders
        self.keep: list[set[GroupTask]] = []
        self.revoke: list[set[GroupTask]] = []
        self.free: list[set[GroupTask]] = []
        self.unreleased = False
        taken = (self._active_taken, self._standby_taken, self._warmup_taken)
        for has, wanted, is_taken in zip(member.assigned.roles, target, taken):
            keep = {task for task in has if task in wanted}
            want = [task for task in wanted if task not in keep]
            free = {task for task in want if not is_taken(task)}
            self.unreleased |= len(free) < len(want)
            self.keep.append(keep)
            self.revoke.append({task for task in has if task not in keep})
            self.free.append(free)

    def _elsewhere(self, role: int, task: GroupTask) -> bool:
        """Whether another thread of the process has the task in this role."""
        return self._here(role, task) and task not in self.member.assigned.roles[role]

    def _here(self, role: int, task: GroupTask) -> bool:
        """Whether any thread of the process has the task in this role."""
        if self.effects.has("streams_process_ignored"):
            return False
        return self.member.process_id in self.holders[role].get(task, ())

    def _active_taken(self, task: GroupTask) -> bool:
        if self.holders.active.get(task) and not self.effects.has("streams_ignore_unreleased"):
            return True
        return self._elsewhere(1, task) or self._elsewhere(2, task)

    def _standby_taken(self, task: GroupTask) -> bool:
        return self._elsewhere(0, task) or self._here(1, task) or self._elsewhere(2, task)

    def _warmup_taken(self, task: GroupTask) -> bool:
        return self._here(0, task) or self._elsewhere(1, task) or self._here(2, task)

    def result(self, epoch: int, target_epoch: int, owned: TaskRoles | None) -> StreamsTaskMember:
        """The resulting member; at `epoch` if it must first revoke something."""
        member, assigned = self.member, self.member.assigned.roles
        self._grant(1, assigned.active)
        self._convert(1, 2)
        self._convert(2, 1)
        for role in (1, 2):
            self.revoke[role] -= {*self.target.active}
        pending = self._held(self.revoke, target_epoch)
        if self.effects.has("streams_demotion_not_awaited"):
            pending = self._held([self.revoke[0] - self.keep[1], *self.revoke[1:]], target_epoch)
        awaited = pending != NONE_HELD and _has(owned, pending)
        for role in (1, 2):
            promoted = {task for task in assigned[role] if task in self.target.active}
            self.keep[role] |= promoted if awaited else promoted - self.free[0]
        if awaited:
            return member._replace(
                state=UNREVOKED_TASKS,
                epoch=epoch,
                prev_epoch=member.epoch,
                assigned=self._held(self.keep, target_epoch),
                pending=pending,
            )
        both = [keep | free for keep, free in zip(self.keep, self.free)]
        return member._replace(
            state=UNRELEASED_TASKS if self.unreleased else MEMBER_STABLE,
            epoch=target_epoch,
            prev_epoch=member.epoch,
            assigned=self._held(both, target_epoch),
            pending=NONE_HELD,
        )

    def _grant(self, role: int, has: TaskIds) -> set[GroupTask]:
        """Switch the member's tasks from another role to this one if allowed; returns those in this role."""
        granted = {task for task in has if task in self.free[role]}
        self.free[role] -= granted
        self.keep[role] |= granted
        return granted

    def _convert(self, before: int, after: int) -> None:
        """Convert copies of one kind to the other, which needs no acknowledgement."""
        self.revoke[before] -= self._grant(after, self.member.assigned.roles[before])

    def _held(self, roles: list[set[GroupTask]], target_epoch: int) -> HeldTasks:
        """The tasks with the epochs of active ones: kept, or that of the target."""
        active, standby, warmup = (tuple(sorted(tasks)) for tasks in roles)
        known = dict(zip(self.member.assigned.active, self.member.assigned.epochs))
        return HeldTasks(active, standby, warmup, tuple(known.get(task, target_epoch) for task in active))
