"""Checks for the vectors of Kafka Connect: `connect-incremental`, lives of clusters, and `connect-eager`.

Workers are in the recorded iteration order, or else in the order of Java's hash maps. A leader's memory comes
from its own answers; an exact check compares a `LeaderState` with Kafka's. An eager leader's assignment is
compared as sets: Kafka sends it in the order of a hash map.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from kassay.kinds.vectors import compared, vector_format
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    ConnectWorker,
    LeaderState,
    Work,
    WorkerChange,
    after,
    work_key,
)
from kassay.model.errors import InputError
from kassay.model.java import hash_map_order
from kassay.model.shape.codec import MOST
from kassay.reading.documents import Bound

TaskCount = Annotated[int, Bound(f"a number of tasks up to {MOST}", range(MOST + 1).__contains__)]


@dataclass(frozen=True)
class RunningWork:
    """Connectors, and tasks as `connector-number`."""

    connectors: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()

    @property
    def work(self) -> tuple[Work, ...]:
        """The connectors, then the tasks, in their order."""
        return (*self.connectors, *map(ConnectorTaskId.parse, self.tasks))


@dataclass(frozen=True)
class ReportingWorker(RunningWork):
    """A worker and what it reports."""

    id: str = ""


@dataclass(frozen=True)
class WorkerOrder:
    """The iteration order of the leader's map."""

    workers: tuple[str, ...]


@dataclass(frozen=True)
class ToldWorker:
    """What a worker is sent, and what the leader then believes it runs."""

    assigned_connectors: tuple[str, ...]
    assigned_tasks: tuple[str, ...]
    revoked_connectors: tuple[str, ...]
    revoked_tasks: tuple[str, ...]
    all_connectors: tuple[str, ...]
    all_tasks: tuple[str, ...]

    @property
    def assigned(self) -> tuple[Work, ...]:
        """What it must start."""
        return RunningWork(self.assigned_connectors, self.assigned_tasks).work

    @property
    def revoked(self) -> tuple[Work, ...]:
        """What it must stop."""
        return RunningWork(self.revoked_connectors, self.revoked_tasks).work

    @property
    def everything(self) -> tuple[Work, ...]:
        """What it then runs."""
        return RunningWork(self.all_connectors, self.all_tasks).work


@dataclass(frozen=True)
class ConnectExpected:
    """Kafka's answer, or the Java class of its error."""

    workers: Mapping[str, ToldWorker] = field(default_factory=dict)
    delay: int = 0
    error: str | None = None


@dataclass(frozen=True)
class ConnectLeader:
    """Kafka's leader after a rebalance."""

    previous_assignment: RunningWork
    previous_revocation: RunningWork
    revoked_in_previous: bool
    candidate_workers: tuple[str, ...]
    scheduled_rebalance: int
    delay: int
    previous_generation: int
    previous_members: tuple[str, ...]
    successive_revoking_rebalances: int

    @property
    def memory(self) -> LeaderState:
        """The same as a value of the model."""
        return LeaderState(
            previous_assignment=frozenset(self.previous_assignment.work),
            previous_revocation=frozenset(self.previous_revocation.work),
            previous_members=frozenset(self.previous_members),
            previous_generation=self.previous_generation,
            revoked_in_previous=self.revoked_in_previous,
            candidate_workers=self.candidate_workers,
            scheduled_rebalance_ms=self.scheduled_rebalance,
            delay_ms=self.delay,
            successive_revoking_rebalances=self.successive_revoking_rebalances,
        )


@dataclass(frozen=True)
class ConnectRebalance:
    """One rebalance of a sequence; with `new_leader` the leader remembers nothing."""

    now: int
    new_leader: bool
    generation: int
    last_completed_generation: int
    connectors: tuple[tuple[str, TaskCount], ...]
    workers: tuple[ReportingWorker, ...]
    expected: ConnectExpected
    state: ConnectLeader | None = None
    iteration_order: WorkerOrder | None = None

    def request(self, max_delay_ms: int, memory: Hashable) -> ConnectRequest:
        """The request to a leader with this memory; raises `InputError`."""
        return ConnectRequest(
            connectors=self.connectors,
            workers=_workers(self.workers, self.iteration_order),
            now_ms=self.now,
            max_delay_ms=max_delay_ms,
            generation=self.generation,
            last_completed_generation=self.last_completed_generation,
            memory=None if self.new_leader else memory,
        )


@dataclass(frozen=True)
class ConnectSequence:
    """One vector: the rebalances of a cluster on one clock."""

    max_delay: int
    steps: tuple[ConnectRebalance, ...]


