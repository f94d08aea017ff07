"""What happens to a Streams application between two rebalances: processes come, go, and start again.

An event that names a process that is not there (or is there already) does nothing, and neither does one
that would leave no process at all.
Sources: KIP-441, for what is left on a disk; KIP-708 and KIP-925, for tags and racks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

Tags = tuple[tuple[str, str], ...]
"""The tags of a process (`client.tag.KEY`) as pairs of key and value, each key once, in the order of keys."""


@dataclass(frozen=True, slots=True)
class ProcessJoin:
    """A process without any state comes, from a rack (`client.rack`) and with tags if it has some."""

    process_id: str
    threads: int
    rack: str | None = None
    tags: Tags = ()


@dataclass(frozen=True, slots=True)
class ProcessLeave:
    """A process goes, and its state with it."""

    process_id: str


@dataclass(frozen=True, slots=True)
class ThreadsChange:
    """A process goes on with another number of threads."""

    process_id: str
    threads: int


@dataclass(frozen=True, slots=True)
class ProcessRestart:
    """A process goes and comes back before the rebalance: its threads are new, its disk is what it was.

    What it ran before is now a copy that has caught up, and no thread holds anything.
    """

    process_id: str


@dataclass(frozen=True, slots=True)
class ProcessRetag:
    """A process starts again as in `ProcessRestart`, now with this rack and these tags and no others."""

    process_id: str
    rack: str | None = None
    tags: Tags = ()


@dataclass(frozen=True, slots=True)
class StateLost:
    """A process loses what its disk held, but for the tasks that it is running."""

    process_id: str


@dataclass(frozen=True, slots=True)
class StandbysChange:
    """Another number of standby copies is asked for from now on."""

    replicas: int


TaskEvent = (
    ProcessJoin | ProcessLeave | ThreadsChange | ProcessRestart | ProcessRetag | StateLost | StandbysChange
)
"""What can happen; all but the last happen to a process."""


class Running(NamedTuple):
    """How a process runs: its number of threads, its rack and its tags."""

    threads: int
    rack: str | None = None
    tags: Tags = ()


def happen(event: TaskEvent, here: dict[str, Running]) -> None:
    """Change how the processes run by one event, in place, by process id; other events change nothing."""
    match event:
        case ProcessJoin(process_id, threads, rack, tags) if process_id not in here:
            here[process_id] = Running(threads, rack, tags)
        case ProcessLeave(process_id) if process_id in here and len(here) > 1:
            del here[process_id]
        case ThreadsChange(process_id, threads) if process_id in here:
            here[process_id] = here[process_id]._replace(threads=threads)
        case ProcessRetag(process_id, rack, tags) if process_id in here:
            here[process_id] = Running(here[process_id].threads, rack, tags)
