"""From the JSON of the coordinator traces to the values of `model/protocols`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.requests import ZERO_BYTES, Config, Image, Partitions, TopicImage

TRACE_SWITCHES: Final = frozenset({"strict_epoch0", "timers_survive_migration"})
"""The rules of the commit of the traces that later Kafka dropped."""


def config_of(config: Mapping[str, Any]) -> Config:
    """The coordinator's configuration."""
    policy = config["migration_policy"]
    return Config(
        initial_rebalance_delay=config["classic_initial_rebalance_delay_ms"],
        new_member_join_timeout=config["classic_new_member_join_timeout_ms"],
        classic_max_size=config["classic_max_size"],
        consumer_session_timeout=config["consumer_session_timeout_ms"],
        consumer_heartbeat_interval=config["consumer_heartbeat_interval_ms"],
        consumer_max_size=config["consumer_max_size"],
        assignors=tuple(config["server_assignors"]),
        upgrade=policy in ("UPGRADE", "BIDIRECTIONAL"),
        downgrade=policy in ("DOWNGRADE", "BIDIRECTIONAL"),
        switches=TRACE_SWITCHES,
    )


def partitions_of(tps: Mapping[str, Iterable[int]]) -> Partitions:
    """`{"topic": [partition, ...]}` as a value."""
    return requests.partitions((topic, partition) for topic, numbers in tps.items() for partition in numbers)


def metadata_of(metadata: Mapping[str, Any]) -> requests.Metadata:
    """A member's metadata for one protocol."""
    if "raw" in metadata:
        return requests.RawMetadata(metadata["raw"])
    return requests.Subscription(
        topics=tuple(metadata["topics"]),
        owned=partitions_of(metadata.get("owned", {})),
        generation=metadata.get("generation", requests.NO_GENERATION),
        version=metadata["version"],
    )


class Images:
    """The images of a trace; a topic that comes back after its deletion gets the next number as its id."""

    def __init__(self) -> None:
        self._present: dict[str, str] = {}
        self._times: dict[str, int] = {}

    def publish(self, topics: Mapping[str, int]) -> Image:
        """The image with these topics."""
        ids: dict[str, str] = {}
        for name in topics:
            if name not in self._present:
                self._times[name] = self._times.get(name, 0) + 1
            times = self._times[name]
            ids[name] = self._present.get(name, name if times == 1 else f"{name}#{times}")
        self._present = ids
        return tuple(sorted(TopicImage(name, ids[name], count) for name, count in topics.items()))


def _sent(text: str | None) -> str:
    """An optional string of a request: absent is "", and one that is sent empty is a blank."""
    return "" if text is None else text or " "


def _partitions(tps: Mapping[str, Iterable[int]] | None) -> Partitions | None:
    return None if tps is None else partitions_of(tps)


def _protocols(protocols: Iterable[tuple[str, Mapping[str, Any]]]) -> requests.Protocols:
    return tuple((name, metadata_of(metadata)) for name, metadata in protocols)


def _assignments(assignments: Mapping[str, Any]) -> tuple[tuple[str, Partitions], ...]:
    return tuple(
        (member, ZERO_BYTES if tps is None else partitions_of(tps))
        for member, tps in sorted(assignments.items())
    )


def _offsets(offsets: Iterable[tuple[str, int, int]]) -> tuple[tuple[TopicPartition, int], ...]:
    return tuple((TopicPartition(topic, partition), offset) for topic, partition, offset in offsets)


def _leavers(members: Iterable[Mapping[str, Any]]) -> tuple[tuple[str, str], ...]:
    return tuple((leaver["member"], _sent(leaver["instance"])) for leaver in members)


def _or_empty(text: str | None) -> str:
    return text or ""


_REQUESTS: Final[dict[str, type[requests.Request]]] = {
    "join": requests.JoinGroup,
    "sync": requests.SyncGroup,
    "heartbeat": requests.Heartbeat,
    "leave": requests.LeaveGroup,
    "commit": requests.OffsetCommit,
    "consumer_heartbeat": requests.ConsumerHeartbeat,
}
_FIELDS: Final[dict[str, tuple[str, Callable[[Any], Any]]]] = {
    "member_id": ("member", _or_empty),
    "client_id": ("client", str),
    "group_instance_id": ("instance", _sent),
    "generation_id": ("generation", int),
    "member_epoch": ("epoch", int),
    "protocols": ("protocols", _protocols),
    "protocol_type": ("protocol_type", _or_empty),
    "protocol": ("protocol", _or_empty),
    "assignments": ("assignments", _assignments),
    "members": ("members", _leavers),
    "offsets": ("offsets", _offsets),
    "rebalance_timeout": ("rebalance_timeout", lambda millis: -1 if millis is None else millis),
    "subscribed_topic_names": ("subscribed", lambda topics: None if topics is None else tuple(topics)),
    "server_assignor": ("assignor", _sent),
    "topic_partitions": ("owned", _partitions),
    "session_timeout": ("session_timeout", int),
    "api_version": ("api_version", int),
}
"""Of each field of a request, its name in the traces and how it is read."""


def event_of(i: int, event: Mapping[str, Any], images: Images) -> Event:
    """The request or image of a step; raises `InputError` for a kind that does not exist."""
    kind = event["event"]
    if kind == "metadata":
        return requests.MetadataChanged(images.publish(event["topics"]))
    if kind not in _REQUESTS:
        raise InputError(f"step {i}: event {kind!r}, expected one of {', '.join(sorted(_REQUESTS))}")
    request = _REQUESTS[kind]
    fields = (_FIELDS[field] for field in request._fields[1:])
    return request(i, *(read(event[name]) for name, read in fields))
