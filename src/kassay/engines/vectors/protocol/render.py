"""Encodes the values of `model/protocols` as the JSON of the coordinator traces.

Additional data in the traces of later releases, which the older format has no place for. `rendered_more`
adds it.
"""

from __future__ import annotations

from typing import Any, Final

from kassay.engines.vectors.protocol.shapes import Document, StepShape
from kassay.engines.vectors.protocol.streams import (
    rendered_streams,
    rendered_streams_record,
    rendered_streams_reply,
)
from kassay.model.cluster import TopicPartition, numbers_by_topic
from kassay.model.errors import InputError
from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.coordinator.consumer.heartbeat import looks_again
from kassay.model.protocols.coordinator.consumer.targets import preferred_assignor
from kassay.model.protocols.coordinator.runtime import CoordinatorHost
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup, CoordinatorState
from kassay.model.protocols.values.records import UNKNOWN_TIME, Regex, RegexMatches
from kassay.model.protocols.values.requests import ZERO_BYTES, Image, Partitions
from kassay.model.protocols.values.streams import StreamsHeartbeatReply
from kassay.model.protocols.values.streams_groups import STREAMS_KINDS, StreamsTaskGroup


def records_beside(step: StepShape) -> list[Document]:
    """The records of a step, each with its additional data as `more`.

    Raises `InputError` unless there is additional data for each.
    """
    additions = (step.more or {}).get("records")
    if additions is None:
        return list(step.records)
    if not isinstance(additions, list) or len(additions) != len(step.records):
        raise InputError(f"step {step.i}: more.records: expected one for each of {len(step.records)} records")
    return [
        {**record, "more": more} if more is not None else record
        for record, more in zip(step.records, additions)
    ]


def state_beside(step: StepShape) -> dict[str, Any]:
    """The additional data of the state.

    An uncaught `exception` belongs to the reply. Raises `InputError` for an exception without a reply.
    """
    more = dict(step.more or {})
    more.pop("records", None)
    if more.pop("exception", None) and not any(
        response.get("error") == errors.UNKNOWN_SERVER_ERROR for response in step.responses
    ):
        raise InputError(f"step {step.i}: more.exception: expected the answer {errors.UNKNOWN_SERVER_ERROR}")
    return more


def rendered_beside(record: r.LogRecord) -> dict[str, Any]:
    """The additional data of a record, as `more` if there is any."""
    value = record.value
    more: dict[str, Any] = {}
    if isinstance(value, r.EpochValue):
        more["topics"] = rendered_topics(value.topics)
    elif isinstance(value, r.TargetEpochValue) and value.time != UNKNOWN_TIME:
        more["time"] = value.time
    elif isinstance(value, r.MemberValue) and value.regex:
        more["regex"] = value.regex
    elif isinstance(value, r.CurrentValue) and (value.assigned_epochs or value.pending_epochs):
        more = _epochs("assigned_epochs", value.assigned, value.assigned_epochs)
        more |= _epochs("pending_epochs", value.pending, value.pending_epochs)
    return {"more": more} if more else {}


def _epochs(name: str, tps: Partitions, epochs: tuple[int, ...]) -> dict[str, Any]:
    """`{"topic": [epoch, ...]}` under a name, if there are any."""
    shown: dict[str, list[int]] = {}
    for tp, epoch in zip(tps, epochs):
        shown.setdefault(tp.topic, []).append(epoch)
    return {name: shown} if tps else {}


def rendered_topics(topics: Image) -> dict[str, int]:
    """The partition counts of topics, by id."""
    return {image.topic_id: image.partitions for image in topics}


def rendered_resolution(result: RegexMatches) -> dict[str, Any]:
    """The result of a regular expression."""
    return {"topics": list(result.topics), "time": result.time, "image": result.image}


def rendered_more(state: CoordinatorState) -> dict[str, Any]:
    """The additional data of a state, if there is any."""
    group = state.group
    refreshing = {"refreshing": True} if state.background.tasks else {}
    if not isinstance(group, ConsumerGroup):
        return refreshing
    more: dict[str, Any] = refreshing | {
        "partition_epochs": {
            member.member_id: {"assigned": {}}
            | _epochs("assigned", member.assigned, member.assigned_epochs)
            | _epochs("pending", member.pending, member.pending_epochs)
            for member in group.members
        }
    }
    if group.target_time != UNKNOWN_TIME:
        more["assignment_time"] = group.target_time
    if regex_of := {member.member_id: member.regex for member in group.members if member.regex}:
        more["regex_of"] = regex_of
    if group.resolved:
        more["resolved"] = {regex: rendered_resolution(result) for regex, result in group.resolved}
    if looks_again(group):
        more["metadata_expired"] = True
    return more


