"""Between the JSON of the traces of Streams groups and the values of `model/protocols/values/streams`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final

from kassay.engines.vectors.protocol.shapes import Document, Numbers
from kassay.model.cluster import numbers_by_topic
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.streams.group import group_state, metadata_expired
from kassay.model.protocols.values import errors
from kassay.model.protocols.values import streams_groups as r
from kassay.model.protocols.values.requests import Image
from kassay.model.protocols.values.streams import (
    CopartitionGroup,
    EndpointPartitions,
    HeldTasks,
    OffsetsOfTasks,
    StreamsConfig,
    StreamsConfigured,
    StreamsHeartbeat,
    StreamsHeartbeatReply,
    StreamsSubtopology,
    StreamsTopology,
    TaskIds,
    TaskRoles,
)
from kassay.model.protocols.values.streams_groups import UNKNOWN_TIME, StreamsTaskGroup, StreamsTaskMember
from kassay.model.streams.group import GroupTask
from kassay.reading.documents import Bound, one_of, wrong
from kassay.reading.values import read_as

TASKS_MAX: Final = 100_000
TaskNumber = Annotated[int, Bound(f"a task, up to {TASKS_MAX}", range(-1, TASKS_MAX + 1).__contains__)]


@dataclass(frozen=True)
class CopartitionShape:
    """Co-partitioned inputs, by their indexes."""

    sources: tuple[int, ...]
    repartition_sources: tuple[int, ...]


@dataclass(frozen=True)
class SubtopologyShape:
    """A subtopology as a member sends it."""

    id: str
    sources: tuple[str, ...]
    changelogs: tuple[str, ...]
    repartition_sinks: tuple[str, ...]
    repartition_sources: tuple[tuple[str, TaskNumber], ...]
    copartition: tuple[CopartitionShape, ...]
    regex: tuple[str, ...] = ()

    @property
    def value(self) -> StreamsSubtopology:
        """The subtopology; raises `InputError` for copartition groups with invalid indexes."""
        for group in self.copartition:
            for name in ("sources", "repartition_sources"):
                places = getattr(group, name)
                if not all(0 <= place < len(getattr(self, name)) for place in places):
                    raise InputError(
                        f"subtopology {self.id}: copartition.{name}: expected places of its {name}"
                    )
        groups = tuple(
            CopartitionGroup(group.sources, group.repartition_sources) for group in self.copartition
        )
        topics = (self.sources, self.changelogs, self.repartition_sinks)
        return StreamsSubtopology(self.id, *topics, self.repartition_sources, groups, self.regex)


@dataclass(frozen=True)
class TopologyShape:
    """A topology as a member sends it."""

    epoch: int
    subtopologies: tuple[SubtopologyShape, ...]

    @property
    def value(self) -> StreamsTopology:
        """The topology, subtopologies by id."""
        parts = {part.id: part.value for part in self.subtopologies}
        return StreamsTopology(self.epoch, tuple(parts[name] for name in sorted(parts)))


@dataclass(frozen=True)
class StreamsHeartbeatShape:
    """A `streams_heartbeat` of a trace; null means not sent."""

    event: str
    member: str
    epoch: int
    endpoint_epoch: int
    instance: str | None
    rack: str | None
    rebalance_timeout: int | None
    topology: TopologyShape | None
    active: Numbers | None
    standby: Numbers | None
    warmup: Numbers | None
    process: str | None
    endpoint: str | None
    tags: Mapping[str, str] | None
    task_offsets: tuple[tuple[str, TaskNumber, int], ...] | None
    task_end_offsets: tuple[tuple[str, TaskNumber, int], ...] | None
    shutdown: bool
    api_version: int
    write_fails: str | None = None

    def request(self, number: int) -> StreamsHeartbeat:
        """The request, whose number the reply repeats."""
        return StreamsHeartbeat(
            number,
            self.member or " ",
            self.epoch,
            _sent(self.instance),
            _sent(self.rack),
            -1 if self.rebalance_timeout is None else self.rebalance_timeout,
            None if self.topology is None else self.topology.value,
            _tasks(self.active),
            _tasks(self.standby),
            _tasks(self.warmup),
            _sent(self.process),
            _sent(self.endpoint),
            None if self.tags is None else tuple(sorted(self.tags.items())),
            _offsets_of(self.task_offsets),
            _offsets_of(self.task_end_offsets),
            self.shutdown,
            self.endpoint_epoch,
            self.api_version,
        )


@dataclass(frozen=True)
class GroupConfigShape:
    """A `group_config` of a trace: the group's own settings from here on."""

    configs: Mapping[str, str]


