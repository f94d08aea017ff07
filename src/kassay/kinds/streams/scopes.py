"""The smallest histories of Streams applications, to restart shrinking where one cannot be cut further.

They have the features of the history: tags to spread copies over, copies that lag, and the acceptable lag.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from kassay.kinds.cuts import compositions
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

PROCESSES_MAX: Final = 3
TASKS_MAX: Final = 4
"""Larger histories are only cut."""
PLAIN: Final = TaskHistory((1,), 0, ())
"""The default settings of an application."""
LEFT_OUT: Final = (
    "racks and tags",
    "more than 2 threads a process",
    "more than 1 standby",
    "other lags than none or the whole changelog",
    "more than 1 change",
)
"""What no scope has."""
TAG_VALUES: Final = ("a", "b")


def fresh_tasks(case: TaskHistory) -> Iterator[TaskHistory]:
    """Histories without a change, with copies that lag, or with one event; the fewest processes first.

    Only those without a change if the case has none. They allow one warm-up at a time and require one tag.
    """
    joins = [event for change in case.changes for event in change.events if isinstance(event, ProcessJoin)]
    processes = range(1, min(len(case.processes) + len(joins) + 1, PROCESSES_MAX) + 1)
    tasks = range(1, min(sum(case.partitions), TASKS_MAX) + 1)
    like = replace(
        PLAIN,
        acceptable_recovery_lag=case.acceptable_recovery_lag,
        warmup_replicas_max=1,
        rack_aware_tags=case.rack_aware_tags[:1],
    )
    for happens in (_nothing, _lag, _next_event) if case.changes else (_nothing,):
        for count, total in product(processes, tasks):
            for start in _starts(count, total, like, partly=happens is not _next_event):
                yield from happens(start)


def task_cell(count: int, tasks: int, past: bool) -> Iterator[TaskHistory]:
    """Applications with one or two threads each, all subtopologies, some stateful, a standby or none.

    With a `past`, copies then lag, or one event of any kind happens.
    """
    for start in _starts(count, tasks, PLAIN):
        for happens in (_lag, _next_event, _next_other_event) if past else (_nothing,):
            yield from happens(start)


def _starts(count: int, tasks: int, like: TaskHistory, partly: bool = True) -> Iterator[TaskHistory]:
    """All applications of this size with these settings; processes have all tags.

    Either all subtopologies have state, or none; with `partly` also some.
    """
    keys = like.rack_aware_tags
    placed = [tuple(zip(keys, values)) for values in product(TAG_VALUES, repeat=len(keys))]
    for threads, tags in product(product((1, 2), repeat=count), product(placed, repeat=count)):
        processes = tuple(
            ProcessJoin(process_id(i), own, tags=has) for i, (own, has) in enumerate(zip(threads, tags))
        )
        for partitions in compositions(tasks):
            states = range(0, len(partitions) + 1, 1 if partly else len(partitions))
            for stateful, standbys in product(states, (0, 1)):
                if stateful or not standbys:
                    yield replace(
                        like,
                        partitions=partitions,
                        stateful=stateful,
                        processes=processes,
                        standby_replicas=standbys,
                    )


def _nothing(start: TaskHistory) -> Iterator[TaskHistory]:
    """Only the start."""
    yield start


def _lag(start: TaskHistory) -> Iterator[TaskHistory]:
    """A rebalance before which no copy has caught up."""
    if start.standby_replicas:
        yield replace(start, changes=(TaskChange(lags=(CHANGELOG,)),))


def _next_event(start: TaskHistory) -> Iterator[TaskHistory]:
    """The next event of one process: join, leave, restart, or have a thread more or fewer."""
    for event in _events(start):
        yield replace(start, changes=(TaskChange((event,)),))


def _next_other_event(start: TaskHistory) -> Iterator[TaskHistory]:
    """The next event of a kind that shrinking does without.

    A process with two threads joins; where tasks have state, a process loses its own, or the number of
    standbys changes.
    """
    events: list[TaskEvent] = [ProcessJoin(process_id(len(start.processes)), 2)]
    if start.stateful:
        events += [StateLost(process.process_id) for process in start.processes]
        events.append(StandbysChange(1 - start.standby_replicas))
    for event in events:
        yield replace(start, changes=(TaskChange((event,)),))


def _events(start: TaskHistory) -> Iterator[TaskEvent]:
    yield ProcessJoin(process_id(len(start.processes)), 1)
    for process in start.processes:
        if len(start.processes) > 1:
            yield ProcessLeave(process.process_id)
        yield ProcessRestart(process.process_id)
        yield ThreadsChange(process.process_id, 3 - process.threads)
