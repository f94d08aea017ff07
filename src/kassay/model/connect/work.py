"""The work of a Kafka Connect cluster, the leader's knowledge, and its instructions to the workers.

A connector and each of its tasks run on one worker. A worker reports what it runs in every rebalance;
the leader answers with what each worker has to stop and to start. Sources: KIP-415; Kafka's
`ConnectorTaskId`, `ExtendedAssignment`, `WorkerCoordinator`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol, runtime_checkable

from kassay.model.errors import InputError
from kassay.model.java import utf16_key
from kassay.model.lazy import lazy


class ConnectorTaskId(NamedTuple):
    """A task of a connector, numbered from 0."""

    connector: str
    task: int

    def __str__(self) -> str:
        return f"{self.connector}-{self.task}"

    @classmethod
    def parse(cls, text: str) -> ConnectorTaskId:
        """The task from `connector-number`; raises `InputError` for any other text.

        >>> ConnectorTaskId.parse("to-s3-11")
        ConnectorTaskId(connector='to-s3', task=11)
        """
        connector, dash, number = text.rpartition("-")
        if not dash or not (number.isascii() and number.isdecimal()):
            raise InputError(f"task id {text!r}: expected CONNECTOR-NUMBER, as in to-s3-0")
        return cls(connector, int(number))


Work = str | ConnectorTaskId
"""A unit of work: a connector, by its name, or a task."""


def connectors_in(work: Iterable[Work]) -> tuple[str, ...]:
    """The connectors in `work`, in order."""
    return tuple(each for each in work if isinstance(each, str))


def tasks_in(work: Iterable[Work]) -> tuple[ConnectorTaskId, ...]:
    """The tasks in `work`, in order."""
    return tuple(each for each in work if not isinstance(each, str))


def connectors_first(work: Iterable[Work]) -> tuple[Work, ...]:
    """The distinct connectors in order, then the distinct tasks in order."""
    once = dict.fromkeys(work)
    return (*connectors_in(once), *tasks_in(once))


def work_key(each: Work) -> tuple[bool, bytes, int]:
    """The sort key: connectors by name, then tasks by connector and number, as Java compares strings."""
    if isinstance(each, str):
        return False, utf16_key(each), 0
    return True, utf16_key(each.connector), each.task


class ConnectWorker(NamedTuple):
    """A worker and the work that it reports as running, in the reported order."""

    worker_id: str
    running: tuple[Work, ...] = ()


@dataclass(frozen=True)
class ConnectRequest:
    """What the leader knows at a rebalance.

    `connectors` are the configured ones with their numbers of tasks; `workers` are in the order in which the
    leader's map iterates them. `memory` is the state after the same leader's last answer, None for a new
    leader. `last_completed_generation` is the last generation that the leader saw completed.
    """

    connectors: tuple[tuple[str, int], ...]
    workers: tuple[ConnectWorker, ...]
    now_ms: int = 0
    max_delay_ms: int = 300_000
    generation: int = 1
    last_completed_generation: int = -1
    memory: Hashable = None

    def __post_init__(self) -> None:
        if len({worker.worker_id for worker in self.workers}) < len(self.workers):
            raise InputError("workers: expected different ids")
        if len({name for name, _ in self.connectors}) < len(self.connectors):
            raise InputError("connectors: expected different names")

    @lazy
    def configured(self) -> frozenset[Work]:
        """Every connector and every task that should run."""
        tasks = {ConnectorTaskId(name, number) for name, count in self.connectors for number in range(count)}
        return frozenset((*(name for name, _ in self.connectors), *tasks))

    @lazy
    def runners(self) -> Mapping[Work, tuple[str, ...]]:
        """The workers that report running each unit of work; treat as read-only."""
        workers: dict[Work, tuple[str, ...]] = {}
        for worker in self.workers:
            for each in dict.fromkeys(worker.running):
                workers[each] = (*workers.get(each, ()), worker.worker_id)
        return workers


class WorkerChange(NamedTuple):
    """The work that a worker has to start, in order, and the work that it has to stop."""

    assigned: tuple[Work, ...] = ()
    revoked: tuple[Work, ...] = ()


@dataclass(frozen=True)
class ConnectAssignment:
    """The change of each worker, the delay in ms until all rejoin (0: none), and the leader's memory.

    An eager assignor revokes nothing: its workers stop everything before they join.
    """

    workers: Mapping[str, WorkerChange]
    delay_ms: int = 0
    memory: Hashable = None

    def __hash__(self) -> int:
        return hash((frozenset(self.workers.items()), self.delay_ms, self.memory))


@runtime_checkable
class ConnectAssignor(Protocol):
    """An assignor of connectors and tasks."""

    name: str

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """Assign the work of all workers."""


def after(worker: ConnectWorker, change: WorkerChange) -> tuple[Work, ...]:
    """The worker's work after the change, connectors first: what it keeps, then what it starts."""
    stopped = frozenset(change.revoked)
    kept = (each for each in worker.running if each not in stopped)
    return connectors_first((*kept, *change.assigned))


@dataclass(frozen=True, slots=True)
class LeaderState:
    """The memory of an incremental leader; the defaults are those of a new leader.

    The previous assignment is what should run according to the last answer, lost work included.
    `candidate_workers` had no work while some work was missing; they get it first.
    """

    previous_assignment: frozenset[Work] = frozenset()
    previous_revocation: frozenset[Work] = frozenset()
    previous_members: frozenset[str] = frozenset()
    previous_generation: int = -1
    revoked_in_previous: bool = False
    candidate_workers: tuple[str, ...] = ()
    scheduled_rebalance_ms: int = 0
    delay_ms: int = 0
    successive_revoking_rebalances: int = 0
