"""Histories of Connect clusters and their results as JSON, for traces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from kassay.model.calls import NO_ANSWER, Failure, answer_to_json
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
from kassay.model.connect.work import ConnectorTaskId, Work, after, connectors_in, tasks_in
from kassay.model.errors import InputError
from kassay.model.shape import codec
from kassay.model.shape.codec import COUNT, FLAG, TEXT, Field, Shape, listed, record, size, tagged

_WORK: Final = codec.document(connectors=Field(listed(TEXT), []), tasks=Field(listed(TEXT), []))


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


WORK: Final[Shape[tuple[Work, ...]]] = Shape(_read_work, work_to_json)
_WORKER: Final = Field(TEXT, get="worker_id")


def _connector(event: type[Any]) -> Shape[Any]:
    return record(event, connector=TEXT, tasks=size())


_EVENT: Final = tagged(
    "event",
    {
        "WorkerJoin": (WorkerJoin, record(WorkerJoin, worker=_WORKER, running=Field(WORK, ()))),
        "WorkerLeave": (WorkerLeave, record(WorkerLeave, worker=_WORKER)),
        "LeaderChange": (LeaderChange, record(LeaderChange)),
        "ConnectorCreate": (ConnectorCreate, _connector(ConnectorCreate)),
        "ConnectorDelete": (ConnectorDelete, record(ConnectorDelete, connector=TEXT)),
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


CONNECT_HISTORY: Final = record(
    ConnectHistory,
    workers=listed(TEXT),
    connectors=Field(listed(Shape(_pair, list)), ()),
    max_delay_ms=Field(codec.whole(0, 2**31 - 1), 300_000),
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
).checked(_begins)


CONNECT_STEP: Final = codec.document(
    now_ms=COUNT,
    connectors=listed(Shape(_pair, list)),
    workers=listed(codec.document(id=TEXT, running=WORK)),
    lost=WORK,
    at_rest=FLAG,
    delay_ms=Field(COUNT, 0),
    answer=Field(codec.mapped(codec.document(assigned=WORK, revoked=WORK)), None),
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
