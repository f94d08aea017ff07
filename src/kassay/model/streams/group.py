"""A Streams group of the broker's own protocol: subtopologies, members, processes, and task owners.

A member is a stream thread. Members of one process share its state directory, so a process needs at most one
copy of a task. Here subtopologies are named by text and ordered as text: `10` before `2`. Sources: KIP-1071;
Kafka `org.apache.kafka.coordinator.group.api.streams.assignor`.
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
    """A connected part of a topology; it has as many tasks as its widest input topic has partitions."""

    name: str
    partitions: int
    stateful: bool


class MemberTasks(NamedTuple):
    """The tasks assigned to one member, each list in task order."""

    active: tuple[GroupTask, ...] = ()
    standby: tuple[GroupTask, ...] = ()


@dataclass(frozen=True)
class StreamsMember:
    """One thread of a process: its current tasks and the state that it reports.

    `offsets` has the sum of the changelog offsets of each task with state on its disk. `rack` and `tags`
    describe its process.
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

    `rack_aware_tags` are tag keys for custom assignors; none of the broker's own rules reads them.
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
        """The stateful tasks, which can have standby copies."""
        return tuple(_tasks(tuple(sub for sub in self.subtopologies if sub.stateful)))


def _tasks(subtopologies: tuple[Subtopology, ...]) -> list[GroupTask]:
    return [GroupTask(sub.name, p) for sub in subtopologies for p in range(sub.partitions)]
