"""Who has which tasks of a Streams group, in which role."""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.values.marks import Generation, MemberId, Ordered
from kassay.model.streams.group import GroupTask

TaskIds: TypeAlias = tuple[GroupTask, ...]
"""Tasks in their order, without repeats."""


class TaskRoles(NamedTuple):
    """Tasks by role (`TasksTuple`): what a member is to have, or says that it has."""

    active: TaskIds = ()
    standby: TaskIds = ()
    warmup: TaskIds = ()


class HeldTasks(NamedTuple):
    """Tasks by role that a member has on record; `epochs` are those at which it was given its active ones.

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
        """The epoch at which the member was given an active task; None if it has not got it."""
        return self.epochs[self.active.index(task)] if task in self.active else None


NO_TASKS: Final = TaskRoles()
NONE_HELD: Final = HeldTasks()

TaskTarget: TypeAlias = Ordered[tuple[MemberId, TaskRoles]]
"""Who is to have what, by member id."""

OffsetsOfTasks: TypeAlias = tuple[tuple[GroupTask, int], ...]
"""The sum of the offsets of a task's changelogs, by task."""


class TaskOffsets(NamedTuple):
    """How far a member says that the state on its disk is, and how far that could be."""

    offsets: OffsetsOfTasks = ()
    ends: OffsetsOfTasks = ()