def _workers(listed: tuple[ReportingWorker, ...], recorded: WorkerOrder | None) -> tuple[ConnectWorker, ...]:
    by_id = {worker.id: worker for worker in listed}
    order = hash_map_order(by_id) if recorded is None else recorded.workers
    if sorted(order) != sorted(by_id):
        raise InputError("iteration_order.workers: expected the workers of the rebalance")
    return tuple(ConnectWorker(worker_id, by_id[worker_id].work) for worker_id in order)


@dataclass(frozen=True)
class EagerExpected:
    """Kafka's answer, or the Java class of its error."""

    workers: Mapping[str, RunningWork] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True)
class EagerVector:
    """One vector: a rebalance of workers that have stopped everything."""

    connectors: tuple[tuple[str, TaskCount], ...]
    workers: tuple[str, ...]
    expected: EagerExpected


@vector_format("connect-eager", EagerVector, reference="connect-eager")
def check_eager(vector: EagerVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Compare the target's answer with Kafka's `EagerAssignor`."""
    workers = tuple(ConnectWorker(worker_id) for worker_id in hash_map_order(vector.workers))
    request = ConnectRequest(vector.connectors, workers)

    def differs(answer: ConnectAssignment) -> str | None:
        if stranger := answer.workers.keys() - set(vector.workers):
            return f"{min(stranger)} is no worker of the cluster"
        for worker_id, given in vector.expected.workers.items():
            change = answer.workers.get(worker_id, WorkerChange())
            problem = _list_difference(worker_id, "assigned", change.assigned, given.work, False)
            if problem is not None:
                return problem
        return None

    return compared(lambda: factory().assign(request), vector.expected.error, differs, exact=exact)


@vector_format("connect-incremental", ConnectSequence, reference="connect-incremental")
def check_sequence(vector: ConnectSequence, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Compare the target's answer to every rebalance with Kafka's `IncrementalCooperativeAssignor`."""
    target, memory = factory(), None
    for number, step in enumerate(vector.steps):
        request = step.request(vector.max_delay, memory)
        answers: list[ConnectAssignment] = []

        def ask(
            request: ConnectRequest = request, answers: list[ConnectAssignment] = answers
        ) -> ConnectAssignment:
            answers.append(target.assign(request))
            return answers[-1]

        def differs(
            answer: ConnectAssignment, request: ConnectRequest = request, step: ConnectRebalance = step
        ) -> str | None:
            return _difference(request, answer, step, exact)

        problem = compared(ask, step.expected.error, differs, exact=exact)
        if problem is not None:
            return f"rebalance {number}: {problem}"
        memory = answers[-1].memory if answers else request.memory
    return None


def _difference(
    request: ConnectRequest, answer: ConnectAssignment, step: ConnectRebalance, exact: bool
) -> str | None:
    """The difference between the answer and Kafka's, or None."""
    expected = step.expected
    if stranger := answer.workers.keys() - expected.workers.keys():
        return f"{min(stranger)} is no worker of the cluster"
    for worker in request.workers:
        wanted = expected.workers[worker.worker_id]
        change = answer.workers.get(worker.worker_id, WorkerChange())
        lists = [
            ("assigned", change.assigned, wanted.assigned, exact),
            ("revoked", change.revoked, wanted.revoked, False),
            ("all", after(worker, change), wanted.everything, exact),
        ]
        for name, have, want, ordered in lists:
            problem = _list_difference(worker.worker_id, name, have, want, ordered)
            if problem is not None:
                return problem
    if answer.delay_ms != expected.delay:
        return f"delay {answer.delay_ms}, Kafka gives {expected.delay}"
    if exact and step.state is not None and isinstance(answer.memory, LeaderState):
        for name in LeaderState.__slots__:
            have, want = getattr(answer.memory, name), getattr(step.state.memory, name)
            if have != want:
                return f"the leader's {name} is {have}, Kafka's {want}"
    return None


def _list_difference(
    worker_id: str, name: str, have: Sequence[Work], want: Sequence[Work], ordered: bool
) -> str | None:
    """The difference between a worker's list and Kafka's, or None."""
    if have == want or (not ordered and sorted(have, key=work_key) == sorted(want, key=work_key)):
        return None
    return f"{worker_id}: {name} {_shown(have)}, Kafka gives {_shown(want)}"


def _shown(work: Iterable[Work]) -> str:
    return " ".join(map(str, work)) or "nothing"
