"""Histories of a Streams application: processes come and go, copies fall behind and catch up.

A history is a start and changes in order; each change is a few events and one rebalance. Between two
rebalances every process runs and keeps what it was given, which is all that its next request says
of the past.
Source: KIP-441, for what processes report.
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
"""Probing rebalances after which an application counts as never at rest."""


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
    `rack_aware_tags` are the keys of tags over whose values standby copies are to be spread.
    """

    partitions: tuple[int, ...]
    stateful: int
    processes: tuple[ProcessJoin, ...]
    changes: tuple[TaskChange, ...] = ()
    standby_replicas: int = 0
    acceptable_recovery_lag: int = 10_000
    warmup_replicas_max: int = 2
    rack_aware_tags: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskStep(Call[TaskRequest, TaskAssignment]):
    """One rebalance: what the leader saw, what it decided, and how second looks answered.

    `at_rest` marks the end of `settle_tasks`: the answer repeats the one before and asks for no other.
    """

    at_rest: bool = False


NewTaskAssignor = Callable[[], TaskAssignor]
Asking = Callable[[TaskRequest], TaskStep]
"""Puts a request to an assignor."""


def asking(new: NewTaskAssignor, looks: Collection[Look] = (), twin: NewTaskAssignor | None = None) -> Asking:
    """What makes a step with a new object of the assignor; PERMUTED gives clients and tasks backwards."""

    def assign(assignor: TaskAssignor, request: TaskRequest) -> TaskAssignment:
        return assignor.assign(request)

    return lambda request: call(TaskStep, assign, new, request, looks, permuted=_backwards, twin=twin)


def _backwards(request: TaskRequest) -> TaskRequest:
    return replace(
        request, clients=request.clients[::-1], tasks=request.tasks[::-1], stateful=request.stateful[::-1]
    )


def play_tasks(history: TaskHistory, ask: Asking) -> Iterator[TaskStep]:
    """The start and every change in turn, a rebalance each; ends early where there is no answer."""
    step = ask(first_request(history))
    yield step
    for change in history.changes:
        if isinstance(step.answer, Failure):
            return
        step = ask(next_request(step.request, step.answer, change))
        yield step


def settle_tasks(step: TaskStep, ask: Asking) -> Iterator[TaskStep]:
    """The rebalances that follow by themselves, all copies having caught up, until nothing changes.

    The last one is at rest, unless there was no answer or `SETTLING_ROUNDS_MAX` came first.
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
        rack_aware_tags=history.rack_aware_tags,
    )
    return next_request(empty, TaskAssignment({}), TaskChange(history.processes))


def next_request(request: TaskRequest, answer: TaskAssignment, change: TaskChange) -> TaskRequest:
    """What the leader sees after the processes have lived by this answer and the change has happened."""
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
            lost=process_id in lost,
        )
    in_order = tuple(clients[process_id] for process_id in process_hash_order(clients))
    return replace(request, clients=in_order, standby_replicas=standbys)


def _endless(lags: tuple[int, ...]) -> Iterator[int]:
    """The lags over and over; 0 for ever if there are none."""
    while True:
        yield from lags or (0,)


class _Past(NamedTuple):
    """What a process brings along: its tasks, those of each thread, and copies that have caught up."""

    tasks: ClientTasks
    held: tuple[ClientTasks, ...]
    start: int
    caught_up: frozenset[TaskId] = frozenset()

    def restarted(self, stateful: list[TaskId]) -> _Past:
        """The same process started again: its state is on the disk, and nothing runs."""
        active, standby = self.tasks
        copies = frozenset(active).intersection(stateful)
        tasks = ClientTasks((), tuple(sorted({*standby, *copies})))
        return _Past(tasks, (ClientTasks(),) * len(self.held), self.start + 1, copies)


def _client(
    process_id: str, past: _Past, stateful: list[TaskId], lags: Iterator[int], *, runs: Running, lost: bool
) -> TaskClient:
    """One process with what it was given; what it never had or has lost, it lacks altogether."""
    active, standby = past.tasks

    def lag(task: TaskId) -> int:
        if task in active:
            return RUNNING
        if lost or task not in standby:
            return CHANGELOG
        return 0 if task in past.caught_up else next(lags)

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
    )


def _by_thread(
    process_id: str, start: int, threads: int, members: Mapping[str, ClientTasks] | None
) -> tuple[ClientTasks, ...]:
    """What each thread of a process was given; nothing where the answer did not say."""
    if members is None:
        return ()
    return tuple(
        members.get(member_id(process_id, start, thread), ClientTasks()) for thread in range(threads)
    )


@dataclass(frozen=True)
class TaskRun:
    """A history with everything that it led to: a step a rebalance, those at the end without any change.

    `quiet` says of each step whether nothing had happened before it: no event, and no copy behind.
    `played` is how many steps belong to the history itself; the others follow by themselves.
    """

    steps: tuple[TaskStep, ...]
    quiet: tuple[bool, ...]
    played: int

    @property
    def answered(self) -> bool:
        """Whether every rebalance got an answer."""
        return not any(isinstance(step.answer, Failure) for step in self.steps)

    @property
    def settling(self) -> int:
        """The rounds that the last change took, the one that shows the rest left out."""
        return len(self.steps) - self.played

    @property
    def outcomes(self) -> tuple[TaskStep, ...]:
        """The steps at which balance and movement are judged: those at rest."""
        return tuple(step for step in self.steps if step.at_rest)

    @property
    def at_rest(self) -> bool:
        """Whether the application came to rest."""
        return self.steps[-1].at_rest

    @property
    def contradictory(self) -> bool:
        """Processes report what they have and cannot contradict each other."""
        return False


def run_tasks(history: TaskHistory, ask: Asking) -> TaskRun:
    """The history played, and then left alone until it is at rest."""
    played = list(play_tasks(history, ask))
    after = list(settle_tasks(played[-1], ask))
    changes = [change == TaskChange() for change in history.changes]
    quiet = [False, *changes][: len(played)] + [True] * len(after)
    return TaskRun((*played, *after), tuple(quiet), len(played))
