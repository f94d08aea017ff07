"""Checks for the vectors of the Streams task assignors: `streams-sticky`, `streams-highavailability`.

Clients and tasks come in the recorded iteration order, or else in the order of Java's hash tables.
Answers are sets per process and kind, and whether a probing rebalance follows; `exact` also wants an
entry for each process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from kassay.certify.vectors.registry import vector_format
from kassay.model.errors import InputError, KafkaError
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_hash_order,
    task_hash_order,
)


class StreamsCase(NamedTuple):
    """One vector read: the input, and either the answer or the error's Java class."""

    request: TaskRequest
    answer: TaskAssignment
    error: str | None


def read_case(vector: Mapping[str, Any]) -> StreamsCase:
    """The vector as values; raises `InputError` if a field is missing or not of its form."""
    try:
        return StreamsCase(
            _read_request(vector), _read_answer(vector["expected"]), vector["expected"].get("error")
        )
    except (KeyError, TypeError, AttributeError) as problem:
        raise InputError(
            f"vector {vector.get('id', '?')}: expected the fields of a Streams vector, got {problem!r}"
        ) from problem


@vector_format("streams-sticky", reference="streams-sticky")
def check_sticky(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """Whether the target answers as Kafka's `LegacyStickyTaskAssignor`."""
    return _check(vector, factory, exact)


@vector_format("streams-highavailability", reference="streams-high-availability")
def check_high_availability(
    vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool
) -> str | None:
    """Whether the target answers as Kafka's `HighAvailabilityTaskAssignor`."""
    return _check(vector, factory, exact)


def _check(vector: Mapping[str, Any], factory: Callable[[], Any], exact: bool) -> str | None:
    case = read_case(vector)
    try:
        answer: TaskAssignment = factory().assign(case.request)
    except KafkaError as raised:
        if raised.java_class == case.error:
            return None
        wanted = "an answer" if case.error is None else case.error
        return f"raised {raised.java_class} ({raised}) where Kafka gives {wanted}"
    if case.error is not None:
        return f"answered where Kafka raises {case.error}"
    if exact and answer.processes.keys() != case.answer.processes.keys():
        return f"answers for {_listed(answer.processes)}, Kafka for {_listed(case.answer.processes)}"
    return _difference(case.answer, answer)


def _difference(wanted: TaskAssignment, got: TaskAssignment) -> str | None:
    """How the answer differs from Kafka's, process by process, or None."""
    for process_id in sorted(wanted.processes.keys() | got.processes.keys()):
        mine = got.processes.get(process_id, ClientTasks())
        theirs = wanted.processes.get(process_id, ClientTasks())
        for kind, have, want in zip(ClientTasks._fields, mine, theirs):
            if sorted(have) != sorted(want):
                return f"{process_id}: {kind} {_shown(have)}, Kafka gives {_shown(want)}"
    if got.probing_rebalance != wanted.probing_rebalance:
        return f"probing rebalance {got.probing_rebalance}, Kafka says {wanted.probing_rebalance}"
    return None


def _listed(process_ids: Iterable[str]) -> str:
    return " ".join(sorted(process_ids)) or "nobody"


def _shown(tasks: Iterable[TaskId]) -> str:
    return " ".join(map(str, sorted(tasks))) or "nothing"


def _tasks(texts: Iterable[str]) -> tuple[TaskId, ...]:
    return tuple(map(TaskId.parse, texts))


def _read_request(vector: Mapping[str, Any]) -> TaskRequest:
    listed = {client["process_id"]: client for client in vector["clients"]}
    order = vector.get("iteration_order")
    if order is None:
        ids = process_hash_order(listed)
        tasks = tuple(task_hash_order(_tasks(vector["all_tasks"])))
        stateful = tuple(task_hash_order(_tasks(vector["stateful_tasks"])))
    else:
        ids, tasks, stateful = order["clients"], _tasks(order["all_tasks"]), _tasks(order["stateful_tasks"])
    return TaskRequest(
        clients=tuple(_read_client(listed[process_id]) for process_id in ids),
        tasks=tasks,
        stateful=stateful,
        standby_replicas=vector["num_standby_replicas"],
        acceptable_recovery_lag=vector["acceptable_recovery_lag"],
        warmup_replicas_max=vector["max_warmup_replicas"],
    )


def _read_client(client: Mapping[str, Any]) -> TaskClient:
    return TaskClient(
        process_id=client["process_id"],
        capacity=client["capacity"],
        previous_active=_tasks(client["prev_active"]),
        previous_standby=_tasks(client["prev_standby"]),
        lags=tuple((TaskId.parse(task), lag) for task, lag in client["lags"].items()),
    )


def _read_answer(expected: Mapping[str, Any]) -> TaskAssignment:
    if "error" in expected:
        return TaskAssignment({})
    return TaskAssignment(
        {
            process_id: ClientTasks(_tasks(tasks["active"]), _tasks(tasks["standby"]))
            for process_id, tasks in expected["assignment"].items()
        },
        expected["probing_rebalance"],
    )
