"""Decodes the JSON of the coordinator traces into the values of `model/protocols`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from kassay.engines.vectors.protocol.shapes import (
    ConfigShape,
    LeaverShape,
    MetadataShape,
    Numbers,
    TracedStep,
)
from kassay.engines.vectors.protocol.streams import BROKER, streams_config
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.records import ResolutionApplied, ResolutionRun
from kassay.model.protocols.values.releases import NEWEST, RELEASES, TRUNK_2024
from kassay.model.protocols.values.requests import ZERO_BYTES, Config, Image, Partitions, TopicImage
from kassay.model.protocols.values.streams import StreamsConfig
from kassay.reading.values import read_as


def release_named(version: str) -> str:
    """The release of the coordinator that made a trace, from the words of its header; "" is the newest.

    Raises `InputError` for a release that is not modelled.
    """
    if not version:
        return NEWEST
    for release in (TRUNK_2024, *RELEASES):
        series = release.rpartition(".")[0] or release
        if re.search(rf"(?<![\d.]){re.escape(series)}(?!\d)", version):
            return release
    raise InputError(f"traces of {version!r}: expected a coordinator of {_listed(RELEASES)}")


def _listed(releases: Iterable[str]) -> str:
    *others, last = releases
    return f"{', '.join(others)} or {last}"


def config_of(config: ConfigShape, release: str) -> Config:
    """The coordinator's configuration, with the rules of the release."""
    policy = config.migration_policy
    return Config(
        initial_rebalance_delay=config.classic_initial_rebalance_delay_ms,
        new_member_join_timeout=config.classic_new_member_join_timeout_ms,
        classic_max_size=config.classic_max_size,
        consumer_session_timeout=config.consumer_session_timeout_ms,
        consumer_heartbeat_interval=config.consumer_heartbeat_interval_ms,
        consumer_max_size=config.consumer_max_size,
        assignment_interval=_since_4_0(config, "consumer_assignment_interval_ms", release),
        regex_refresh_interval=_since_4_0(config, "consumer_regex_refresh_interval_ms", release),
        assignors=config.server_assignors,
        upgrade=policy in ("UPGRADE", "BIDIRECTIONAL"),
        downgrade=policy in ("DOWNGRADE", "BIDIRECTIONAL"),
        switches=RELEASES[release],
        streams=streams_config(config.streams, BROKER, StreamsConfig(), "config.streams"),
    )


def _since_4_0(config: ConfigShape, name: str, release: str) -> int:
    """A setting that 2024-10 lacks; raises `InputError` if it is missing for a later release."""
    value: int | None = getattr(config, name)
    if value is None and release != TRUNK_2024:
        raise InputError(f"config.{name}: missing")
    return value or 0


def partitions_of(tps: Mapping[str, Iterable[int]]) -> Partitions:
    """`{"topic": [partition, ...]}` as a value."""
    return requests.partitions((topic, partition) for topic, numbers in tps.items() for partition in numbers)


def metadata_of(metadata: MetadataShape) -> requests.Metadata:
    """A member's metadata for one protocol."""
    if metadata.raw is not None:
        return requests.RawMetadata(metadata.raw)
    owned = partitions_of(metadata.owned)
    return requests.Subscription(metadata.topics, owned, metadata.generation, version=metadata.version)


class Images:
    """The images of a trace; a topic that is created again after its deletion gets the next number as id."""

    def __init__(self) -> None:
        self._present: dict[str, str] = {}
        self._times: dict[str, int] = {}
        self.number = 0

    def publish(self, topics: Mapping[str, int]) -> Image:
        """The image with these topics."""
        ids: dict[str, str] = {}
        for name in topics:
            if name not in self._present:
                self._times[name] = self._times.get(name, 0) + 1
            times = self._times[name]
            ids[name] = self._present.get(name, name if times == 1 else f"{name}#{times}")
        self._present = ids
        self.number += 1
        return tuple(sorted(TopicImage(name, ids[name], count) for name, count in topics.items()))


def _sent(text: str | None) -> str:
    """An optional string of a request: absent is "", and one that is sent empty is a blank."""
    return "" if text is None else text or " "


def _partitions(tps: Numbers | None) -> Partitions | None:
    return None if tps is None else partitions_of(tps)


def _protocols(protocols: Iterable[tuple[str, MetadataShape]]) -> requests.Protocols:
    return tuple((name, metadata_of(metadata)) for name, metadata in protocols)


def _assignments(assignments: Mapping[str, Numbers | None]) -> tuple[tuple[str, Partitions], ...]:
    return tuple(
        (member, ZERO_BYTES if tps is None else partitions_of(tps))
        for member, tps in sorted(assignments.items())
    )


def _offsets(offsets: Iterable[tuple[str, int, int]]) -> tuple[tuple[TopicPartition, int], ...]:
    return tuple((TopicPartition(topic, partition), offset) for topic, partition, offset in offsets)


def _leavers(members: Iterable[LeaverShape]) -> tuple[tuple[str, str], ...]:
    return tuple((leaver.member, _sent(leaver.instance)) for leaver in members)


