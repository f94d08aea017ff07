"""Histories of Connect clusters and their results as JSON, for traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from kassay.model.calls import NO_ANSWER, Failure, Refusal, ReportedFailure, answer_to_json
from kassay.model.connect.history import (
    ConnectChange,
    ConnectHistory,
    ConnectorCreate,
    ConnectorDelete,
    ConnectorResize,
    ConnectStep,
    LeaderChange,
    MissedAssignment,
    SyncFailure,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    Work,
    WorkerChange,
    after,
    connectors_in,
    tasks_in,
)
from kassay.model.errors import InputError
from kassay.model.shape import codec
from kassay.model.shape.codec import (
    COUNT,
    FLAG,
    TEXT,
    Field,
    Shape,
    identity,
    listed,
    record,
    reference,
    size,
    tagged,
)
from kassay.model.shape.legal import CONNECTOR_NAMES
from kassay.model.shape.nodes import PartNode, RowNode

_CONNECTOR: Final = reference("connector", TEXT)
_TASK: Final = Shape[str](TEXT.read, node=PartNode("connector", "-"))
_WORK: Final = codec.document(connectors=Field(listed(_CONNECTOR), []), tasks=Field(listed(_TASK), []))


def _read_work(value: object, path: str) -> tuple[Work, ...]:
    document = _WORK.read(value, path)
    try:
        tasks = map(ConnectorTaskId.parse, document.get("tasks", ()))
        return (*document.get("connectors", ()), *tasks)
    except InputError as error:
        raise InputError(f"{codec.inside(path, 'tasks')}: {error}") from None


def work_to_json(work: Iterable[Work]) -> dict[str, list[str]]:
    """Connectors and tasks as JSON, each in their given order."""
    listed_work = tuple(work)
    return {"connectors": list(connectors_in(listed_work)), "tasks": list(map(str, tasks_in(listed_work)))}


WORK: Final[Shape[tuple[Work, ...]]] = Shape(_read_work, work_to_json, _WORK.node)
_WORKER: Final = Field(reference("worker", TEXT), get="worker_id")
_NEW_WORKER: Final = Field(identity("worker", TEXT), get="worker_id")


def _connector(event: type[Any]) -> Shape[Any]:
    return record(event, connector=_CONNECTOR, tasks=size())


_EVENT: Final = tagged(
    "event",
    {
        "WorkerJoin": (WorkerJoin, record(WorkerJoin, worker=_NEW_WORKER, running=Field(WORK, ()))),
        "WorkerLeave": (WorkerLeave, record(WorkerLeave, worker=_WORKER)),
        "LeaderChange": (LeaderChange, record(LeaderChange)),
        "ConnectorCreate": (
            ConnectorCreate,
            record(
                ConnectorCreate, connector=identity("connector", TEXT, legal=CONNECTOR_NAMES), tasks=size()
            ),
        ),
        "ConnectorDelete": (ConnectorDelete, record(ConnectorDelete, connector=_CONNECTOR)),
        "ConnectorResize": (ConnectorResize, _connector(ConnectorResize)),
        "MissedAssignment": (MissedAssignment, record(MissedAssignment, worker=_WORKER)),
        "SyncFailure": (SyncFailure, record(SyncFailure)),
    },
)


def _pair(value: object, path: str) -> tuple[str, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise codec.wrong(path, "a pair [connector, number of tasks]", value)
    return TEXT.read(value[0], path), size().read(value[1], path)


def _begins(history: ConnectHistory, path: str) -> None:
    if not history.workers or len(set(history.workers)) < len(history.workers):
        raise codec.wrong(f"{path}.workers", "at least one worker, each listed once", list(history.workers))
    names = [name for name, _ in history.connectors]
    if len(set(names)) < len(names):
        raise codec.wrong(f"{path}.connectors", "each connector listed once", names)
    codec.within((tasks for _, tasks in history.connectors), f"{path}.connectors", "tasks")
    largest = dict(history.connectors)
    for event in (event for change in history.changes for event in change.events):
        if isinstance(event, ConnectorCreate | ConnectorResize):
            largest[event.connector] = max(event.tasks, largest.get(event.connector, 0))
    codec.within(largest.values(), f"{path}.changes", "tasks")


_PAIR: Final = RowNode((identity("connector", TEXT, legal=CONNECTOR_NAMES).node, size().node))

CONNECT_HISTORY: Final = record(
    ConnectHistory,
    workers=listed(identity("worker", TEXT)),
    connectors=Field(listed(Shape(_pair, list, _PAIR)), ()),
    max_delay_ms=Field(codec.whole(0, 2**31 - 1, plain=300_000), 300_000, fixed=True),
    changes=Field(
        listed(
            record(
                ConnectChange,
                wait_ms=Field(codec.whole(0, 2**40), 0),
                events=Field(listed(_EVENT), ()),
            )
        ),
        (),
    ),
    generation=Field(
        codec.whole(0, 2**31 - 1, plain=0),
        0,
        lambda history: history.generation or None,
        sparse=True,
        fixed=True,
    ),
).checked(_begins)


class ReportedWorker(NamedTuple):
    """A worker before a rebalance as a trace keeps it."""

    worker_id: str
    running: tuple[Work, ...]


class AssignedWork(NamedTuple):
    """What a worker is to start and to stop, as a trace keeps it."""

    assigned: tuple[Work, ...]
    revoked: tuple[Work, ...]


class ReportedConnectStep(NamedTuple):
    """A rebalance of a cluster as a trace keeps it; `answer` is None where there is none."""

    now_ms: int
    connectors: tuple[tuple[str, int], ...]
    workers: tuple[ReportedWorker, ...]
    lost: tuple[Work, ...]
    at_rest: bool
    delay_ms: int
    connector_spread: int
    answer: Mapping[str, AssignedWork] | None = None
    failure: ReportedFailure | None = None
    refused: Refusal | None = None


ASSIGNED_WORK: Final = codec.mapped(record(AssignedWork, assigned=WORK, revoked=WORK))
"""What each worker is to start and to stop."""


def _memory(answer: ConnectAssignment) -> str | None:
    """The memory as text; a rule of kassay's keeps a value of its own."""
    memory = answer.memory
    return memory if memory is None or isinstance(memory, str) else repr(memory)


