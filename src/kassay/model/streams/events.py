"""Events of a Streams application between two rebalances: processes join, leave and restart.

An event has no effect if it names a missing process, adds an existing one, or would remove the last one.
Sources: KIP-441 for the state that stays on a disk; KIP-708 and KIP-925 for tags and racks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Tags = tuple[tuple[str, str], ...]
"""The tags of a process (`client.tag.KEY`) as pairs of key and value with unique keys, ordered by key."""


@dataclass(frozen=True, slots=True)
class ProcessJoin:
    """A process without state joins, with an optional rack (`client.rack`) and optional tags."""

    process_id: str
    threads: int
    rack: str | None = None
    tags: Tags = ()


@dataclass(frozen=True, slots=True)
class ProcessLeave:
    """A process leaves and its state is lost."""

    process_id: str


@dataclass(frozen=True, slots=True)
class ThreadsChange:
    """A process continues with another number of threads."""

    process_id: str
    threads: int


@dataclass(frozen=True, slots=True)
class ProcessRestart:
    """A process restarts before the rebalance: its threads are new, its disk is unchanged.

    Its previous active tasks become caught-up copies, and no thread owns any task.
    """

    process_id: str


@dataclass(frozen=True, slots=True)
class ProcessRetag:
    """A process restarts as in `ProcessRestart`, with exactly this rack and these tags."""

    process_id: str
    rack: str | None = None
    tags: Tags = ()


@dataclass(frozen=True, slots=True)
class StateLost:
    """A process loses the state on its disk, except for the tasks that it is running."""

    process_id: str


@dataclass(frozen=True, slots=True)
class StandbysChange:
    """The number of standby replicas changes."""

    replicas: int


TaskEvent = (
    ProcessJoin | ProcessLeave | ThreadsChange | ProcessRestart | ProcessRetag | StateLost | StandbysChange
)
"""All events; each except the last names a process."""


class Running(NamedTuple):
    """How a process runs: its number of threads, its rack and its tags."""

    threads: int
    rack: str | None = None
    tags: Tags = ()


def happen(event: TaskEvent, here: dict[str, Running]) -> None:
    """Apply one event to the processes, in place, by process id; events of other kinds change nothing."""
    match event:
        case ProcessJoin(process_id, threads, rack, tags) if process_id not in here:
            here[process_id] = Running(threads, rack, tags)
        case ProcessLeave(process_id) if process_id in here and len(here) > 1:
            del here[process_id]
        case ThreadsChange(process_id, threads) if process_id in here:
            here[process_id] = here[process_id]._replace(threads=threads)
        case ProcessRetag(process_id, rack, tags) if process_id in here:
            here[process_id] = Running(here[process_id].threads, rack, tags)
