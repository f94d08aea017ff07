"""Histories of a Streams application: processes join and leave, copies fall behind and catch up.

A history is a start and a sequence of changes; each change is a few events and one rebalance. Between two
rebalances every process runs and keeps its tasks, and its next request reports only these. Source: KIP-441,
for what processes report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from kassay.model.calls import Call, Failure, Look, call
from kassay.model.streams.events import (
    ProcessJoin,
    ProcessRestart,
    ProcessRetag,
    Running,
    StandbysChange,
    StateLost,
    TaskEvent,
    happen,
)
from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    TaskAssignment,
    TaskAssignor,
    TaskClient,
    TaskId,
    TaskRequest,
    member_id,
    process_hash_order,
    task_hash_order,
)

SETTLING_ROUNDS_MAX: Final = 64
"""An application counts as never stable after this many probing rebalances."""


@dataclass(frozen=True, slots=True)
class TaskChange:
    """The events before a rebalance, and the lags of the standby copies at that time.

    `lags` are distributed over the standby copies by process and task, and repeat from the front when used
    up. Without lags, all copies have caught up.
    """

    events: tuple[TaskEvent, ...] = ()
    lags: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskHistory:
    """The tasks and settings of an application, its first processes, and its changes.

    `partitions` has the number of tasks of each subtopology; the first `stateful` subtopologies keep state.
    `rack_aware_tags` are the tag keys over whose values standby copies should be spread. `changelog` is the
    length of the changelog of each task with state, and the largest lag.
    """

    partitions: tuple[int, ...]
    stateful: int
    processes: tuple[ProcessJoin, ...]
    changes: tuple[TaskChange, ...] = ()
    standby_replicas: int = 0
    acceptable_recovery_lag: int = 10_000
    warmup_replicas_max: int = 2
    rack_aware_tags: tuple[str, ...] = ()
    changelog: int = CHANGELOG


@dataclass(frozen=True)
class TaskStep(Call[TaskRequest, TaskAssignment]):
    """One rebalance: the leader's input, its decision, and the answers of repeat calls.

    `at_rest` marks the end of `settle_tasks`: the answer equals the previous one and requests no probing
    rebalance.
    """

    at_rest: bool = False


NewTaskAssignor = Callable[[], TaskAssignor]
Asking = Callable[[TaskRequest], TaskStep]
"""Calls an assignor with a request."""


def asking(new: NewTaskAssignor, looks: Collection[Look] = (), twin: NewTaskAssignor | None = None) -> Asking:
    """A function that makes a step with a new assignor object; PERMUTED reverses clients and tasks."""

    def assign(assignor: TaskAssignor, request: TaskRequest) -> TaskAssignment:
        return assignor.assign(request)

    return lambda request: call(TaskStep, assign, new, request, looks, permuted=_backwards, twin=twin)


def _backwards(request: TaskRequest) -> TaskRequest:
    return replace(
        request, clients=request.clients[::-1], tasks=request.tasks[::-1], stateful=request.stateful[::-1]
    )


def play_tasks(history: TaskHistory, ask: Asking) -> Iterator[TaskStep]:
    """Play the start and every change, one rebalance each; stops early if there is no answer."""
    step = ask(first_request(history))
    yield step
    for change in history.changes:
        if isinstance(step.answer, Failure):
            return
        step = ask(next_request(step.request, step.answer, change))
        yield step


def settle_tasks(step: TaskStep, ask: Asking) -> Iterator[TaskStep]:
    """The rebalances that follow without events, with all copies caught up, until nothing changes.

    The last one is stable, unless it has no answer or `SETTLING_ROUNDS_MAX` is reached first.
    """
    for _ in range(SETTLING_ROUNDS_MAX):
        before = step.answer
        if isinstance(before, Failure):
            return
        step = ask(next_request(step.request, before, TaskChange()))
        if step.answer == before and not before.probing_rebalance:
            yield replace(step, at_rest=True)
            return
        yield step


def first_request(history: TaskHistory) -> TaskRequest:
    """The first request of the leader: processes without state, and unassigned tasks."""
    tasks = [TaskId(sub, p) for sub, size in enumerate(history.partitions) for p in range(size)]
    stateful = [task for task in tasks if task.subtopology < history.stateful]
    empty = TaskRequest(
        clients=(),
        tasks=tuple(task_hash_order(tasks)),
        stateful=tuple(task_hash_order(stateful)),
        standby_replicas=history.standby_replicas,
        acceptable_recovery_lag=history.acceptable_recovery_lag,
        warmup_replicas_max=history.warmup_replicas_max,
        rack_aware_tags=history.rack_aware_tags,
        changelog=history.changelog,
    )
    return next_request(empty, TaskAssignment({}), TaskChange(history.processes))


def next_request(request: TaskRequest, answer: TaskAssignment, change: TaskChange) -> TaskRequest:
    """The leader's next request, after the processes applied this answer and the change happened."""
    here = {
        client.process_id: Running(client.capacity, client.rack, client.tags) for client in request.clients
    }
    starts = {client.process_id: client.start for client in request.clients}
    standbys = request.standby_replicas
    for event in change.events:
        happen(event, here)
        if isinstance(event, StandbysChange):
            standbys = event.replicas
    stateful = sorted(request.stateful)
    lags = _endless(change.lags)
    lost = {event.process_id for event in change.events if isinstance(event, StateLost)}
    again = {e.process_id for e in change.events if isinstance(e, ProcessRestart | ProcessRetag)}
    clients = {}
    for process_id in sorted(here):
        past = _Past(
            answer.processes.get(process_id, ClientTasks()),
            _by_thread(process_id, starts.get(process_id, 0), here[process_id].threads, answer.members),
            starts.get(process_id, 0),
        )
        clients[process_id] = _client(
            process_id,
            past.restarted(stateful) if process_id in again else past,
            stateful,
            lags,
            runs=here[process_id],
            changelog=request.changelog,
            lost=process_id in lost,
        )
    in_order = tuple(clients[process_id] for process_id in process_hash_order(clients))
    return replace(request, clients=in_order, standby_replicas=standbys)


