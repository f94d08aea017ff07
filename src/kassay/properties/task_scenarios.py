"""Histories of a Streams application out of a source of choices.

Written once, for seeds and for Hypothesis alike (`sources`).
"""

from __future__ import annotations

from typing import Final

from kassay.model.task_history import (
    CHANGELOG,
    ProcessJoin,
    ProcessLeave,
    TaskChange,
    TaskEvent,
    TaskHistory,
    ThreadsChange,
    happen,
)
from kassay.properties.sources import Source, many

PROCESSES_MAX: Final = 6
THREADS_MAX: Final = 4
SUBTOPOLOGIES_MAX: Final = 3
PARTITIONS_MAX: Final = 8
CHANGES_MAX: Final = 6
ACCEPTABLE_LAG: Final = 100
LAGS: Final = (0, ACCEPTABLE_LAG, ACCEPTABLE_LAG + 1, 5_000, CHANGELOG)
"""Caught up, just so, just not, behind, and nothing there yet."""

SITUATIONS: Final = (
    "process-joins",
    "process-leaves",
    "threads-differ",
    "lagging-copy",
    "standby-0",
    "standby-1",
    "standby-2",
    "more-standbys-than-processes",
    "stateless-and-stateful",
    "no-change",
)
"""What a run over these histories should have reached, for its verdict to mean something."""


def process_id(number: int) -> str:
    """The id of the n-th process; every other one sorts before all others, being signed in Java."""
    return f"{'8' if number % 2 else '0'}0000000-0000-4000-8000-{number:012x}"


def task_history(source: Source) -> TaskHistory:
    """One history; the source's choices decide everything in it."""
    partitions = tuple(many(source, 1, SUBTOPOLOGIES_MAX, lambda _: source.integer(1, PARTITIONS_MAX)))
    same_threads = source.boolean()
    usual = source.integer(1, THREADS_MAX)

    def threads() -> int:
        return usual if same_threads else source.integer(1, THREADS_MAX)

    return TaskHistory(
        partitions=partitions,
        stateful=source.integer(0, len(partitions)),
        processes=tuple(
            many(source, 1, PROCESSES_MAX, lambda i: ProcessJoin(process_id(i), threads()), chance=0.7)
        ),
        changes=tuple(
            many(source, 0, CHANGES_MAX, lambda _: _change(source, usual, same_threads), chance=0.75)
        ),
        standby_replicas=source.integer(0, 2),
        acceptable_recovery_lag=ACCEPTABLE_LAG,
        warmup_replicas_max=source.choice((1, 2, 5)),
    )


def _change(source: Source, usual: int, same_threads: bool) -> TaskChange:
    """Nothing at all, or an event or two, or only time passing."""
    events: list[TaskEvent] = []
    if source.boolean(0.7):
        events = many(source, 1, 3, lambda _: _event(source, usual, same_threads), chance=0.25)
    lags = many(source, 0, 6, lambda _: source.choice(LAGS), chance=0.7)
    return TaskChange(tuple(events), tuple(lags))


def _event(source: Source, usual: int, same_threads: bool) -> TaskEvent:
    """A process comes, goes or changes its threads; one in the range of names that are in use."""
    name = process_id(source.integer(0, PROCESSES_MAX))
    kind = source.choice((ProcessLeave, ProcessJoin, ThreadsChange))
    if kind is ProcessLeave:
        return ProcessLeave(name)
    threads = usual if same_threads and kind is ProcessJoin else source.integer(1, THREADS_MAX)
    return ProcessJoin(name, threads) if kind is ProcessJoin else ThreadsChange(name, threads)


def reached(history: TaskHistory) -> frozenset[str]:
    """The situations of `SITUATIONS` that the history has in it."""
    here = {join.process_id: join.threads for join in history.processes}
    found = {f"standby-{history.standby_replicas}"}
    if 0 < history.stateful < len(history.partitions):
        found.add("stateless-and-stateful")
    for change in (TaskChange(), *history.changes):
        for event in change.events:
            before = len(here)
            happen(event, here)
            if len(here) != before:
                found.add("process-joins" if len(here) > before else "process-leaves")
        if len(set(here.values())) > 1:
            found.add("threads-differ")
        if history.stateful and len(here) <= history.standby_replicas:
            found.add("more-standbys-than-processes")
        if history.stateful and history.standby_replicas and any(lag > ACCEPTABLE_LAG for lag in change.lags):
            found.add("lagging-copy")
    if any(not change.events for change in history.changes):
        found.add("no-change")
    return frozenset(found)
