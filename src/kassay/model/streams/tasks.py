"""Kafka Streams' tasks: what runs, who may run it, and what an assignor of tasks decides.

A task is one partition of one subtopology. A process (a Streams instance with so many threads) runs
active tasks and keeps standby copies of stateful ones. How far a copy is behind is its lag.
Sources: KIP-441; Kafka's `TaskId`, `ClientState`, `TaskAssignor`.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple, Protocol, runtime_checkable

from kassay.model.errors import InputError
from kassay.model.java.hashes import bucket_order, uuid_halves, uuid_hash

RUNNING: Final = -2
"""The lag that a process reports for a task that it ran as active (`Task.LATEST_OFFSET`)."""

LAG_UNBOUNDED: Final = (1 << 63) - 1
"""The acceptable recovery lag with which every copy counts as caught up (`Long.MAX_VALUE`)."""


class TaskId(NamedTuple):
    """One task, ordered by subtopology, then partition."""

    subtopology: int
    partition: int

    def __str__(self) -> str:
        return f"{self.subtopology}_{self.partition}"

    @classmethod
    def parse(cls, text: str) -> TaskId:
        """The task written as `subtopology_partition`; raises `InputError` otherwise.

        >>> TaskId.parse("2_11")
        TaskId(subtopology=2, partition=11)
        """
        subtopology, _, partition = text.partition("_")
        if not (subtopology.isdecimal() and partition.isdecimal()):
            raise InputError(f"task id {text!r}: expected SUBTOPOLOGY_PARTITION, as in 0_3")
        return cls(int(subtopology), int(partition))


class ClientTasks(NamedTuple):
    """What one process or thread is given, each in task order."""

    active: tuple[TaskId, ...] = ()
    standby: tuple[TaskId, ...] = ()


@dataclass(frozen=True)
class TaskClient:
    """One process with `capacity` threads, and what it brings along.

    `previous_active` and `previous_standby` are the tasks that it held before. `lags` has the total
    lag of each stateful task on this process: `RUNNING` where it was active, the whole changelog
    where the process has no copy. `held` has the tasks of each thread, where an assignor gave them to
    threads; `start` counts how often the process was started again.
    """

    process_id: str
    capacity: int
    previous_active: tuple[TaskId, ...] = ()
    previous_standby: tuple[TaskId, ...] = ()
    lags: tuple[tuple[TaskId, int], ...] = ()
    held: tuple[ClientTasks, ...] = ()
    start: int = 0

    def __post_init__(self) -> None:
        if self.capacity < 1:
            raise InputError(f"process {self.process_id}: expected a thread or more, got {self.capacity}")

    @cached_property
    def lag_of(self) -> Mapping[TaskId, int]:
        """The lag by task; treat as read-only."""
        return dict(self.lags)


@dataclass(frozen=True)
class TaskRequest:
    """What the leader knows when it assigns tasks.

    `clients`, `tasks` and `stateful` come in the order in which the leader's maps and sets iterate
    them; `stateful` is a part of `tasks`. A copy counts as caught up if its lag is at most
    `acceptable_recovery_lag`.
    """

    clients: tuple[TaskClient, ...]
    tasks: tuple[TaskId, ...]
    stateful: tuple[TaskId, ...]
    standby_replicas: int = 0
    acceptable_recovery_lag: int = 10_000
    warmup_replicas_max: int = 2

    def __post_init__(self) -> None:
        if len(self.by_id) < len(self.clients):
            raise InputError("clients: expected different process ids")
        if strange := set(self.stateful) - set(self.tasks):
            raise InputError(f"stateful tasks: expected a part of the tasks, got {min(strange)} as well")

    @cached_property
    def by_id(self) -> dict[str, TaskClient]:
        """Clients by process id; treat as read-only."""
        return {client.process_id: client for client in self.clients}

    @cached_property
    def previous_owners(self) -> dict[TaskId, str]:
        """Who ran each task before, the last listed process where several say so; treat as read-only.

        In the order in which Java's `HashMap` iterates tasks put there process by process.
        """
        owners = {
            task: client.process_id for client in self.clients for task in sorted(client.previous_active)
        }
        return {task: owners[task] for task in task_hash_order(owners)}


@dataclass(frozen=True)
class TaskAssignment:
    """What each process is given, and whether a probing rebalance should follow (KIP-441).

    A warm-up copy is listed among the standby tasks, as Kafka does. `members` has what each thread is
    given, where the assignor says so, and None where the process deals its tasks out itself.
    """

    processes: Mapping[str, ClientTasks]
    probing_rebalance: bool = False
    members: Mapping[str, ClientTasks] | None = None

    def __hash__(self) -> int:
        return hash((frozenset(self.processes.items()), self.probing_rebalance))

    @cached_property
    def owners(self) -> dict[TaskId, str]:
        """The process that runs each task; with several, the last listed. Treat as read-only."""
        return {task: process_id for process_id, tasks in self.processes.items() for task in tasks.active}


@runtime_checkable
class TaskAssignor(Protocol):
    """An assignor of Streams tasks."""

    name: str

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes."""


def process_key(process_id: str) -> tuple[int, int]:
    """What `java.util.UUID` compares: the process id as two signed 64-bit halves.

    Raises `InputError` if the process id is no UUID.
    """
    try:
        return uuid_halves(uuid.UUID(process_id).bytes)
    except ValueError as problem:
        raise InputError(f"process id {process_id!r}: expected a UUID of 36 characters") from problem


def process_hash_order(process_ids: Iterable[str]) -> list[str]:
    """The order in which a `java.util.HashSet` filled in this order iterates process ids."""
    return bucket_order(process_ids, lambda process_id: uuid_hash(process_key(process_id)))


def task_hash_order(tasks: Iterable[TaskId]) -> list[TaskId]:
    """The order in which a `java.util.HashSet` filled in this order iterates task ids.

    The hash is that of `Objects.hash(subtopology, partition, null)`; the null stands for the named
    topology that a task here never has.
    """
    return bucket_order(tasks, lambda task: ((31 + task.subtopology) * 31 + task.partition) * 31)
