"""The smallest lives of Streams applications, to begin anew where one cannot be cut further."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final

from kassay.certify.kinds.cuts import compositions
from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    TaskEvent,
    ThreadsChange,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.properties.streams.scenarios import process_id

PROCESSES_MAX: Final = 3
TASKS_MAX: Final = 4
"""Larger histories are left to the cuts."""


def fresh_tasks(case: TaskHistory) -> Iterator[TaskHistory]:
    """Histories with one event, or none where the case has none, of the fewest processes and tasks first."""
    processes = range(1, min(len(case.processes) + 1, PROCESSES_MAX) + 1)
    tasks = range(1, min(sum(case.partitions), TASKS_MAX) + 1)
    for past in (False, True) if case.changes else (False,):
        for count, total in product(processes, tasks):
            yield from task_cell(count, total, past)


def task_cell(count: int, tasks: int, past: bool) -> Iterator[TaskHistory]:
    """One or two threads each, all subtopologies, stateful or not, a standby or none, an event or not."""
    ids = [process_id(i) for i in range(count + 1)]
    for threads in product((1, 2), repeat=count):
        processes = tuple(ProcessJoin(ids[i], own) for i, own in enumerate(threads))
        for partitions in compositions(tasks):
            for stateful, standbys in ((0, 0), (len(partitions), 0), (len(partitions), 1)):
                start = TaskHistory(partitions, stateful, processes, standby_replicas=standbys)
                if not past:
                    yield start
                    continue
                for event in _next_events(ids, threads):
                    yield TaskHistory(partitions, stateful, processes, (TaskChange((event,)),), standbys)


def _next_events(ids: list[str], threads: tuple[int, ...]) -> Iterator[TaskEvent]:
    """What one process may do next: come, go, start again, or have a thread more or fewer."""
    *here, new = ids
    yield ProcessJoin(new, 1)
    for process, count in zip(here, threads):
        if len(here) > 1:
            yield ProcessLeave(process)
        yield ProcessRestart(process)
        yield ThreadsChange(process, 3 - count)