def _or_empty(text: str | None) -> str:
    return text or ""


def _as_it_is(value: Any) -> Any:
    return value


_REQUESTS: Final[dict[str, type[requests.Request]]] = {
    "join": requests.JoinGroup,
    "sync": requests.SyncGroup,
    "heartbeat": requests.Heartbeat,
    "leave": requests.LeaveGroup,
    "commit": requests.OffsetCommit,
    "consumer_heartbeat": requests.ConsumerHeartbeat,
}


class _Field(NamedTuple):
    """A field of a request: its name in the traces, its content there, and its decoder."""

    name: str
    shape: Any
    value: Callable[[Any], Any] = _as_it_is


def _marked(given: Any) -> Any:
    """A custom assignor's assignment with its user data marked among its partitions; others unchanged."""
    text, tps = (given.get("userdata"), given.get("partitions")) if isinstance(given, dict) else (None, None)
    return {**tps, text: [requests.USER_DATA]} if isinstance(text, str) and isinstance(tps, dict) else given


def _owning(metadata: Any) -> Any:
    """Metadata as the driver of the traces sent it.

    A client whose last assignment had user data sends its whole document as its owned partitions: a topic
    "partitions", of which the driver's number parser makes partition 0, and a topic "userdata" without
    partitions.
    """
    owned = metadata.get("owned") if isinstance(metadata, dict) else None
    custom = isinstance(owned, dict) and isinstance(owned.get("userdata"), str)
    return (
        {**metadata, "owned": {"partitions": [0], "userdata": [requests.NO_PARTITION]}}
        if custom
        else metadata
    )


def _as_sent(name: str, value: Any) -> Any:
    """The content of a field in which user data may accompany partitions; invalid content stays unchanged."""
    if name == "assignments" and isinstance(value, dict):
        return {member: _marked(given) for member, given in value.items()}
    if name == "protocols" and isinstance(value, list):
        pairs = [each if isinstance(each, list) and len(each) == 2 else None for each in value]
        return value if None in pairs else [[pair[0], _owning(pair[1])] for pair in pairs if pair]
    return value


_Text: Final = str | None
_FIELDS: Final[dict[str, _Field]] = {
    "member_id": _Field("member", _Text, _or_empty),
    "client_id": _Field("client", str),
    "group_instance_id": _Field("instance", _Text, _sent),
    "generation_id": _Field("generation", int),
    "member_epoch": _Field("epoch", int),
    "protocols": _Field("protocols", tuple[tuple[str, MetadataShape], ...], _protocols),
    "protocol_type": _Field("protocol_type", _Text, _or_empty),
    "protocol": _Field("protocol", _Text, _or_empty),
    "assignments": _Field("assignments", Mapping[str, Numbers | None], _assignments),
    "members": _Field("members", tuple[LeaverShape, ...], _leavers),
    "offsets": _Field("offsets", tuple[tuple[str, int, int], ...], _offsets),
    "rebalance_timeout": _Field(
        "rebalance_timeout", int | None, lambda millis: -1 if millis is None else millis
    ),
    "subscribed_topic_names": _Field("subscribed", tuple[str, ...] | None),
    "server_assignor": _Field("assignor", _Text, _sent),
    "topic_partitions": _Field("owned", Numbers | None, _partitions),
    "subscribed_topic_regex": _Field("regex", _Text),
    "session_timeout": _Field("session_timeout", int),
    "api_version": _Field("api_version", int),
}


_NOT_EVERYWHERE: Final = frozenset({"regex"})
"""Fields that only some traces have; a missing one was not sent."""

_TASKS: Final[Mapping[str, Event]] = {"resolve": ResolutionApplied(), "resolve_run": ResolutionRun()}


def event_of(step: TracedStep, images: Images, *, regexes: bool = True) -> Event:
    """The request or image of a step; raises `InputError` for an unknown kind or invalid fields.

    Without `regexes` the trace is of a release without regular expressions.
    """
    number, document = step.shape.i, step.shape.event
    kind = step.event.event
    if kind == "metadata":
        return requests.MetadataChanged(images.publish(step.event.topics), images.number)
    if kind in _TASKS and regexes:
        return _TASKS[kind]
    if kind not in _REQUESTS:
        raise InputError(f"step {number}: event {kind!r}, expected one of {', '.join(sorted(_REQUESTS))}")
    request = _REQUESTS[kind]
    unknown = (
        document.keys() - {"event", "write_fails"} - {_FIELDS[name].name for name in request._fields[1:]}
    )
    unknown |= set() if regexes else document.keys() & _NOT_EVERYWHERE
    if unknown:
        raise InputError(f"step {number}: event.{min(unknown)}: {kind} has no such field")
    values = []
    for field in (_FIELDS[name] for name in request._fields[1:]):
        where = f"step {number}: event.{field.name}"
        if field.name not in document and field.name not in _NOT_EVERYWHERE:
            raise InputError(f"{where}: missing")
        sent = _as_sent(field.name, document.get(field.name))
        values.append(field.value(read_as(field.shape, sent, where)))
    return request(number, *values)
