"""From the values of `model/protocols` to the JSON of the coordinator traces."""

from __future__ import annotations

from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.consumer.group import group_state, preferred_assignor
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values import requests as v
from kassay.model.protocols.values.choices import Choices
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.requests import ZERO_BYTES, Image, Partitions


def rendered_partitions(tps: Partitions) -> dict[str, list[int]] | None:
    """`{"topic": [partition, ...]}`, or None for zero bytes."""
    if tps == ZERO_BYTES:
        return None
    found: dict[str, list[int]] = {}
    for topic, partition in tps:
        found.setdefault(topic, []).append(partition)
    return found


def rendered_metadata(metadata: v.Metadata) -> dict[str, Any]:
    """A member's metadata; what its version does not know is not shown."""
    if isinstance(metadata, v.RawMetadata):
        return {"raw": metadata.raw}
    found: dict[str, Any] = {"topics": list(metadata.topics), "version": metadata.version}
    if metadata.version >= 1:
        found["owned"] = rendered_partitions(metadata.owned)
    if metadata.version >= 2:
        found["generation"] = metadata.generation
    return found


def tidy(value: Any) -> Any:
    """A comparable form: absent and empty strings are null, members by id, timers and ids in order."""
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {key: None if item in ("", " ") else item for key, item in value.items()}
    members = found.get("members")
    if isinstance(members, list):
        tidied = [tidy(member) for member in members]
        found["members"] = {str(m["id"]): m for m in tidied} if tidied and "id" in tidied[0] else tidied
    for key in ("timers", "pending_join", "pending_sync", "subscribed_topics"):
        items = found.get(key)
        if isinstance(items, list):
            found[key] = sorted(items, key=str)
    return found


def rendered_reply(reply: v.Reply) -> dict[str, Any]:
    """A reply as the traces write it; an error of the consumer protocol has no further fields."""
    body = reply.body
    found: dict[str, Any] = {"to": reply.correlation_id, "kind": _KINDS[type(body)], "error": body.error}
    if isinstance(body, v.JoinGroupReply):
        found |= {
            "member": body.member_id,
            "generation": body.generation_id,
            "protocol_type": body.protocol_type,
            "protocol": body.protocol,
            "leader": body.leader,
            "skip_assignment": body.skip_assignment,
            "members": [
                {"id": member, "instance": instance or None, "metadata": rendered_metadata(metadata)}
                for member, instance, metadata in body.members
            ],
        }
    elif isinstance(body, v.SyncGroupReply):
        found |= {
            "protocol_type": body.protocol_type,
            "protocol": body.protocol,
            "assignment": rendered_partitions(body.assignment),
        }
    elif isinstance(body, v.LeaveGroupReply):
        found["members"] = [
            {"member": member, "instance": instance or None, "error": error}
            for member, instance, error in body.members
        ]
    elif isinstance(body, v.ConsumerHeartbeatReply) and body.error == v.NONE:
        found |= {
            "member": body.member_id,
            "epoch": body.member_epoch,
            "interval": body.heartbeat_interval,
            "assignment": None if body.assignment is None else rendered_partitions(body.assignment),
        }
    return found


_KINDS: Final = {
    v.JoinGroupReply: "join",
    v.SyncGroupReply: "sync",
    v.HeartbeatReply: "heartbeat",
    v.LeaveGroupReply: "leave",
    v.OffsetCommitReply: "commit",
    v.ConsumerHeartbeatReply: "consumer_heartbeat",
}


def rendered_record(record: r.LogRecord) -> dict[str, Any]:
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
            "instance": value.group_instance_id,
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
    if isinstance(value, r.OffsetValue):
        return {"offset": value.offset}
    return {"epoch": value}


def _rendered_group(value: r.GroupValue) -> dict[str, Any]:
    return {
        "generation": value.generation,
        "protocol_type": value.protocol_type,
        "protocol": value.protocol,
        "leader": value.leader,
        "members": [
            {
                "id": member.member_id,
                "instance": member.group_instance_id,
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


def rendered_state(host: CoordinatorHost, clock: int, choices: Choices) -> dict[str, Any]:
    """The observable state as the traces write it; `choices` settle which assignor a tied vote shows."""
    group = host.state.group
    timers = [[order.timer.kind, order.timer.member_id or None, clock + order.due] for order in host.armed]
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
                "id": member.member_id,
                "instance": member.group_instance_id,
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
                "id": member.member_id,
                "instance": member.group_instance_id,
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