def rendered_partitions(tps: Partitions) -> dict[str, Any] | None:
    """`{"topic": [partition, ...]}`, None for zero bytes; with user data, both under their own names."""
    if tps == ZERO_BYTES:
        return None
    if userdata := requests.user_data_of(tps):
        plain = tuple(tp for tp in tps if tp.partition != requests.USER_DATA)
        return {"partitions": numbers_by_topic(plain), "userdata": userdata}
    return numbers_by_topic(tps)


def rendered_metadata(metadata: requests.Metadata) -> dict[str, Any]:
    """A member's metadata, without the fields that its version lacks."""
    if isinstance(metadata, requests.RawMetadata):
        return {"raw": metadata.raw}
    document: dict[str, Any] = {"topics": list(metadata.topics), "version": metadata.version}
    if metadata.version >= 1:
        named = numbers_by_topic(metadata.owned).items()
        document["owned"] = {
            topic: [n for n in numbers if n != requests.NO_PARTITION] for topic, numbers in named
        }
    if metadata.version >= 2:
        document["generation"] = metadata.generation
    return document


def tidy(value: Any) -> Any:
    """A comparable form: absent and empty strings are null, members by id, unordered lists sorted."""
    if not isinstance(value, dict):
        return value
    document: dict[str, Any] = {key: None if item in ("", " ") else item for key, item in value.items()}
    members = document.get("members")
    if isinstance(members, list):
        tidied = [tidy(member) for member in members]
        by_id = bool(tidied) and all(isinstance(member, dict) and "id" in member for member in tidied)
        document["members"] = {str(member["id"]): member for member in tidied} if by_id else tidied
    for key in _IN_ANY_ORDER:
        items = document.get(key)
        if isinstance(items, list):
            document[key] = sorted(items, key=str)
    return document


_IN_ANY_ORDER: Final = (
    "timers",
    "pending_join",
    "pending_sync",
    "subscribed_topics",
    "status",
    "partitions_by_endpoint",
)
_NAMES: Final = {
    "client_id": "client",
    "generation_id": "generation",
    "group_instance_id": "instance",
    "heartbeat_interval": "interval",
    "member_epoch": "epoch",
    "member_id": "member",
}
_PARTITIONS: Final = frozenset({"assigned", "assignment", "pending"})


def _fields(value: Any, names: str) -> dict[str, Any]:
    """Fields of a value under their names in the traces; None stays None."""
    shown: dict[str, Any] = {}
    for name in names.split():
        item = getattr(value, name)
        if name in _PARTITIONS and item is not None:
            item = rendered_partitions(item)
        shown[_NAMES.get(name, name)] = list(item) if isinstance(item, tuple) else item
    return shown


def rendered_reply(reply: requests.Reply) -> dict[str, Any]:
    """A reply in the form of the traces; an error of the consumer protocol has no further fields."""
    body = reply.body
    document: dict[str, Any] = {"to": reply.correlation_id, "kind": _KINDS[type(body)], "error": body.error}
    if isinstance(body, requests.JoinGroupReply):
        document |= _fields(body, "member_id generation_id protocol_type protocol leader skip_assignment")
        document["members"] = [
            {"id": member, "instance": instance or None, "metadata": rendered_metadata(metadata)}
            for member, instance, metadata in body.members
        ]
    elif isinstance(body, requests.SyncGroupReply):
        document |= _fields(body, "protocol_type protocol assignment")
    elif isinstance(body, requests.LeaveGroupReply):
        document["members"] = [
            {"member": member, "instance": instance or None, "error": error}
            for member, instance, error in body.members
        ]
    elif isinstance(body, requests.ConsumerHeartbeatReply) and body.error == errors.NONE:
        document |= _fields(body, "member_id member_epoch heartbeat_interval assignment")
    elif isinstance(body, StreamsHeartbeatReply):
        document |= rendered_streams_reply(body)
    return document


