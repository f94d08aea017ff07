"""Decodes the JSON of Streams groups' traces into the values of `model/protocols/values/streams`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, Final

from kassay.certify.vectors.protocol.shapes import Document, Numbers
from kassay.model.errors import InputError
from kassay.model.protocols.values.streams.config import StreamsConfig, StreamsConfigured
from kassay.model.protocols.values.streams.requests import StreamsHeartbeat
from kassay.model.protocols.values.streams.tasks import OffsetsOfTasks, TaskIds, TaskRoles
from kassay.model.protocols.values.streams.topology import (
    CopartitionGroup,
    StreamsSubtopology,
    StreamsTopology,
)
from kassay.model.streams.group import GroupTask
from kassay.reading.fields import Bound
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
        return StreamsSubtopology(self.id, *topics, self.repartition_sources, groups)


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
            _offsets(self.task_offsets),
            _offsets(self.task_end_offsets),
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


def shown_tasks(state: Document) -> dict[str, TaskRoles]:
    """The target in a state, by member; raises `InputError` if it is invalid."""
    if state.get("type") != "streams":
        return {}
    target = read_as(StreamsStateShape, state, "state").target
    return {
        member: TaskRoles(*(_tasks(getattr(roles, role)) or () for role in TaskRoles._fields))
        for member, roles in target.items()
    }


def _offsets(offsets: tuple[tuple[str, int, int], ...] | None) -> OffsetsOfTasks | None:
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
            raise InputError(f"{where}: unknown setting {full_name!r}")
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
        raise InputError(f"{where}: {value!r} is not a number")
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
