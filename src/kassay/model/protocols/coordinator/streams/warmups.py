"""Intermediate targets of members if state is warmed up first. Not in Kafka 4.4.

A stateful task that is to move to another process stays with its owner until the state is there: the new
owner gets a warm-up task, or restores the standby copy that it keeps, and reports its offsets. At most
`num.warmup.replicas` warm-up tasks exist at a time; further moves wait. A task that no member runs moves at
once, as does a stateless one. Source: KIP-1071 (warm-up tasks); the documented but missing behaviour of
`AssignmentRefiner` of branch 4.4.
"""

from __future__ import annotations

from collections.abc import Iterable

from kassay.model.protocols.values.streams.group import StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.values.streams.tasks import NO_TASKS, TaskIds, TaskOffsets, TaskRoles, TaskTarget
from kassay.model.protocols.values.streams.topology import StreamsTopology
from kassay.model.streams.group import GroupTask


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
