"""Histories of Streams applications and their results as JSON, for traces."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from kassay.model.calls import NO_ANSWER, Failure, Refusal, ReportedFailure, answer_to_json
from kassay.model.errors import InputError
from kassay.model.shape import codec
from kassay.model.shape.codec import (
    COUNT,
    TEXT,
    Field,
    Shape,
    at_least,
    identity,
    listed,
    record,
    reference,
    size,
    tagged,
)
from kassay.model.shape.legal import TAG_KEYS, TAG_VALUES, UUIDS
from kassay.model.shape.nodes import TableNode
from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    ProcessRetag,
    StandbysChange,
    StateLost,
    Tags,
    ThreadsChange,
)
from kassay.model.streams.history import TaskChange, TaskHistory, TaskStep
from kassay.model.streams.tasks import (
    CHANGELOG,
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    process_id,
    process_key,
)


def _is_uuid(process_id: str, path: str) -> None:
    """Check that a process id is a UUID: its order and its hash must match Java's."""
    try:
        process_key(process_id)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


_ID: Final = TEXT.checked(_is_uuid)
_PROCESS: Final = Field(reference("process", _ID), get="process_id")
_NEW_PROCESS: Final = Field(identity("process", _ID, process_id, UUIDS), get="process_id")
_BY_KEY: Final = codec.mapped(TEXT)
_KEY: Final = reference("tag", TEXT, TAG_KEYS)
_VALUE: Final = reference("value", TEXT, TAG_VALUES)
_TAGS: Final[Shape[Tags]] = Shape(
    lambda value, path: tuple(sorted(_BY_KEY.read(value, path).items())),
    lambda tags: dict(tags),
    TableNode(_VALUE.node, "tag"),
)
"""Tags as an object: values by key."""
_RACK: Final = Field(codec.optional(reference("rack", TEXT)), None, sparse=True)


def _if_any(name: str) -> Callable[[Any], Any]:
    """A getter for the tuple of that name; returns None for an empty tuple, which is then not written."""
    return lambda value: getattr(value, name) or None


def _unless_usual(history: TaskHistory) -> int | None:
    """The length of the changelogs, which is not written where it is the usual one."""
    return None if history.changelog == CHANGELOG else history.changelog


_CHANGELOG: Final = codec.whole(0, 2**63 - 1, plain=CHANGELOG)
_PLACE: Final = {"rack": _RACK, "tags": Field(_TAGS, (), _if_any("tags"), sparse=True)}
"""The location of a process, for events that set it."""


_JOIN: Final = record(ProcessJoin, process=_NEW_PROCESS, threads=size(1), **_PLACE)
_EVENT: Final = tagged(
    "event",
    {
        "ProcessJoin": (ProcessJoin, _JOIN),
        "ProcessLeave": (ProcessLeave, record(ProcessLeave, process=_PROCESS)),
        "ThreadsChange": (ThreadsChange, record(ThreadsChange, process=_PROCESS, threads=size(1))),
        "ProcessRestart": (ProcessRestart, record(ProcessRestart, process=_PROCESS)),
        "ProcessRetag": (ProcessRetag, record(ProcessRetag, process=_PROCESS, **_PLACE)),
        "StateLost": (StateLost, record(StateLost, process=_PROCESS)),
        "StandbysChange": (StandbysChange, record(StandbysChange, replicas=size())),
    },
)


def _begins(history: TaskHistory, path: str) -> None:
    if history.stateful > len(history.partitions):
        expected = f"at most {len(history.partitions)} subtopologies"
        raise codec.wrong(f"{path}.stateful", expected, history.stateful)
    codec.within(history.partitions, f"{path}.partitions")
    codec.within((join.threads for join in history.processes), f"{path}.processes", "threads")
    largest = {join.process_id: join.threads for join in history.processes}
    for event in (event for change in history.changes for event in change.events):
        if isinstance(event, ProcessJoin | ThreadsChange):
            largest[event.process_id] = max(event.threads, largest.get(event.process_id, 0))
    codec.within(largest.values(), f"{path}.changes", "threads")
    ids = [join.process_id for join in history.processes]
    if not ids or len(set(ids)) < len(ids):
        raise codec.wrong(f"{path}.processes", "at least one process, each listed once", ids)


TASK_HISTORY: Final = record(
    TaskHistory,
    partitions=at_least(1, listed(replace(size(), node=size(1).node))),
    stateful=size(),
    processes=at_least(1, listed(_JOIN)),
    changes=Field(
        listed(record(TaskChange, events=Field(listed(_EVENT), ()), lags=Field(listed(COUNT), ()))), ()
    ),
    standby_replicas=Field(size(), 0),
    acceptable_recovery_lag=Field(codec.whole(0, plain=10_000), 10_000, fixed=True),
    warmup_replicas_max=Field(codec.whole(0, 2**31 - 1, plain=2), 2, fixed=True),
    rack_aware_tags=Field(listed(_KEY), (), _if_any("rack_aware_tags"), sparse=True),
    changelog=Field(_CHANGELOG, CHANGELOG, _unless_usual, sparse=True, fixed=True),
).checked(_begins)


