"""The plain forms of targets (dicts and lists in and out) and their adapters to the full forms.

**Assignors.**

    assign(partitions_per_topic: dict[str, int], members: list[dict]) -> dict[str, list[tuple[str, int]]]

A member is a dict with `id`, `topics`, `owned`, `generation`, `rack`, `instance_id`. A function with a
parameter `replica_racks` or `partition_weights` gets it as a keyword: by (topic, partition), or None
where the cluster has none. One with a parameter `assignable` gets a list of the partitions that a share
group may assign, or None for all.

**Streams tasks and Connect.**

    assign(application: dict) -> dict     Streams tasks for processes (KIP-924)
    assign(group: dict) -> dict           Streams tasks for the members of a group (KIP-1357)
    assign(cluster: dict) -> dict         connectors and tasks for the workers of Kafka Connect

The target gets one document and returns one, the same for a Python class and a program;
docs/exec-protocol.md lists the fields. Tasks are strings in Kafka's notation: `0_3` in Streams,
`to-s3-0` in Connect.

**Placers.**

    place(num_partitions: int, replication_factor: int, brokers: list[dict], existing=None) -> list[list[int]]

A broker is a dict with `id`, `rack`, `fenced`. `existing` holds the replica lists of the topic's
existing partitions, and is passed only if there are any. The first replica of a list is the preferred
leader. A `ValueError` is a refusal.

**Partitioners.**

    partition(topic: str, key: bytes | None, value, num_partitions: int, available: list[int]) -> int

The optional methods are `configure(config: dict[str, str])` and `close()`, as in Kafka's `Partitioner`.
`available` holds the numbers of the partitions that have a leader. A record that names its partition never
reaches the partitioner: as in `KafkaProducer`, it goes to that partition if it exists.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeVar

from kassay.assignors.plain_answers import (
    CHECKS,
    DOCUMENTS,
    MEMBERS,
    PARTITIONER,
    PLACER,
    PROCESSES,
    WORKERS,
    Given,
    Malformed,
    changed,
    check_assignment,
    check_placement,
    difference,
    integer,
)
from kassay.model.cluster import Cluster
from kassay.model.connect.documents import work_to_json
from kassay.model.connect.work import ConnectAssignment, ConnectorTaskId, ConnectRequest, Work, WorkerChange
from kassay.model.errors import FailureKind, TargetFailure, failed, one_line
from kassay.model.groups.assignor import AssignorBase
from kassay.model.groups.group import Assignment, Group
from kassay.model.java import RandomSource
from kassay.model.kinds import RebalanceProtocol
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition
from kassay.model.placement.request import Placement, PlacementRefusedError, PlacementRequest
from kassay.model.streams.group import GroupTask, MemberTasks, StreamsGroup, StreamsMember
from kassay.model.streams.tasks import (
    CHANGELOG,
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    assignment_of,
    member_id,
)

T = TypeVar("T")


class PlainTarget:
    """The shared part of the adapters of the plain forms.

    After each call, `mutated` says what the call changed in its input, or is None. Raises `TargetFailure` for
    any exception of the object (RAISED, MEMORY) and for an answer of the wrong form (MALFORMED).
    """

    def __init__(self, target: Any, *, source: str | None = None) -> None:
        self.mutated: str | None = None
        self._target = target
        self._source = source

    def configure(self, config: Mapping[str, str]) -> None:
        """Pass the configuration to an object that accepts one."""
        if hasattr(self._target, "configure"):
            self._call("configure", lambda _: None, dict(config))

    def _call(self, method: str, check: Callable[[object], T], *by_place: Any, **by_name: Any) -> T:
        """The object's answer after `check`."""
        try:
            return check(getattr(self._target, method)(*by_place, **by_name))
        except Malformed as malformed:
            raise TargetFailure(FailureKind.MALFORMED, str(malformed), method) from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # SystemExit and similar exceptions are the target's too
            raise self._failure(error, method) from None

    def _failure(self, error: BaseException, method: str) -> Exception:
        """The failure that represents an exception raised by the object."""
        return failed(error, method, self._source)


EXTRAS: Final = ("replica_racks", "partition_weights", "assignable")
"""The keywords that are passed only to functions with parameters of these names."""

_INPUTS: Final = ("partitions_per_topic", "members", *EXTRAS)

PlainInput = tuple[
    dict[str, int],
    list[dict[str, Any]],
    dict[tuple[str, int], list[str]] | None,
    dict[tuple[str, int], int] | None,
    list[tuple[str, int]] | None,
]


def plain_input(cluster: Cluster, group: Group, extras: Iterable[str] = EXTRAS) -> PlainInput:
    """Fresh dicts and lists of exact built-in types; extras outside `extras` are None."""
    members = [
        {
            "id": member_id,
            "topics": list(topics),
            "owned": list(map(tuple, owned)),
            "generation": generation,
            "rack": rack,
            "instance_id": instance_id,
        }
        for member_id, topics, owned, generation, rack, instance_id, _ in group.members
    ]
    return (
        dict(cluster.counts),
        members,
        replica_racks(cluster) if "replica_racks" in extras else None,
        partition_weights(cluster) if "partition_weights" in extras else None,
        assignable(group) if "assignable" in extras else None,
    )


