"""Histories of Streams applications and what came of them as JSON, for traces."""

from __future__ import annotations

from typing import Any

from kassay.model import codec
from kassay.model.calls import Failure, answer_to_json
from kassay.model.errors import InputError
from kassay.model.streams.history import (
    ProcessJoin,
    ProcessLeave,
    TaskChange,
    TaskEvent,
    TaskHistory,
    TaskStep,
    ThreadsChange,
)
from kassay.model.streams.tasks import ClientTasks, process_key

_FIELDS = (
    "partitions",
    "stateful",
    "processes",
    "changes",
    "standby_replicas",
    "acceptable_recovery_lag",
    "warmup_replicas_max",
)
_EVENTS: dict[str, type[TaskEvent]] = {
    "ProcessJoin": ProcessJoin,
    "ProcessLeave": ProcessLeave,
    "ThreadsChange": ThreadsChange,
}


def task_history_to_json(history: TaskHistory) -> dict[str, Any]:
    """The history as a document."""
    return {
        "partitions": list(history.partitions),
        "stateful": history.stateful,
        "processes": [{"process": join.process_id, "threads": join.threads} for join in history.processes],
        "changes": [
            {"events": [_event_to_json(event) for event in change.events], "lags": list(change.lags)}
            for change in history.changes
        ],
        "standby_replicas": history.standby_replicas,
        "acceptable_recovery_lag": history.acceptable_recovery_lag,
        "warmup_replicas_max": history.warmup_replicas_max,
    }


def task_history_of(document: object, path: str = "case") -> TaskHistory:
    """The history that a document holds; raises `InputError`."""
    found = codec.mapping(document, path, _FIELDS)

    def number(value: object, where: str) -> int:
        return codec.whole(value, where, 0)

    def needed(name: str) -> Any:
        return codec.field(found, name, path)

    partitions = codec.items(needed("partitions"), f"{path}.partitions", number)
    stateful = codec.whole(needed("stateful"), f"{path}.stateful", 0)
    if stateful > len(partitions):
        raise codec.wrong(f"{path}.stateful", f"at most {len(partitions)} subtopologies", stateful)
    processes = codec.items(needed("processes"), f"{path}.processes", _join_of)
    ids = [join.process_id for join in processes]
    if not ids or len(set(ids)) < len(ids):
        raise codec.wrong(f"{path}.processes", "one process or more, each once", ids)
    return TaskHistory(
        partitions=partitions,
        stateful=stateful,
        processes=processes,
        changes=codec.items(found.get("changes", []), f"{path}.changes", _change_of),
        standby_replicas=number(found.get("standby_replicas", 0), f"{path}.standby_replicas"),
        acceptable_recovery_lag=number(
            found.get("acceptable_recovery_lag", 10_000), f"{path}.acceptable_recovery_lag"
        ),
        warmup_replicas_max=number(found.get("warmup_replicas_max", 2), f"{path}.warmup_replicas_max"),
    )


def _event_to_json(event: TaskEvent) -> dict[str, Any]:
    document: dict[str, Any] = {"event": type(event).__name__, "process": event.process_id}
    return document if isinstance(event, ProcessLeave) else {**document, "threads": event.threads}


def _process(entry: Any, path: str) -> str:
    """The process id; a UUID, since its order and hash are those of Java's."""
    process_id = codec.text(codec.field(entry, "process", path), f"{path}.process")
    try:
        process_key(process_id)
    except InputError as error:
        raise InputError(f"{path}.process: {error}") from None
    return process_id


def _threads(entry: Any, path: str) -> int:
    return codec.whole(codec.field(entry, "threads", path), f"{path}.threads", 1)


def _join_of(value: object, path: str) -> ProcessJoin:
    entry = codec.mapping(value, path, ("process", "threads"))
    return ProcessJoin(_process(entry, path), _threads(entry, path))


def _change_of(value: object, path: str) -> TaskChange:
    entry = codec.mapping(value, path, ("events", "lags"))
    return TaskChange(
        codec.items(entry.get("events", []), f"{path}.events", _event_of),
        codec.items(entry.get("lags", []), f"{path}.lags", lambda v, w: codec.whole(v, w, 0)),
    )


def _event_of(value: object, path: str) -> TaskEvent:
    entry = codec.mapping(value, path, ("event", "process", "threads"))
    name = codec.text(codec.field(entry, "event", path), f"{path}.event")
    if name not in _EVENTS:
        raise InputError(f"{path}.event: unknown event {name!r}, expected one of {', '.join(_EVENTS)}")
    process_id = _process(entry, path)
    if name == "ProcessLeave":
        return ProcessLeave(process_id)
    threads = _threads(entry, path)
    return ProcessJoin(process_id, threads) if name == "ProcessJoin" else ThreadsChange(process_id, threads)


def task_step_to_json(step: TaskStep) -> dict[str, Any]:
    """One rebalance for the reader of a trace: who had what, how far behind, and what each is given."""
    request = step.request
    document: dict[str, Any] = {
        "tasks": [str(task) for task in sorted(request.tasks)],
        "stateful": [str(task) for task in sorted(request.stateful)],
        "standby_replicas": request.standby_replicas,
        "processes": [
            {
                "id": client.process_id,
                "threads": client.capacity,
                "active": [str(task) for task in sorted(client.previous_active)],
                "standby": [str(task) for task in sorted(client.previous_standby)],
                "lags": {
                    str(task): client.lag_of[task]
                    for task in sorted(client.previous_standby)
                    if task in client.lag_of
                },
            }
            for client in request.clients
        ],
        "at_rest": step.at_rest,
    }
    if isinstance(step.answer, Failure):
        document |= answer_to_json(step.answer)
    else:
        document["probing_rebalance"] = step.answer.probing_rebalance
        document["answer"] = {
            process_id: _given_to_json(given) for process_id, given in step.answer.processes.items()
        }
    return document


def _given_to_json(given: ClientTasks) -> dict[str, list[str]]:
    return {"active": [str(task) for task in given.active], "standby": [str(task) for task in given.standby]}