class ReportedProcess(NamedTuple):
    """A process before a rebalance as a trace keeps it; `lags` are those of its standby copies."""

    process_id: str
    threads: int
    active: tuple[str, ...]
    standby: tuple[str, ...]
    lags: Mapping[str, int]
    rack: str | None
    tags: Mapping[str, str]


class AssignedTasks(NamedTuple):
    """The tasks that a process is assigned, as a trace keeps them."""

    active: tuple[str, ...]
    standby: tuple[str, ...]


class ReportedTaskStep(NamedTuple):
    """A rebalance of an application as a trace keeps it; `answer` is None where there is none."""

    tasks: tuple[str, ...]
    stateful: tuple[str, ...]
    standby_replicas: int
    processes: tuple[ReportedProcess, ...]
    rack_aware_tags: tuple[str, ...]
    at_rest: bool
    probing_rebalance: bool
    answer: Mapping[str, AssignedTasks] | None = None
    failure: ReportedFailure | None = None
    refused: Refusal | None = None


_TASKS: Final = listed(TEXT)
ASSIGNED_TASKS: Final = codec.mapped(record(AssignedTasks, active=_TASKS, standby=_TASKS))
"""What each process is assigned."""


def _task(value: object, path: str) -> TaskId:
    try:
        return TaskId.parse(TEXT.read(value, path))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


_TASK_IDS: Final = listed(Shape(_task, str))
_OF_EACH: Final = codec.mapped(record(ClientTasks, active=_TASK_IDS, standby=_TASK_IDS))
TASK_ANSWER: Final = record(
    TaskAssignment,
    processes=_OF_EACH,
    probing_rebalance=Field(codec.FLAG, False),
    members=Field(_OF_EACH, None, sparse=True),
)
"""An answer in full, with the tasks of threads where it has any."""
TASK_STEP: Final = record(
    ReportedTaskStep,
    tasks=_TASKS,
    stateful=_TASKS,
    standby_replicas=size(),
    processes=listed(
        record(
            ReportedProcess,
            id=Field(TEXT, get="process_id"),
            threads=COUNT,
            active=_TASKS,
            standby=_TASKS,
            lags=Field(codec.mapped(codec.WHOLE), {}),
            rack=Field(codec.optional(TEXT), None),
            tags=Field(_BY_KEY, {}),
        )
    ),
    rack_aware_tags=Field(listed(TEXT), ()),
    at_rest=codec.FLAG,
    probing_rebalance=Field(codec.FLAG, False),
    answer=Field(ASSIGNED_TASKS, None, sparse=True),
    **NO_ANSWER,
)
"""The form of `task_step_to_json`."""


def task_step_to_json(step: TaskStep) -> dict[str, Any]:
    """One rebalance for a trace: the previous tasks, lags and new tasks of each process."""
    request = step.request
    document: dict[str, Any] = {
        "tasks": [str(task) for task in sorted(request.tasks)],
        "stateful": [str(task) for task in sorted(request.stateful)],
        "standby_replicas": request.standby_replicas,
        "processes": [_process_to_json(client) for client in request.clients],
        "at_rest": step.at_rest,
    }
    if request.rack_aware_tags:
        document["rack_aware_tags"] = list(request.rack_aware_tags)
    if isinstance(step.answer, Failure):
        document |= answer_to_json(step.answer)
    else:
        document["probing_rebalance"] = step.answer.probing_rebalance
        document["answer"] = {
            process_id: _given_to_json(given) for process_id, given in step.answer.processes.items()
        }
    return document


def _process_to_json(client: TaskClient) -> dict[str, Any]:
    """A process before the rebalance, with its rack and tags if set."""
    standby = sorted(client.previous_standby)
    document: dict[str, Any] = {
        "id": client.process_id,
        "threads": client.capacity,
        "active": [str(task) for task in sorted(client.previous_active)],
        "standby": [str(task) for task in standby],
        "lags": {str(task): client.lag_of[task] for task in standby if task in client.lag_of},
    }
    if client.rack is not None:
        document["rack"] = client.rack
    if client.tags:
        document["tags"] = dict(client.tags)
    return document


def _given_to_json(given: ClientTasks) -> dict[str, list[str]]:
    return {"active": [str(task) for task in given.active], "standby": [str(task) for task in given.standby]}
