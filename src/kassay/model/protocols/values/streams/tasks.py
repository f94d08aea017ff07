"""Owners of the tasks of a Streams group, by role."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.values.marks import Generation, MemberId, Ordered
from kassay.model.streams.group import GroupTask

TaskIds: TypeAlias = tuple[GroupTask, ...]
"""Tasks in their order, without duplicates."""


class TaskRoles(NamedTuple):
    """Tasks by role (`TasksTuple`): a member's target, or its report."""

    active: TaskIds = ()
    standby: TaskIds = ()
    warmup: TaskIds = ()


class HeldTasks(NamedTuple):
    """A member's recorded tasks by role; `epochs` are those at which its active ones were assigned.

    Kafka's class is TasksTupleWithEpochs.
    """

    active: TaskIds = ()
    standby: TaskIds = ()
    warmup: TaskIds = ()
    epochs: tuple[Generation, ...] = ()

    @property
    def roles(self) -> TaskRoles:
        """The tasks without the epochs."""
        return TaskRoles(self.active, self.standby, self.warmup)

    def epoch_of(self, task: GroupTask) -> int | None:
        """The epoch at which the member was assigned an active task, or None."""
        return self.epochs[self.active.index(task)] if task in self.active else None


NO_TASKS: Final = TaskRoles()
NONE_HELD: Final = HeldTasks()

TaskTarget: TypeAlias = Ordered[tuple[MemberId, TaskRoles]]
"""The target of each member, by member id."""

OffsetsOfTasks: TypeAlias = tuple[tuple[GroupTask, int], ...]
"""The sum of the offsets of a task's changelogs, by task."""


class TaskOffsets(NamedTuple):
    """The offsets of the state on a member's disk, as it reports them, and the end offsets."""

    offsets: OffsetsOfTasks = ()
    ends: OffsetsOfTasks = ()
