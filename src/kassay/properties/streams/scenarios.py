"""Histories of a Streams application, generated from a source of choices.

Written once, for seeds and for Hypothesis (`sources`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    StandbysChange,
    StateLost,
    TaskEvent,
    ThreadsChange,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import CHANGELOG, process_id
from kassay.properties.sources import Source, many


@dataclass(frozen=True)
class TaskProfile:
    """How large an application may be."""

    processes: int = 6
    threads: int = 4
    subtopologies: int = 3
    partitions: int = 8
    changes: int = 6


SMALL: Final = TaskProfile()
LARGE: Final = TaskProfile(processes=20, threads=6, subtopologies=4, partitions=60, changes=3)
ACCEPTABLE_LAG: Final = 100
STANDBYS_MAX: Final = 2
LAGS: Final = (0, ACCEPTABLE_LAG, ACCEPTABLE_LAG + 1, 5_000, CHANGELOG)
"""Caught up, just caught up, just not, behind, and empty."""


def task_history(source: Source, profile: TaskProfile = SMALL) -> TaskHistory:
    """One history; the source's choices decide everything in it."""
    partitions = tuple(
        many(source, 1, profile.subtopologies, lambda _: source.integer(1, profile.partitions))
    )
    same_threads = source.boolean()
    usual = source.integer(1, profile.threads)

    def threads() -> int:
        return usual if same_threads else source.integer(1, profile.threads)

    return TaskHistory(
        partitions=partitions,
        stateful=source.integer(0, len(partitions)),
        processes=tuple(
            many(
                source,
                1,
                profile.processes,
                lambda i: ProcessJoin(process_id(i), threads()),
                0.7 if profile is SMALL else 0.95,
            )
        ),
        changes=tuple(
            many(source, 0, profile.changes, lambda _: _change(source, profile, usual, same_threads), 0.75)
        ),
        standby_replicas=source.integer(0, STANDBYS_MAX),
        acceptable_recovery_lag=ACCEPTABLE_LAG,
        warmup_replicas_max=source.choice((1, 2, 5)),
    )


def _change(source: Source, profile: TaskProfile, usual: int, same_threads: bool) -> TaskChange:
    """Nothing, one or two events, or only time passing."""
    events: list[TaskEvent] = []
    if source.boolean(0.7):
        events = many(source, 1, 3, lambda _: _event(source, profile, usual, same_threads), chance=0.25)
    lags = many(source, 0, 6, lambda _: source.choice(LAGS), chance=0.7)
    return TaskChange(tuple(events), tuple(lags))


def _event(source: Source, profile: TaskProfile, usual: int, same_threads: bool) -> TaskEvent:
    """An event of a process among the names in use, or a change of the number of copies."""
    name = process_id(source.integer(0, profile.processes))
    kind = source.choice(
        (ProcessLeave, ProcessJoin, ThreadsChange, ProcessRestart, StateLost, StandbysChange)
    )
    if kind is StandbysChange:
        return StandbysChange(source.integer(0, STANDBYS_MAX))
    if kind in (ProcessLeave, ProcessRestart, StateLost):
        return kind(name)
    threads = usual if same_threads and kind is ProcessJoin else source.integer(1, profile.threads)
    return ProcessJoin(name, threads) if kind is ProcessJoin else ThreadsChange(name, threads)
