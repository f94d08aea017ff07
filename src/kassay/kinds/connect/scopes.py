"""The smallest histories of a Connect cluster, to restart shrinking where a history cannot be cut further.

They have at most as many changes, its delay and its waits. Every kind of event occurs, since one lost answer
may replace two other events. Workers join running something only where they do in the history.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from kassay.kinds.cuts import compositions
from kassay.model.connect.history import (
    ConnectChange,
    ConnectEvent,
    ConnectHistory,
    ConnectorCreate,
    ConnectorDelete,
    ConnectorResize,
    LeaderChange,
    MissedAssignment,
    SyncFailure,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.work import ConnectorTaskId, Work
from kassay.properties.connect.scenarios import connector_name, worker_id

CHANGES_MAX: Final = 2
WORKERS_MAX: Final = 3
LEFT_OUT: Final = (
    "waits",
    "new connectors with more than 1 task",
    "connectors changed to more than 2 tasks",
    "workers that return with more than 1 connector or task",
    "more than 1 change",
)
"""What no scope has."""
CONFIGURED: Final = ((), (0,), (1,), (2,), (3,), (0, 0), (0, 1), (1, 1))
"""Tasks of each connector at the start."""


def fresh_clusters(case: ConnectHistory) -> Iterator[ConnectHistory]:
    """Histories with one event in a change, or two, the fewest changes first, then the fewest workers."""
    events = [event for change in case.changes for event in change.events]
    running = any(isinstance(event, WorkerJoin) and event.running for event in events)
    waits = sorted({0, *(change.wait_ms for change in case.changes)})
    workers_max = min(len(case.workers) + 1, WORKERS_MAX)
    for count in range(min(len(case.changes), CHANGES_MAX) + 1):
        for workers, tasks in product(range(1, workers_max + 1), CONFIGURED):
            able = list(next_events(workers, tasks, running))
            changes = [ConnectChange(wait, (event,)) for event in able for wait in waits]
            together = [ConnectChange(0, both) for both in product(able, repeat=2)] if len(events) > 1 else []
            lives = product(changes, repeat=count)
            for life in (*lives, *((each,) for each in together if count == 1)):
                yield ConnectHistory(
                    tuple(map(worker_id, range(workers))),
                    tuple((connector_name(i), n) for i, n in enumerate(tasks)),
                    case.max_delay_ms,
                    life,
                )


def next_events(workers: int, tasks: tuple[int, ...], running: bool) -> Iterator[ConnectEvent]:
    """The possible next events of one worker or connector, also a new one; new workers may run something."""
    for worker in map(worker_id, range(workers)):
        yield WorkerLeave(worker)
        yield MissedAssignment(worker)
    configured: list[Work] = []
    for i, count in enumerate(tasks):
        configured += [connector_name(i), *(ConnectorTaskId(connector_name(i), n) for n in range(count))]
        yield ConnectorDelete(connector_name(i))
        yield from (ConnectorResize(connector_name(i), n) for n in (0, 1, 2) if n != count)
    yield WorkerJoin(worker_id(workers))
    yield WorkerJoin(worker_id(workers + 1))
    yield from (WorkerJoin(worker_id(workers), (each,)) for each in configured if running)
    yield from (ConnectorCreate(connector_name(len(tasks)), n) for n in (0, 1))
    yield LeaderChange()
    yield SyncFailure()


def connect_cell(workers: int, work: int, past: bool) -> Iterator[ConnectHistory]:
    """All ways to distribute these connectors and tasks; with one event of any kind, or none."""
    for sizes in compositions(work):
        tasks = tuple(size - 1 for size in sizes)
        start = ConnectHistory(
            tuple(map(worker_id, range(workers))), tuple((connector_name(i), n) for i, n in enumerate(tasks))
        )
        if not past:
            yield start
            continue
        for event in next_events(workers, tasks, running=True):
            yield replace(start, changes=(ConnectChange(0, (event,)),))
