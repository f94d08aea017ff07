"""Histories of a Streams application: processes come and go, copies fall behind and catch up.

A history is a start and changes in order; each change is a few events and one rebalance. Between two
rebalances every process runs and keeps what it was given, which is all that its next request says
of the past. An event that names a process that is not there (or is there already) does nothing,
and neither does one that would leave no process at all.
Source: KIP-441, for what processes report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from kassay.model.tasks import (
    RUNNING,
    TaskAssignment,
    TaskAssignor,
    TaskClient,
    TaskId,
    TaskRequest,
    process_hash_order,
    task_hash_order,
)

CHANGELOG: Final = 100_000
"""The lag of a process without a copy: the whole changelog of a task."""

SETTLING_ROUNDS_MAX: Final = 64
"""Probing rebalances after which an application counts as never at rest."""


@dataclass(frozen=True, slots=True)
class ProcessJoin:
    """A process without any state comes."""

    process_id: str
    threads: int


@dataclass(frozen=True, slots=True)
class ProcessLeave:
    """A process goes, and its state with it."""

    process_id: str


@dataclass(frozen=True, slots=True)
class ThreadsChange:
    """A process goes on with another number of threads."""

    process_id: str
    threads: int


TaskEvent = ProcessJoin | ProcessLeave | ThreadsChange


@dataclass(frozen=True, slots=True)
class TaskChange:
    """What happened before a rebalance, and how far behind the standby copies are by then.

    `lags` are dealt out over the standby copies by process and task, again from the front when they
    are used up; without any, all copies have caught up.
    """

    events: tuple[TaskEvent, ...] = ()
    lags: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """An application's tasks and settings, its first processes, and what happens to it.

    `partitions` has the number of tasks of each subtopology; the first `stateful` subtopologies keep state.
    """

    partitions: tuple[int, ...]
    stateful: int
    processes: tuple[ProcessJoin, ...]
    changes: tuple[TaskChange, ...] = ()
    standby_replicas: int = 0
    acceptable_recovery_lag: int = 10_000
    warmup_replicas_max: int = 2


class TaskStep(NamedTuple):
    """One rebalance: what the leader saw and what it decided."""

    request: TaskRequest
    answer: TaskAssignment


def play_tasks(history: TaskHistory, assignor: TaskAssignor) -> Iterator[TaskStep]:
    """The start and every change in turn, a rebalance each; whatever the assignor raises comes through."""
    request = first_request(history)
    answer = assignor.assign(request)
    yield TaskStep(request, answer)
    for change in history.changes:
        request = next_request(request, answer, change)
        answer = assignor.assign(request)
        yield TaskStep(request, answer)


def settle_tasks(step: TaskStep, assignor: TaskAssignor) -> Iterator[TaskStep]:
    """The rebalances that follow by themselves, all copies having caught up, until nothing changes.

    The last one repeats the answer before it and asks for no other, unless `SETTLING_ROUNDS_MAX` come first.
    """
    for _ in range(SETTLING_ROUNDS_MAX):
        request = next_request(*step, TaskChange())
        before, step = step.answer, TaskStep(request, assignor.assign(request))
        yield step
        if step.answer == before and not before.probing_rebalance:
            return


def first_request(history: TaskHistory) -> TaskRequest:
    """What the leader sees first: processes without state, and tasks that nobody has."""
    tasks = [TaskId(sub, p) for sub, size in enumerate(history.partitions) for p in range(size)]
    stateful = [task for task in tasks if task.subtopology < history.stateful]
    empty = TaskRequest(
        clients=(),
        tasks=tuple(task_hash_order(tasks)),
        stateful=tuple(task_hash_order(stateful)),
        standby_replicas=history.standby_replicas,
        acceptable_recovery_lag=history.acceptable_recovery_lag,
        warmup_replicas_max=history.warmup_replicas_max,
    )
    return next_request(empty, TaskAssignment({}), TaskChange(history.processes))


def next_request(request: TaskRequest, answer: TaskAssignment, change: TaskChange) -> TaskRequest:
    """What the leader sees after the processes have lived by this answer and the change has happened."""
    threads = {client.process_id: client.capacity for client in request.clients}
    for event in change.events:
        happen(event, threads)
    stateful = sorted(request.stateful)
    lags = _endless(change.lags)
    clients = {
        process_id: _client(process_id, threads[process_id], answer, stateful, lags)
        for process_id in sorted(threads)
    }
    return replace(request, clients=tuple(clients[process_id] for process_id in process_hash_order(clients)))


def happen(event: TaskEvent, threads: dict[str, int]) -> None:
    """Change the processes and their threads by one event, in place."""
    here = event.process_id in threads
    match event:
        case ProcessJoin(process_id, size) if not here:
            threads[process_id] = size
        case ProcessLeave(process_id) if here and len(threads) > 1:
            del threads[process_id]
        case ThreadsChange(process_id, size) if here:
            threads[process_id] = size


def _endless(lags: tuple[int, ...]) -> Iterator[int]:
    """The lags over and over; 0 for ever if there are none."""
    while True:
        yield from lags or (0,)


def _client(
    process_id: str, threads: int, answer: TaskAssignment, stateful: list[TaskId], lags: Iterator[int]
) -> TaskClient:
    """One process with what it was given; what it never had, it lacks altogether."""
    given = answer.given.get(process_id)
    active, standby = given if given is not None else ((), ())

    def lag(task: TaskId) -> int:
        if task in active:
            return RUNNING
        return next(lags) if task in standby else CHANGELOG

    return TaskClient(process_id, threads, active, standby, tuple((task, lag(task)) for task in stateful))