@dataclass(frozen=True)
class RolesShape:
    """Tasks by role."""

    active: Numbers
    standby: Numbers
    warmup: Numbers


@dataclass(frozen=True)
class StreamsStateShape:
    """The parts of a Streams group's state that the choices look up."""

    target: Mapping[str, RolesShape]


def _sent(text: str | None) -> str:
    """An optional string of a request: absent is "", and one that is sent empty is a blank."""
    return "" if text is None else text or " "


def _tasks(numbers: Numbers | None) -> TaskIds | None:
    if numbers is None:
        return None
    return tuple(sorted({GroupTask(name, number) for name, each in numbers.items() for number in each}))


def shown_tasks(state: Document, lost: Iterable[Document] = ()) -> dict[str, TaskRoles]:
    """The target in a state, by member, with the records of one that were lost.

    Raises `InputError` if it is invalid.
    """
    target: dict[str, RolesShape] = {}
    if state.get("type") == "streams":
        target |= read_as(StreamsStateShape, state, "state").target
    for record in lost:
        if record["type"] == "target" and "tasks" in record:
            target[record["member"]] = read_as(RolesShape, record["tasks"], "lost")
    return {
        member: TaskRoles(*(_tasks(getattr(roles, role)) or () for role in TaskRoles._fields))
        for member, roles in target.items()
    }


def _offsets_of(offsets: tuple[tuple[str, int, int], ...] | None) -> OffsetsOfTasks | None:
    return None if offsets is None else tuple((GroupTask(name, p), offset) for name, p, offset in offsets)


_SETTINGS: Final = {
    "session.timeout.ms": "session_timeout",
    "heartbeat.interval.ms": "heartbeat_interval",
    "initial.rebalance.delay.ms": "initial_rebalance_delay",
    "assignment.interval.ms": "assignment_interval",
    "num.standby.replicas": "num_standby_replicas",
    "num.warmup.replicas": "num_warmup_replicas",
    "max.size": "max_size",
}
_BOUNDS: Final = {
    "min.session.timeout.ms": ("session_timeout", max),
    "max.session.timeout.ms": ("session_timeout", min),
    "min.heartbeat.interval.ms": ("heartbeat_interval", max),
}
_TAGS: Final = "rack.aware.assignment.tags"
_WITHOUT_EFFECT: Final = ("acceptable.recovery.lag", "assignor.offload.enable", "task.offset.interval.ms")
"""Without effect on the traces: no task is ever warmed up, every target is computed at once."""

BROKER: Final = "group.streams."
GROUP: Final = "streams."


def streams_config(settings: Document, prefix: str, base: StreamsConfig, where: str) -> StreamsConfig:
    """The settings on top of `base`; raises `InputError` for an invalid name or value."""
    values: dict[str, Any] = {}
    bounds = []
    for full_name, value in settings.items():
        name = full_name.removeprefix(prefix)
        if full_name == name or name not in {*_SETTINGS, *_BOUNDS, _TAGS, *_WITHOUT_EFFECT}:
            known = [f"{prefix}{each}" for each in (*_SETTINGS, *_BOUNDS, _TAGS, *_WITHOUT_EFFECT)]
            raise InputError(f"{where}: unknown setting {full_name!r}, expected {one_of(known, full_name)}")
        if name == _TAGS:
            values["rack_aware_tags"] = tuple(tag.strip() for tag in str(value).split(",") if tag.strip())
        elif name not in _WITHOUT_EFFECT:
            number = _number(value, f"{where}: {full_name}")
            if name in _SETTINGS:
                values[_SETTINGS[name]] = number
            else:
                bounds.append((*_BOUNDS[name], number))
    config = base._replace(**values)
    for field, limit, number in bounds:
        config = config._replace(**{field: limit(getattr(config, field), number)})
    return config


