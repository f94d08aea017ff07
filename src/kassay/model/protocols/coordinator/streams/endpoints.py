"""The endpoints of a group's members and the partitions that they serve (interactive queries).

A member's partitions are cached until the member or the topology changes. Source:
`StreamsGroup.buildEndpointToPartitions`, `EndpointToPartitionsManager`.
"""

from __future__ import annotations

from collections.abc import Iterable

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.consumer.heartbeat import Refused
from kassay.model.protocols.coordinator.streams.group import with_entry
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.images import Image
from kassay.model.protocols.values.streams.group import StreamsTaskGroup, StreamsTaskMember
from kassay.model.protocols.values.streams.requests import EndpointPartitions
from kassay.model.protocols.values.streams.tasks import TaskIds
from kassay.model.protocols.values.streams.topology import StreamsTopology


def all_endpoints(
    group: StreamsTaskGroup,
    topology: StreamsTopology,
    image: Image,
    members: Iterable[StreamsTaskMember],
) -> tuple[StreamsTaskGroup, tuple[EndpointPartitions, ...]]:
    """The endpoints of `members`, and the group with the cached results.

    Raises `Refused`: the coordinator fails on a topology whose tasks it cannot count, and on deleted topics.
    """
    known = dict(group.endpoints)
    endpoints = []
    for member in members:
        if not member.endpoint:
            continue
        entry = known.get(member.member_id)
        if entry is None:
            entry = _endpoint_of(group, topology, image, member)
            group = group._replace(endpoints=with_entry(group.endpoints, member.member_id, entry))
        endpoints.append(entry)
    return group, tuple(endpoints)


def _endpoint_of(
    group: StreamsTaskGroup, topology: StreamsTopology, image: Image, member: StreamsTaskMember
) -> EndpointPartitions:
    if not all(configured.counted for configured in group.remembered.configured):
        raise Refused(errors.UNKNOWN_SERVER_ERROR)
    held = member.assigned
    copies = tuple(sorted({*held.standby, *held.warmup}))
    return EndpointPartitions(
        member.endpoint, _partitions(topology, image, held.active), _partitions(topology, image, copies)
    )


def _partitions(topology: StreamsTopology, image: Image, tasks: TaskIds) -> tuple[TopicPartition, ...]:
    """The partitions that the tasks read."""
    parts = {part.subtopology_id: part for part in topology.subtopologies}
    counts = {topic.name: topic.partitions for topic in image}
    read = set()
    for name, number in tasks:
        for topic in parts[name].inputs if name in parts else ("",):
            if topic not in counts:
                raise Refused(errors.UNKNOWN_SERVER_ERROR)
            if number < counts[topic]:
                read.add(TopicPartition(topic, number))
    return tuple(sorted(read))
