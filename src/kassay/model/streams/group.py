"""A Streams group of the broker's own protocol: subtopologies, members inside processes, who has which task.

A member is a stream thread. Members of one process share its state directory, so that a process needs a
copy of a task once at most. Subtopologies are named by text here, and order as text: `10` before `2`.
Sources: KIP-1071; Kafka `org.apache.kafka.coordinator.group.api.streams.assignor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from kassay.model.errors import InputError
from kassay.model.lazy import lazy
from kassay.model.streams.events import Tags


class GroupTask(NamedTuple):
    """One task of a group: a partition of a subtopology."""

    subtopology: str
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"


class Subtopology(NamedTuple):
    """A connected part of a topology: as many tasks as its widest input has partitions."""

    name: str
    partitions: int
    stateful: bool


class MemberTasks(NamedTuple):
    """What one member is given, each in task order."""

    active: tuple[GroupTask, ...] = ()
    standby: tuple[GroupTask, ...] = ()


@dataclass(frozen=True)
class StreamsMember:
    """One thread of a process: the tasks that it has now, and the state that it reports.

    `offsets` has the sum of a task's changelog offsets, for tasks of which it finds state on its disk.
    `rack` and `tags` say where its process runs.
    """

    member_id: str
    process_id: str
    active: tuple[GroupTask, ...] = ()
    standby: tuple[GroupTask, ...] = ()
    offsets: tuple[tuple[GroupTask, int], ...] = ()
    rack: str | None = None
    tags: Tags = ()

    @lazy
    def offset_of(self) -> Mapping[GroupTask, int]:
        """The reported offset by task; treat as read-only."""
        return dict(self.offsets)


@dataclass(frozen=True)
class StreamsGroup:
    """What the broker knows when it assigns tasks; members in the order in which its map iterates them.

    `rack_aware_tags` are the keys of tags for custom assignors; no rule of the broker's own reads them.
    """

    subtopologies: tuple[Subtopology, ...]
    members: tuple[StreamsMember, ...]
    standby_replicas: int = 0
    rack_aware_tags: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len({member.member_id for member in self.members}) < len(self.members):
            raise InputError("members: expected different member ids")
        if len({subtopology.name for subtopology in self.subtopologies}) < len(self.subtopologies):
            raise InputError("subtopologies: expected different names")

    @lazy
    def tasks(self) -> tuple[GroupTask, ...]:
        """All tasks, subtopology by subtopology."""
        return tuple(_tasks(self.subtopologies))

    @lazy
    def stateful(self) -> tuple[GroupTask, ...]:
        """The tasks with state, of which standby copies can be kept."""
        return tuple(_tasks(tuple(sub for sub in self.subtopologies if sub.stateful)))


def _tasks(subtopologies: tuple[Subtopology, ...]) -> list[GroupTask]:
    return [GroupTask(sub.name, p) for sub in subtopologies for p in range(sub.partitions)]