def _number(value: object, where: str) -> int:
    text = str(value)
    if isinstance(value, bool) or not text.isdecimal() or not text.isascii():
        raise wrong(where, value, "a whole number from 0 on")
    return int(text)


def heartbeat_of(number: int, document: Document) -> StreamsHeartbeat:
    """The request of a step; raises `InputError` for missing, invalid or unknown fields."""
    where = f"step {number}: event"
    known = {field.name for field in fields(StreamsHeartbeatShape)}
    if unknown := document.keys() - known:
        raise InputError(f"{where}.{min(unknown)}: streams_heartbeat has no such field")
    for name in sorted(known - document.keys() - {"write_fails"}):
        raise InputError(f"{where}.{name}: missing")
    return read_as(StreamsHeartbeatShape, document, where).request(number)


STREAMS_EVENTS: Final = ("streams_heartbeat", "group_config")


def streams_event_of(
    number: int, document: Document, broker: StreamsConfig
) -> StreamsHeartbeat | StreamsConfigured:
    """The heartbeat of a step, or the group's own settings on top of the broker's; raises `InputError`."""
    if document["event"] == "streams_heartbeat":
        return heartbeat_of(number, document)
    where = f"step {number}: event"
    shape = read_as(GroupConfigShape, document, where)
    return StreamsConfigured(streams_config(shape.configs, GROUP, broker, f"{where}.configs"))


def rendered_tasks(tasks: TaskIds) -> dict[str, list[int]]:
    """`{"subtopology": [partition, ...]}`."""
    shown: dict[str, list[int]] = {}
    for name, number in tasks:
        shown.setdefault(name, []).append(number)
    return shown


def rendered_roles(tasks: TaskRoles | HeldTasks) -> dict[str, Any]:
    """Tasks by role."""
    return {role: rendered_tasks(getattr(tasks, role)) for role in TaskRoles._fields}


def _epochs(held: HeldTasks) -> dict[str, list[int]]:
    """The epochs of the active tasks, in their order."""
    shown: dict[str, list[int]] = {}
    for task, epoch in zip(held.active, held.epochs):
        shown.setdefault(task.subtopology, []).append(epoch)
    return shown


def _rendered_offsets(offsets: OffsetsOfTasks) -> dict[str, dict[str, int]]:
    shown: dict[str, dict[str, int]] = {}
    for task, offset in offsets:
        shown.setdefault(task.subtopology, {})[str(task.partition)] = offset
    return shown


def _topics(topics: Image) -> dict[str, int]:
    return {topic.topic_id: topic.partitions for topic in topics}


def rendered_streams_reply(body: StreamsHeartbeatReply) -> dict[str, Any]:
    """The fields of a reply in addition to its kind and error; none if it is an error."""
    if body.error != errors.NONE:
        return {}
    tasks = dict.fromkeys(TaskRoles._fields) if body.tasks is None else rendered_roles(body.tasks)
    return {
        "member": body.member_id,
        "epoch": body.member_epoch,
        "interval": body.heartbeat_interval,
        "status": list(body.status),
        **tasks,
        "endpoint_epoch": body.endpoint_epoch,
        "partitions_by_endpoint": None if body.endpoints is None else _endpoints(body.endpoints),
        "create_topics": dict(body.create),
    }


