"""From the JSON of the coordinator traces to the values of `model/protocols`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.step import Event
from kassay.model.protocols.values import requests as v
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
    return v.partitions((topic, partition) for topic, numbers in tps.items() for partition in numbers)


def metadata_of(metadata: Mapping[str, Any]) -> v.Metadata:
    """A member's metadata for one protocol."""
    if "raw" in metadata:
        return v.RawMetadata(metadata["raw"])
    return v.Subscription(
        topics=tuple(metadata["topics"]),
        owned=partitions_of(metadata.get("owned", {})),
        generation=metadata.get("generation", v.NO_GENERATION),
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


def _join(i: int, event: Mapping[str, Any]) -> Event:
    return v.JoinGroup(
        i,
        event["member"],
        tuple((name, metadata_of(metadata)) for name, metadata in event["protocols"]),
        event["client"],
        _sent(event["instance"]),
        event["session_timeout"],
        event["rebalance_timeout"],
        event["protocol_type"],
        event["api_version"],
    )


def _sync(i: int, event: Mapping[str, Any]) -> Event:
    given = tuple((member, _assignment(tps)) for member, tps in sorted(event["assignments"].items()))
    return v.SyncGroup(
        i,
        event["member"],
        event["generation"],
        given,
        _sent(event["instance"]),
        event["protocol_type"] or "",
        event["protocol"] or "",
    )


def _assignment(tps: Mapping[str, Iterable[int]] | None) -> Partitions:
    return ZERO_BYTES if tps is None else partitions_of(tps)


def _heartbeat(i: int, event: Mapping[str, Any]) -> Event:
    return v.Heartbeat(i, event["member"], event["generation"], _sent(event["instance"]))


def _leave(i: int, event: Mapping[str, Any]) -> Event:
    return v.LeaveGroup(
        i, tuple((leaver["member"], _sent(leaver["instance"])) for leaver in event["members"])
    )


def _commit(i: int, event: Mapping[str, Any]) -> Event:
    offsets = tuple(
        (TopicPartition(topic, partition), offset) for topic, partition, offset in event["offsets"]
    )
    return v.OffsetCommit(
        i,
        event["member"],
        event["generation"],
        offsets,
        _sent(event["instance"]),
        event["api_version"],
    )


def _consumer_heartbeat(i: int, event: Mapping[str, Any]) -> Event:
    timeout, subscribed, owned = event["rebalance_timeout"], event["subscribed"], event["owned"]
    return v.ConsumerHeartbeat(
        i,
        event["member"] or "",
        event["epoch"],
        _sent(event["instance"]),
        -1 if timeout is None else timeout,
        None if subscribed is None else tuple(subscribed),
        _sent(event["assignor"]),
        None if owned is None else partitions_of(owned),
    )


_REQUESTS: Final[dict[str, Callable[[int, Mapping[str, Any]], Event]]] = {
    "join": _join,
    "sync": _sync,
    "heartbeat": _heartbeat,
    "leave": _leave,
    "commit": _commit,
    "consumer_heartbeat": _consumer_heartbeat,
}


def event_of(i: int, event: Mapping[str, Any], images: Images) -> Event:
    """The request or image of a step; raises `InputError` for a kind that does not exist."""
    kind = event["event"]
    if kind == "metadata":
        return v.MetadataChanged(images.publish(event["topics"]))
    if kind not in _REQUESTS:
        raise InputError(f"step {i}: event {kind!r}, expected one of {', '.join(sorted(_REQUESTS))}")
    return _REQUESTS[kind](i, event)
