"""Encodes the values of Streams groups as the JSON of their traces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kassay.model.cluster import numbers_by_topic
from kassay.model.protocols.coordinator.streams.group import group_state, metadata_expired
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.images import Image
from kassay.model.protocols.values.streams import records as r
from kassay.model.protocols.values.streams.group import UNKNOWN_TIME, StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.values.streams.requests import EndpointPartitions, StreamsHeartbeatReply
from kassay.model.protocols.values.streams.tasks import HeldTasks, OffsetsOfTasks, TaskIds, TaskRoles
from kassay.model.protocols.values.streams.topology import StreamsTopology


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


def _offsets(offsets: OffsetsOfTasks) -> dict[str, dict[str, int]]:
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
            member: {"offsets": _offsets(offsets.offsets), "ends": _offsets(offsets.ends)}
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
