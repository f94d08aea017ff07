"""The reconciliation of a Streams group's member with its target: the table of its three states.

As in a consumer group, tasks are revoked first, and only free tasks are assigned. Processes determine whether
a task is free. An active task is not free while any process has it, nor while another thread of the member's
own process keeps a copy; a copy is not free while another thread of the process has the task in any role. A
member changes the roles of its own tasks without help: a copy that becomes active stays until the task is
free; an active task that becomes a copy is a copy at once, and still has to be revoked as active. Source:
`CurrentAssignmentBuilder` of Streams groups.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from kassay.model.protocols.shared.table import Rule, check_move, look_up, total
from kassay.model.protocols.values.effects import Effects
from kassay.model.protocols.values.groups import MEMBER_STABLE
from kassay.model.protocols.values.streams.group import (
    UNRELEASED_TASKS,
    UNREVOKED_TASKS,
    StreamsTaskGroup,
    StreamsTaskMember,
)
from kassay.model.protocols.values.streams.tasks import NONE_HELD, HeldTasks, TaskIds, TaskRoles
from kassay.model.streams.group import GroupTask

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