def replica_racks(cluster: Cluster) -> dict[tuple[str, int], list[str]] | None:
    """The racks that hold each partition, sorted; None where no rack is known."""
    racks = {
        (topic, partition): sorted(held)
        for topic, partitions in cluster.replica_racks.items()
        for partition, held in enumerate(partitions[: cluster.counts.get(topic, 0)])
    }
    return racks if any(racks.values()) else None


def partition_weights(cluster: Cluster) -> dict[tuple[str, int], int] | None:
    """The weight of each partition; None if all weights are equal."""
    topics = cluster.by_name.values()
    if all(topic.weights is None for topic in topics):
        return None
    return {tuple(tp): cluster.weight(tp) for topic in topics for tp in topic.tps()}  # type: ignore[misc]  # a pair


def assignable(group: Group) -> list[tuple[str, int]] | None:
    """The partitions that a share group may assign, in order; None for all."""
    return None if group.assignable is None else [(topic, p) for topic, p in sorted(group.assignable)]


def changed_input(before: PlainInput, after: PlainInput) -> str | None:
    """What a call changed in its input, or None."""
    if before == after and list(before[0]) == list(after[0]):
        return None
    return changed(_INPUTS, before, after)


class PlainAssignor(PlainTarget, AssignorBase):
    """A plain object of this process in the full form."""

    def __init__(
        self,
        target: Any,
        *,
        name: str,
        protocol: RebalanceProtocol = RebalanceProtocol.EAGER,
        extras: frozenset[str] = frozenset(),
        source: str | None = None,
    ) -> None:
        super().__init__(target, source=source)
        self.name = name
        self.protocols = (protocol,)
        self._extras = extras

    def assign(self, cluster: Cluster, group: Group) -> Assignment:
        """The plain function's answer for a copy of the input."""
        self.mutated = None
        arguments = plain_input(cluster, group, self._extras)
        keywords = {name: value for name, value in zip(EXTRAS, arguments[2:]) if name in self._extras}
        answer = self._call("assign", check_assignment, arguments[0], arguments[1], **keywords)
        self.mutated = changed_input(plain_input(cluster, group, self._extras), arguments)
        return Assignment.of(answer)


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


PlainRequest = dict[str, Any]

POSITIONAL: Final = ("num_partitions", "replication_factor", "brokers")


def plain_request(request: PlacementRequest) -> PlainRequest:
    """The keywords of the plain call: fresh dicts and lists of exact built-in types."""
    keywords: PlainRequest = {
        "num_partitions": request.partitions,
        "replication_factor": request.replication_factor,
        "brokers": [{"id": b.broker_id, "rack": b.rack, "fenced": b.fenced} for b in request.brokers],
    }
    if request.existing:
        keywords["existing"] = [list(replicas) for replicas in request.existing]
    return keywords


@contextmanager
def refusals() -> Iterator[None]:
    """Turn a failed plain call that raised `ValueError` into a refusal."""
    try:
        yield
    except TargetFailure as failure:
        if failure.kind is FailureKind.RAISED and ValueError.__name__ in failure.raised:
            raise PlacementRefusedError(failure.message) from None
        raise


class PlainPlacer(PlainTarget):
    """A plain object of this process in the full form; raises `PlacementRefusedError` for a `ValueError`."""

    def place(self, request: PlacementRequest, random: RandomSource) -> Placement:
        """The plain function's answer for a copy of the request."""
        self.mutated = None
        arguments = plain_request(request)
        by_place = [arguments[name] for name in POSITIONAL]
        by_name = {name: value for name, value in arguments.items() if name not in POSITIONAL}
        answer = self._call("place", check_placement, *by_place, **by_name)
        before = plain_request(request)
        self.mutated = changed(before, before.values(), arguments.values())
        return tuple(map(tuple, answer))

    def _failure(self, error: BaseException, method: str) -> Exception:
        if isinstance(error, ValueError):
            return PlacementRefusedError(one_line(str(error)) or "refused without a reason")
        return super()._failure(error, method)


PlainRecord = tuple[str, bytes | None, bytes | None, int, list[int]]


def plain_record(record: ProducerRecord, topic: TopicMetadata) -> PlainRecord:
    """The arguments of the plain call."""
    return record.topic, record.key, record.value, topic.count, list(topic.available)


def check_partition(answer: object) -> int:
    """The checked answer of a plain `partition`; raises `Malformed`."""
    return integer("partition has the answer", answer)


class PlainPartitioner(PlainTarget):
    """A plain object of this process in the full form; `mutated` is the first change of an argument."""

    mutated: str | None = None

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        arguments = plain_record(record, topic)
        answer = self._call("partition", check_partition, *arguments)
        self.mutated = self.mutated or difference(list(topic.available), arguments[-1], "available")
        return answer

    def close(self) -> None:
        """Close the object, if it has `close`."""
        if hasattr(self._target, "close"):
            self._call("close", lambda _: None)


OF_REQUESTS: Final[dict[str, type[PlainPlacer] | type[PlainPartitioner]]] = {
    PLACER: PlainPlacer,
    PARTITIONER: PlainPartitioner,
}
"""Of objects that are called as they are, once for each request or record."""
