"""The plain forms of task assignors and of Connect assignors, and their adapter to the full forms.

    assign(application: dict) -> dict     Streams tasks for processes (KIP-924)
    assign(group: dict) -> dict           Streams tasks for the members of a group (KIP-1357)
    assign(cluster: dict) -> dict         connectors and tasks for the workers of Kafka Connect

The target gets one document and returns one, the same for a Python class and a program; docs/exec-protocol.md
lists the fields. Tasks are strings in Kafka's notation: `0_3` in Streams, `to-s3-0` in Connect.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

from kassay.assignors.plain.answers import changed
from kassay.assignors.plain.forms import DOCUMENTS, MEMBERS, PROCESSES, WORKERS
from kassay.assignors.plain.given import CHECKS, Given
from kassay.assignors.plain.target import PlainTarget
from kassay.model.connect.documents import work_to_json
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    Work,
    WorkerChange,
)
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember
from kassay.model.streams.tasks import (
    CHANGELOG,
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    member_id,
)
from kassay.model.streams.threads import assignment_of

PROBING_REBALANCE_INTERVAL_MS: Final = 600_000
"""Kafka's default of `probing.rebalance.interval.ms`, which every history uses."""

Document = dict[str, Any]


class DocumentForm(NamedTuple):
    """How a form writes a request as a document and turns a reply checked by `CHECKS` into an answer."""

    write: Callable[[Any], Document]
    read: Callable[[Any, Given], Any]


def application_of(request: TaskRequest) -> Document:
    """The input of an assignor of `level: process`: fresh dicts and lists of exact built-in types."""
    stateful = frozenset(request.stateful)
    return {
        "num_standby_replicas": request.standby_replicas,
        "acceptable_recovery_lag": request.acceptable_recovery_lag,
        "max_warmup_replicas": request.warmup_replicas_max,
        "probing_rebalance_interval_ms": PROBING_REBALANCE_INTERVAL_MS,
        **_spread_over(request.rack_aware_tags),
        "subtopologies": _subtopologies(request.group),
        "tasks": [{"id": str(task), "stateful": task in stateful} for task in request.tasks],
        "processes": [_process(client) for client in request.clients],
    }


def _process(client: TaskClient) -> Document:
    return {
        "id": client.process_id,
        "threads": client.capacity,
        "members": [member_id(client.process_id, client.start, thread) for thread in range(client.capacity)],
        "rack": client.rack,
        "client_tags": dict(client.tags),
        "active": _texts(client.previous_active),
        "standby": _texts(client.previous_standby),
        "lags": {str(task): lag for task, lag in client.lags},
    }


def tasks_of(_request: TaskRequest, given: Given) -> TaskAssignment:
    """The answer for processes; if a process names a time for a follow-up rebalance, it is a probing one."""
    return TaskAssignment(
        {
            process_id: ClientTasks(_tasks(tasks["active"]), _tasks(tasks["standby"]))
            for process_id, tasks in given.items()
        },
        probing_rebalance=any(tasks["followup_ms"] is not None for tasks in given.values()),
    )


def group_document(request: TaskRequest | StreamsGroup) -> Document:
    """The input of an assignor of `level: member`: fresh dicts and lists of exact built-in types."""
    group, end = (
        (request, CHANGELOG) if isinstance(request, StreamsGroup) else (request.group, request.changelog)
    )
    return {
        "num_standby_replicas": group.standby_replicas,
        **_spread_over(group.rack_aware_tags),
        "subtopologies": _subtopologies(group),
        "members": [_member(member, end) for member in group.members],
    }


def _spread_over(keys: tuple[str, ...]) -> Document:
    """The keys of the tags over which copies are to be spread, if any."""
    return {"rack_aware_assignment_tags": list(keys)} if keys else {}


def _subtopologies(group: StreamsGroup) -> list[Document]:
    return [{"id": s.name, "partitions": s.partitions, "stateful": s.stateful} for s in group.subtopologies]


def _member(member: StreamsMember, end: int) -> Document:
    return {
        "id": member.member_id,
        "process_id": member.process_id,
        "instance_id": None,
        "rack": member.rack,
        "client_tags": dict(member.tags),
        "active": _texts(member.active),
        "standby": _texts(member.standby),
        "warmup": [],
        "task_offsets": {str(task): offset for task, offset in member.offsets},
        "task_end_offsets": {str(task): end for task, _ in member.offsets},
    }


def members_tasks_of(
    request: TaskRequest | StreamsGroup, given: Given
) -> TaskAssignment | dict[str, MemberTasks]:
    """The answer for members; for a request about an application, with the answer for its processes."""
    members = {
        member: MemberTasks(_group_tasks(tasks["active"]), _group_tasks(tasks["standby"]))
        for member, tasks in given.items()
    }
    return members if isinstance(request, StreamsGroup) else assignment_of(request, members)


def _texts(tasks: Iterable[TaskId | GroupTask]) -> list[str]:
    return list(map(str, tasks))


def _tasks(texts: list[str]) -> tuple[TaskId, ...]:
    return tuple(sorted(map(TaskId.parse, texts)))


def _group_tasks(texts: list[str]) -> tuple[GroupTask, ...]:
    return tuple(GroupTask(str(task.subtopology), task.partition) for task in _tasks(texts))


def cluster_of(request: ConnectRequest) -> Document:
    """The input of an assignor of Connect: fresh dicts and lists of exact built-in types.

    Memory that another target wrote, as when two targets are compared, counts as none.
    """
    return {
        "connectors": [{"name": name, "tasks": tasks} for name, tasks in request.connectors],
        "workers": [{"id": w.worker_id, "running": work_to_json(w.running)} for w in request.workers],
        "now_ms": request.now_ms,
        "max_delay_ms": request.max_delay_ms,
        "generation": request.generation,
        "last_completed_generation": request.last_completed_generation,
        "memory": json.loads(request.memory) if isinstance(request.memory, str) else None,
    }


def changes_of(_request: ConnectRequest, given: Given) -> ConnectAssignment:
    """The answer for workers; the memory is kept as JSON text with sorted keys."""
    memory = given["memory"]
    return ConnectAssignment(
        {
            worker: WorkerChange(_pieces(change["assigned"]), _pieces(change["revoked"]))
            for worker, change in given["workers"].items()
        },
        delay_ms=given["delay_ms"],
        memory=None if memory is None else json.dumps(memory, sort_keys=True),
    )


def _pieces(work: dict[str, list[str]]) -> tuple[Work, ...]:
    return (*work["connectors"], *map(ConnectorTaskId.parse, work["tasks"]))


FORMS: Final = {
    PROCESSES: DocumentForm(application_of, tasks_of),
    MEMBERS: DocumentForm(group_document, members_tasks_of),
    WORKERS: DocumentForm(cluster_of, changes_of),
}


class PlainDocument(PlainTarget):
    """A plain object of this process in the full form of its kind."""

    def __init__(self, target: Any, form: str, *, name: str, source: str | None = None) -> None:
        super().__init__(target, source=source)
        self.name = name
        self._form = form

    def assign(self, request: Any) -> Any:
        """The plain function's answer for a document of the request."""
        self.mutated = None
        form = FORMS[self._form]
        document = form.write(request)
        checked = self._call("assign", CHECKS[self._form], document)
        self.mutated = changed((DOCUMENTS[self._form],), (form.write(request),), (document,))
        return form.read(request, checked)