def _endless(lags: tuple[int, ...]) -> Iterator[int]:
    """The lags in an endless cycle; endless zeros if there are none."""
    while True:
        yield from lags or (0,)


class _Past(NamedTuple):
    """The past of a process: its tasks, those of each thread, and its caught-up copies."""

    tasks: ClientTasks
    held: tuple[ClientTasks, ...]
    start: int
    caught_up: frozenset[TaskId] = frozenset()

    def restarted(self, stateful: list[TaskId]) -> _Past:
        """The same process after a restart: its state is on the disk, and no task is running."""
        active, standby = self.tasks
        copies = frozenset(active).intersection(stateful)
        tasks = ClientTasks((), tuple(sorted({*standby, *copies})))
        return _Past(tasks, (ClientTasks(),) * len(self.held), self.start + 1, copies)


def _client(
    process_id: str,
    past: _Past,
    stateful: list[TaskId],
    lags: Iterator[int],
    *,
    runs: Running,
    changelog: int,
    lost: bool,
) -> TaskClient:
    """One process with its previous tasks; it has no copy of a task that it lost or never had."""
    active, standby = past.tasks
    runs_here, copied = frozenset(active), frozenset(standby)

    def lag(task: TaskId) -> int:
        if task in runs_here:
            return RUNNING
        if lost or task not in copied:
            return changelog
        return 0 if task in past.caught_up else min(next(lags), changelog)

    return TaskClient(
        process_id,
        runs.threads,
        active,
        () if lost else standby,
        lags=tuple((task, lag(task)) for task in stateful),
        held=past.held,
        start=past.start,
        rack=runs.rack,
        tags=runs.tags,
        changelog=changelog,
    )


def _by_thread(
    process_id: str, start: int, threads: int, members: Mapping[str, ClientTasks] | None
) -> tuple[ClientTasks, ...]:
    """The tasks of each thread of a process; empty if the answer does not specify them."""
    if members is None:
        return ()
    return tuple(
        members.get(member_id(process_id, start, thread), ClientTasks()) for thread in range(threads)
    )


@dataclass(frozen=True)
class TaskRun:
    """A history with its results: one step per rebalance, including the final ones without a change.

    `quiet` marks each step that no event and no lagging copy preceded. `played` counts the steps of the
    history itself; the others follow on their own.
    """

    steps: tuple[TaskStep, ...]
    quiet: tuple[bool, ...]
    played: int

    @property
    def answered(self) -> bool:
        """Whether every rebalance has an answer."""
        return not any(isinstance(step.answer, Failure) for step in self.steps)

    @property
    def settling(self) -> int:
        """The rounds that the last change took, excluding the confirming one."""
        return len(self.steps) - self.played

    @property
    def outcomes(self) -> tuple[TaskStep, ...]:
        """The stable steps, on which balance and movement are checked."""
        return tuple(step for step in self.steps if step.at_rest)

    @property
    def at_rest(self) -> bool:
        """Whether the application became stable."""
        return self.steps[-1].at_rest

    @property
    def contradictory(self) -> bool:
        """Always False: processes report what they own and cannot contradict each other."""
        return False


def run_tasks(history: TaskHistory, ask: Asking) -> TaskRun:
    """Play the history, then run the application until it is stable."""
    played = list(play_tasks(history, ask))
    after = list(settle_tasks(played[-1], ask))
    changes = [change == TaskChange() for change in history.changes]
    quiet = [False, *changes][: len(played)] + [True] * len(after)
    return TaskRun((*played, *after), tuple(quiet), len(played))
