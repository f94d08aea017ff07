"""Between the JSON of the coordinator traces and the values of `model/protocols`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.protocols import records as r
from kassay.model.protocols import values as v
from kassay.model.protocols.choices import Choices
from kassay.model.protocols.consumer_group import group_state, preferred_assignor
from kassay.model.protocols.coordinator import Event
from kassay.model.protocols.driver import Broker
from kassay.model.protocols.groups import ClassicGroup, ConsumerGroup
from kassay.model.protocols.values import ZERO_BYTES, Config, Image, Partitions, TopicImage

TRACE_SWITCHES: Final = frozenset({"strict_epoch0"})
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


def rendered_partitions(tps: Partitions) -> dict[str, list[int]] | None:
    """The reverse; None for zero bytes."""
    if tps == ZERO_BYTES:
        return None
    found: dict[str, list[int]] = {}
    for topic, partition in tps:
        found.setdefault(topic, []).append(partition)
    return found


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


def rendered_metadata(metadata: v.Metadata) -> dict[str, Any]:
    """The reverse; what a version does not know is not shown."""
    if isinstance(metadata, v.RawMetadata):
        return {"raw": metadata.raw}
    found: dict[str, Any] = {"topics": list(metadata.topics), "version": metadata.version}
    if metadata.version >= 1:
        found["owned"] = rendered_partitions(metadata.owned)
    if metadata.version >= 2:
        found["generation"] = metadata.generation
    return found


def image_of(topics: Mapping[str, int], before: Image) -> Image:
    """The image after a change; a topic that comes back gets the next number behind its name.

    `before` holds, with -1 partitions, the topics that were deleted.
    """
    found: list[TopicImage] = []
    last = {image.name: image for image in before}
    for name, count in topics.items():
        old = last.get(name)
        if old is None:
            found.append(TopicImage(name, name, count))
        elif old.partitions >= 0:
            found.append(old._replace(partitions=count))
        else:
            base, _, number = old.topic_id.partition("#")
            found.append(TopicImage(name, f"{base}#{int(number or 1) + 1}", count))
    gone = [image._replace(partitions=-1) for image in before if image.name not in topics]
    return tuple(sorted(found + gone))


def _sent(text: str | None) -> str:
    """An optional string of a request: absent is "", and one that is sent empty is a blank."""
    return "" if text is None else text or " "


def _join(i: int, event: Mapping[str, Any], now: int) -> Event:
    return v.Join(
        i,
        event["member"],
        tuple((name, metadata_of(metadata)) for name, metadata in event["protocols"]),
        event["client"],
        _sent(event["instance"]),
        event["session_timeout"],
        event["rebalance_timeout"],
        event["protocol_type"],
        event["api_version"],
        now,
    )


def _sync(i: int, event: Mapping[str, Any], now: int) -> Event:
    given = tuple((member, _assignment(tps)) for member, tps in sorted(event["assignments"].items()))
    return v.Sync(
        i,
        event["member"],
        event["generation"],
        given,
        _sent(event["instance"]),
        event["protocol_type"] or "",
        event["protocol"] or "",
        now,
    )


def _assignment(tps: Mapping[str, Iterable[int]] | None) -> Partitions:
    return ZERO_BYTES if tps is None else partitions_of(tps)


def _heartbeat(i: int, event: Mapping[str, Any], now: int) -> Event:
    return v.Heartbeat(i, event["member"], event["generation"], _sent(event["instance"]), now)


def _leave(i: int, event: Mapping[str, Any], now: int) -> Event:
    return v.Leave(
        i, tuple((leaver["member"], _sent(leaver["instance"])) for leaver in event["members"]), now
    )


def _commit(i: int, event: Mapping[str, Any], now: int) -> Event:
    offsets = tuple(
        (TopicPartition(topic, partition), offset) for topic, partition, offset in event["offsets"]
    )
    return v.Commit(
        i,
        event["member"],
        event["generation"],
        offsets,
        _sent(event["instance"]),
        event["api_version"],
        now,
    )


def _consumer_heartbeat(i: int, event: Mapping[str, Any], now: int) -> Event:
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
        now,
    )


_REQUESTS: Final[dict[str, Callable[[int, Mapping[str, Any], int], Event]]] = {
    "join": _join,
    "sync": _sync,
    "heartbeat": _heartbeat,
    "leave": _leave,
    "commit": _commit,
    "consumer_heartbeat": _consumer_heartbeat,
}


def event_of(i: int, event: Mapping[str, Any], now: int, image: Image) -> Event:
    """The request or image of a step; raises `InputError` for a kind that does not exist."""
    kind = event["event"]
    if kind == "metadata":
        return v.MetadataChanged(image_of(event["topics"], image), now)
    if kind not in _REQUESTS:
        raise InputError(f"step {i}: event {kind!r}, expected one of {', '.join(sorted(_REQUESTS))}")
    return _REQUESTS[kind](i, event, now)


def tidy(value: Any) -> Any:
    """A comparable form: absent and empty strings are null, members by id, timers and ids in order."""
    if not isinstance(value, dict):
        return value
    found = {key: None if item in ("", " ") else item for key, item in value.items()}
    if isinstance(found.get("members"), list):
        members = [tidy(member) for member in found["members"]]
        found["members"] = (
            {str(m.get("id")): m for m in members} if members and "id" in members[0] else members
        )
    for key in ("timers", "pending_join", "pending_sync", "subscribed_topics"):
        if isinstance(found.get(key), list):
            found[key] = sorted(found[key], key=str)
    return found


def rendered_reply(reply: v.Reply) -> dict[str, Any]:
    """A reply as the traces write it; an error of the consumer protocol has no further fields."""
    body = reply.body
    found: dict[str, Any] = {"to": reply.request, "kind": _KINDS[type(body)], "error": body.error}
    if isinstance(body, v.JoinReply):
        found |= {
            "member": body.member,
            "generation": body.generation,
            "protocol_type": body.protocol_type,
            "protocol": body.protocol,
            "leader": body.leader,
            "skip_assignment": body.skip_assignment,
            "members": [
                {"id": member, "instance": instance or None, "metadata": rendered_metadata(metadata)}
                for member, instance, metadata in body.members
            ],
        }
    elif isinstance(body, v.SyncReply):
        found |= {
            "protocol_type": body.protocol_type,
            "protocol": body.protocol,
            "assignment": rendered_partitions(body.assignment),
        }
    elif isinstance(body, v.LeaveReply):
        found["members"] = [
            {"member": member, "instance": instance or None, "error": error}
            for member, instance, error in body.members
        ]
    elif isinstance(body, v.ConsumerHeartbeatReply) and body.error == v.NONE:
        found |= {
            "member": body.member,
            "epoch": body.epoch,
            "interval": body.interval,
            "assignment": None if body.assignment is None else rendered_partitions(body.assignment),
        }
    return found


_KINDS: Final = {
    v.JoinReply: "join",
    v.SyncReply: "sync",
    v.HeartbeatReply: "heartbeat",
    v.LeaveReply: "leave",
    v.CommitReply: "commit",
    v.ConsumerHeartbeatReply: "consumer_heartbeat",
}


def rendered_record(record: r.Record) -> dict[str, Any]:
    """A record as the traces write it."""
    kind, name = record.key
    found: dict[str, Any] = {"type": kind}
    if isinstance(name, TopicPartition):
        found |= {"topic": name.topic, "partition": name.partition}
    elif name:
        found["member"] = name
    if record.value is None:
        return found | {"tombstone": True}
    return found | _rendered_value(kind, record.value)


def _rendered_value(kind: str, value: Any) -> dict[str, Any]:
    if isinstance(value, r.GroupValue):
        return _rendered_group(value)
    if isinstance(value, r.MemberValue):
        found = {
            "instance": value.instance,
            "subscribed": list(value.subscribed),
            "assignor": value.assignor,
            "rebalance_timeout": value.rebalance_timeout,
        }
        for classic in value.classic:
            protocols = [[name, rendered_metadata(metadata)] for name, metadata in classic.protocols]
            found["classic"] = {"session_timeout": classic.session_timeout, "protocols": protocols}
        return found
    if isinstance(value, r.CurrentValue):
        return {
            "epoch": value.epoch,
            "prev_epoch": value.prev_epoch,
            "state": value.state,
            "assigned": rendered_partitions(value.assigned),
            "pending": rendered_partitions(value.pending),
        }
    if kind == r.TARGET:
        return {"partitions": rendered_partitions(value)}
    if kind == r.TOPICS:
        return {"topics": rendered_topics(value)}
    return {"offset" if kind == r.OFFSET else "epoch": value}


def _rendered_group(value: r.GroupValue) -> dict[str, Any]:
    return {
        "generation": value.generation,
        "protocol_type": value.protocol_type,
        "protocol": value.protocol,
        "leader": value.leader,
        "members": [
            {
                "id": member.member,
                "instance": member.instance,
                "session_timeout": member.session_timeout,
                "rebalance_timeout": member.rebalance_timeout,
                "metadata": rendered_metadata(member.metadata),
                "assignment": rendered_partitions(member.assignment),
            }
            for member in value.members
        ],
    }


def rendered_topics(topics: Image) -> dict[str, int]:
    """Subscription metadata, topics by id."""
    return {image.topic_id: image.partitions for image in topics}


def rendered_state(broker: Broker, choices: Choices) -> dict[str, Any]:
    """The observable state as the traces write it; `choices` settle which assignor a tied vote shows."""
    group = broker.coordinator.group
    timers = [[order.timer.kind, order.timer.member or None, order.due] for order in broker.armed]
    if isinstance(group, ClassicGroup):
        return {"type": "classic", **_rendered_classic(group), "timers": timers}
    if isinstance(group, ConsumerGroup):
        return {"type": "consumer", **_rendered_consumer(group, choices), "timers": timers}
    return {"type": None, "timers": timers}


def _rendered_classic(group: ClassicGroup) -> dict[str, Any]:
    return {
        "state": group.state,
        "generation": group.generation,
        "protocol_type": group.protocol_type,
        "protocol": group.protocol,
        "leader": group.leader,
        "new_member_added": group.new_member_added,
        "pending_join": list(group.pending_join),
        "pending_sync": list(group.pending_sync),
        "subscribed_topics": list(group.subscribed_topics[0]) if group.subscribed_topics else None,
        "members": [
            {
                "id": member.member,
                "instance": member.instance,
                "awaiting_join": member.awaiting_join != v.NO_REQUEST,
                "awaiting_sync": member.awaiting_sync != v.NO_REQUEST,
                "is_new": member.is_new,
                "session_timeout": member.session_timeout,
                "rebalance_timeout": member.rebalance_timeout,
                "protocols": [name for name, _ in member.protocols],
                "assignment": rendered_partitions(member.assignment),
            }
            for member in group.members
        ],
    }


def _rendered_consumer(group: ConsumerGroup, choices: Choices) -> dict[str, Any]:
    return {
        "state": group_state(group),
        "group_epoch": group.epoch,
        "target_epoch": group.target_epoch,
        "assignor": preferred_assignor(group.members, choices),
        "topics": rendered_topics(group.topics),
        "members": [
            {
                "id": member.member,
                "instance": member.instance,
                "state": member.state,
                "epoch": member.epoch,
                "prev_epoch": member.prev_epoch,
                "rebalance_timeout": member.rebalance_timeout,
                "subscribed": list(member.subscribed),
                "assignor": member.assignor,
                "assigned": rendered_partitions(member.assigned),
                "pending": rendered_partitions(member.pending),
                "classic": bool(member.classic),
            }
            for member in group.members
        ],
        "target": {member: rendered_partitions(tps) for member, tps in group.target},
    }