_KINDS: Final = {
    requests.JoinGroupReply: "join",
    requests.SyncGroupReply: "sync",
    requests.HeartbeatReply: "heartbeat",
    requests.LeaveGroupReply: "leave",
    requests.OffsetCommitReply: "commit",
    requests.ConsumerHeartbeatReply: "consumer_heartbeat",
    StreamsHeartbeatReply: "streams_heartbeat",
}


def rendered_record(record: r.LogRecord) -> dict[str, Any]:
    """A record in the form of the traces."""
    kind, name = record.key
    streams = kind in STREAMS_KINDS
    document: dict[str, Any] = {"type": kind.removeprefix("streams_") if streams else kind}
    if isinstance(name, TopicPartition):
        document |= {"topic": name.topic, "partition": name.partition}
    elif isinstance(name, Regex):
        document["regex"] = name.regex
    elif name:
        document["member"] = name
    if record.value is None:
        return document | {"tombstone": True}
    rendered = rendered_streams_record if streams else _rendered_value
    return document | rendered(kind, record.value)


def _rendered_value(kind: str, value: Any) -> dict[str, Any]:
    if isinstance(value, r.GroupValue):
        return _rendered_group(value)
    if isinstance(value, r.MemberValue):
        document = _fields(value, "group_instance_id subscribed assignor rebalance_timeout")
        for classic in value.classic:
            protocols = [[name, rendered_metadata(metadata)] for name, metadata in classic.protocols]
            document["classic"] = {"session_timeout": classic.session_timeout, "protocols": protocols}
        return document
    if isinstance(value, r.CurrentValue):
        return _fields(value, "epoch prev_epoch state assigned pending")
    if kind == r.TARGET:
        return {"partitions": rendered_partitions(value)}
    if kind == r.TOPICS:
        return {"topics": rendered_topics(value)}
    if isinstance(value, r.OffsetValue):
        return {"offset": value.offset}
    if isinstance(value, RegexMatches):
        return rendered_resolution(value)
    if isinstance(value, r.EpochValue | r.TargetEpochValue):
        return {"epoch": value.epoch}
    return {"epoch": value}


def _rendered_group(value: r.GroupValue) -> dict[str, Any]:
    members = [
        {
            "id": member.member_id,
            **_fields(member, "group_instance_id session_timeout rebalance_timeout assignment"),
            "metadata": rendered_metadata(member.metadata),
        }
        for member in value.members
    ]
    return _fields(value, "generation protocol_type protocol leader") | {"members": members}


def rendered_state(host: CoordinatorHost, clock: int) -> dict[str, Any]:
    """The observable state in the form of the traces."""
    group = host.state.group
    timers = [[order.timer.kind, order.timer.member_id or None, clock + order.due] for order in host.armed]
    if isinstance(group, ClassicGroup):
        return {"type": "classic", **_rendered_classic(group), "timers": timers}
    if isinstance(group, ConsumerGroup):
        return {"type": "consumer", **_rendered_consumer(group), "timers": timers}
    if isinstance(group, StreamsTaskGroup):
        return {"type": "streams", **rendered_streams(group), "timers": timers}
    return {"type": None, "timers": timers}


def _rendered_classic(group: ClassicGroup) -> dict[str, Any]:
    members = [
        {
            "id": member.member_id,
            **_fields(member, "group_instance_id is_new session_timeout rebalance_timeout assignment"),
            "awaiting_join": member.awaiting_join != requests.NO_REQUEST,
            "awaiting_sync": member.awaiting_sync != requests.NO_REQUEST,
            "protocols": [name for name, _ in member.protocols],
        }
        for member in group.members
    ]
    shown = _fields(group, "state generation protocol_type protocol leader new_member_added")
    return shown | {
        **_fields(group, "pending_join pending_sync"),
        "subscribed_topics": list(group.subscribed_topics[0]) if group.subscribed_topics else None,
        "members": members,
    }


def _rendered_consumer(group: ConsumerGroup) -> dict[str, Any]:
    shown = "group_instance_id state epoch prev_epoch rebalance_timeout subscribed assignor assigned pending"
    return {
        "state": group_state(group),
        "group_epoch": group.epoch,
        "target_epoch": group.target_epoch,
        "assignor": preferred_assignor(group.members),
        "topics": rendered_topics(group.topics),
        "members": [
            {"id": member.member_id, **_fields(member, shown), "classic": bool(member.classic)}
            for member in group.members
        ],
        "target": {member: rendered_partitions(tps) for member, tps in group.target},
    }