CONNECT_ANSWER: Final = record(
    ConnectAssignment,
    workers=codec.mapped(record(WorkerChange, assigned=WORK, revoked=WORK)),
    delay_ms=Field(codec.WHOLE, 0),
    memory=Field(TEXT, None, _memory, sparse=True),
)
"""An answer in full, with the leader's memory as text."""
CONNECT_STEP: Final = record(
    ReportedConnectStep,
    now_ms=COUNT,
    connectors=listed(Shape(_pair, list)),
    workers=listed(record(ReportedWorker, id=Field(TEXT, get="worker_id"), running=WORK)),
    lost=WORK,
    at_rest=FLAG,
    delay_ms=Field(COUNT, 0),
    answer=Field(ASSIGNED_WORK, None, sparse=True),
    connector_spread=Field(COUNT, 0),
    **NO_ANSWER,
)
"""The form of `connect_step_to_json`."""


def connect_step_to_json(step: ConnectStep) -> dict[str, Any]:
    """One rebalance for a trace: reported work, missing work, and the changes for each worker."""
    request = step.request
    document: dict[str, Any] = {
        "now_ms": request.now_ms,
        "connectors": [list(pair) for pair in request.connectors],
        "workers": [{"id": w.worker_id, "running": work_to_json(w.running)} for w in request.workers],
        "lost": work_to_json(work for work, _ in step.lost_since),
        "at_rest": step.at_rest,
    }
    if isinstance(step.answer, Failure):
        return document | answer_to_json(step.answer)
    changes = {
        worker: {"assigned": work_to_json(change.assigned), "revoked": work_to_json(change.revoked)}
        for worker, change in step.answer.workers.items()
    }
    return document | {
        "delay_ms": step.answer.delay_ms,
        "answer": changes,
        "connector_spread": connector_spread(step),
    }


def connector_spread(step: ConnectStep) -> int:
    """The largest difference between two workers in tasks of one connector, after all apply the answer."""
    given = step.given.workers
    counts = [
        Counter(
            task.connector
            for task in tasks_in(after(w, given[w.worker_id]) if w.worker_id in given else w.running)
        )
        for w in step.request.workers
    ]
    names = [name for name, _ in step.request.connectors]
    return max((max(c[name] for c in counts) - min(c[name] for c in counts) for name in names), default=0)