def _endpoints(endpoints: Iterable[EndpointPartitions]) -> list[dict[str, Any]]:
    """Endpoints ordered by name: Kafka's order is that of a hash table."""
    return [
        {
            "endpoint": each.endpoint,
            "active": numbers_by_topic(each.active),
            "standby": numbers_by_topic(each.standby),
        }
        for each in sorted(endpoints)
    ]


def rendered_streams_record(kind: str, value: Any) -> dict[str, Any]:
    """The fields of a record in addition to its type and member."""
    if isinstance(value, r.StreamsEpochValue):
        return {
            "epoch": value.epoch,
            "validated_topology_epoch": value.validated_topology_epoch,
            "topics": _topics(value.topics),
            "configs": dict(value.configs),
        }
    if isinstance(value, r.StreamsMemberValue):
        return _said(value)
    if isinstance(value, r.StreamsTargetEpochValue):
        return {"epoch": value.epoch, "time": None if value.time == UNKNOWN_TIME else value.time}
    if isinstance(value, r.StreamsCurrentValue):
        return {"epoch": value.epoch, "prev_epoch": value.prev_epoch, "state": value.state, **_holds(value)}
    if isinstance(value, StreamsTopology):
        return {"epoch": value.epoch, "subtopologies": [part.subtopology_id for part in value.subtopologies]}
    assert kind == r.STREAMS_TARGET, "there are no other records"
    return {"tasks": rendered_roles(value)}


def _said(value: r.StreamsMemberValue | StreamsTaskMember) -> dict[str, Any]:
    """A member's own metadata."""
    return {
        "instance": value.group_instance_id or None,
        "process": value.process_id,
        "rebalance_timeout": value.rebalance_timeout,
        "topology_epoch": value.topology_epoch,
        "rack": value.rack or None,
        "endpoint": value.endpoint or None,
        "tags": dict(value.tags),
    }


def _holds(value: r.StreamsCurrentValue | StreamsTaskMember) -> dict[str, Any]:
    """A member's tasks."""
    return {
        "assigned": rendered_roles(value.assigned),
        "pending": rendered_roles(value.pending),
        "active_epochs": _epochs(value.assigned),
    }


def rendered_streams(group: StreamsTaskGroup) -> dict[str, Any]:
    """The state of a Streams group, without timers."""
    return {
        "state": group_state(group),
        "group_epoch": group.epoch,
        "target_epoch": group.target_epoch,
        "topology_epoch": group.topology[0].epoch if group.topology else -1,
        "validated_topology_epoch": group.validated_topology_epoch,
        "endpoint_epoch": group.endpoint_epoch,
        "topics": _topics(group.topics),
        "configs": dict(group.configs),
        "members": [
            {
                "id": member.member_id,
                "state": member.state,
                "epoch": member.epoch,
                "prev_epoch": member.prev_epoch,
                **_said(member),
                **_holds(member),
            }
            for member in group.members
        ],
        "target": {member: rendered_roles(tasks) for member, tasks in group.target},
    }


def rendered_streams_more(group: StreamsTaskGroup) -> dict[str, Any]:
    """The additional in-memory state of the coordinator, if there is any."""
    more: dict[str, Any] = {}
    if group.target_time != UNKNOWN_TIME:
        more["assignment_time"] = group.target_time
    for refined in group.remembered.refined:
        if refined.epoch == group.target_epoch:
            more["refined"] = {member: rendered_roles(tasks) for member, tasks in refined.target}
    if group.task_offsets:
        more["task_offsets"] = {
            member: {"offsets": _rendered_offsets(offsets.offsets), "ends": _rendered_offsets(offsets.ends)}
            for member, offsets in group.task_offsets
        }
    if group.shutdown_by:
        more["shutdown_by"] = group.shutdown_by
    for configured in group.remembered.configured:
        more["ready"] = configured.ready
        if configured.counted:
            more["tasks"] = dict(configured.tasks)
    if metadata_expired(group):
        more["metadata_expired"] = True
    return more
