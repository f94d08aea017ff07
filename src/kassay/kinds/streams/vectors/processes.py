"""Checks for the vectors of `streams-sticky`, `streams-public-sticky` and `streams-highavailability`.

Clients and tasks are in the recorded iteration order, or else in the order of Java's hash tables. Answers are
sets per process and kind, and whether a probing rebalance follows; `exact` also requires an entry for each
process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kassay.kinds.vectors import compared, vector_format
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_hash_order,
    task_hash_order,
)


@dataclass(frozen=True)
class StreamsProcess:
    """A process before the rebalance; lags by task, the values of tags by key."""

    process_id: str
    capacity: int
    prev_active: tuple[str, ...]
    prev_standby: tuple[str, ...]
    lags: Mapping[str, int]
    client_tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class StreamsOrder:
    """The iteration order of Kafka's maps and sets."""

    clients: tuple[str, ...]
    all_tasks: tuple[str, ...]
    stateful_tasks: tuple[str, ...]


@dataclass(frozen=True)
class StreamsTasks:
    """The tasks of a process."""

    active: tuple[str, ...]
    standby: tuple[str, ...]


@dataclass(frozen=True)
class StreamsExpected:
    """Kafka's answer, or the Java class of its error."""

    assignment: Mapping[str, StreamsTasks] = field(default_factory=dict)
    probing_rebalance: bool = False
    error: str | None = None


@dataclass(frozen=True)
class StreamsVector:
    """One vector."""

    clients: tuple[StreamsProcess, ...]
    all_tasks: tuple[str, ...]
    stateful_tasks: tuple[str, ...]
    num_standby_replicas: int
    acceptable_recovery_lag: int
    max_warmup_replicas: int
    expected: StreamsExpected
    iteration_order: StreamsOrder | None = None
    rack_aware_assignment_tags: tuple[str, ...] = ()

    @property
    def request(self) -> TaskRequest:
        """The assignor's input."""
        listed = {client.process_id: client for client in self.clients}
        if (order := self.iteration_order) is None:
            ids: Sequence[str] = process_hash_order(listed)
            tasks = tuple(task_hash_order(_tasks(self.all_tasks)))
            stateful = tuple(task_hash_order(_tasks(self.stateful_tasks)))
        else:
            ids, tasks, stateful = order.clients, _tasks(order.all_tasks), _tasks(order.stateful_tasks)
        return TaskRequest(
            clients=tuple(_client(listed[process_id]) for process_id in ids),
            tasks=tasks,
            stateful=stateful,
            standby_replicas=self.num_standby_replicas,
            acceptable_recovery_lag=self.acceptable_recovery_lag,
            warmup_replicas_max=self.max_warmup_replicas,
            rack_aware_tags=self.rack_aware_assignment_tags,
        )

    @property
    def answer(self) -> TaskAssignment:
        """Kafka's answer."""
        tasks_by_process = {
            process_id: ClientTasks(_tasks(tasks.active), _tasks(tasks.standby))
            for process_id, tasks in self.expected.assignment.items()
        }
        return TaskAssignment(tasks_by_process, self.expected.probing_rebalance)


def _client(client: StreamsProcess) -> TaskClient:
    return TaskClient(
        process_id=client.process_id,
        capacity=client.capacity,
        previous_active=_tasks(client.prev_active),
        previous_standby=_tasks(client.prev_standby),
        lags=tuple((TaskId.parse(task), lag) for task, lag in client.lags.items()),
        tags=tuple(sorted(client.client_tags.items())),
    )


def _tasks(texts: Iterable[str]) -> tuple[TaskId, ...]:
    return tuple(map(TaskId.parse, texts))


@vector_format("streams-sticky", StreamsVector, reference="streams-sticky")
@vector_format("streams-public-sticky", StreamsVector, reference="streams-public-sticky")
@vector_format("streams-highavailability", StreamsVector, reference="streams-high-availability")
def check_streams(vector: StreamsVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Compare the target's answer with Kafka's task assignor of that algorithm."""
    request, wanted = vector.request, vector.answer
    return compared(
        lambda: factory().assign(request),
        vector.expected.error,
        lambda answer: _difference(wanted, answer, exact),
        exact=exact,
    )


def _difference(wanted: TaskAssignment, answer: TaskAssignment, exact: bool) -> str | None:
    """The difference between the answer and Kafka's, process by process, or None."""
    if exact and answer.processes.keys() != wanted.processes.keys():
        return f"answers for {_listed(answer.processes)}, Kafka for {_listed(wanted.processes)}"
    for process_id in sorted(wanted.processes.keys() | answer.processes.keys()):
        mine = answer.processes.get(process_id, ClientTasks())
        theirs = wanted.processes.get(process_id, ClientTasks())
        for kind, have, want in zip(ClientTasks._fields, mine, theirs):
            if sorted(have) != sorted(want):
                return f"{process_id}: {kind} {_shown(have)}, Kafka gives {_shown(want)}"
    if answer.probing_rebalance != wanted.probing_rebalance:
        return f"probing rebalance {answer.probing_rebalance}, Kafka says {wanted.probing_rebalance}"
    return None


def _listed(process_ids: Iterable[str]) -> str:
    return " ".join(sorted(process_ids)) or "nobody"


def _shown(tasks: Iterable[TaskId]) -> str:
    return " ".join(map(str, sorted(tasks))) or "nothing"
