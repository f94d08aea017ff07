"""A topology compared with the topics that exist: how many tasks there are, and which topics are missing.

A subtopology has as many tasks as its widest input has partitions. A repartition topic has as many as it
says, or as the widest input of its writer; inputs that are joined must agree in their partitions. The
endpoints of a group's members and the partitions that they serve (interactive queries). A member's
partitions are cached until the member or the topology changes. Source: `InternalTopicManager`,
`RepartitionTopics`, `CopartitionedTopicsEnforcer`, `ChangelogTopics`.
`StreamsGroup.buildEndpointToPartitions`, `EndpointToPartitionsManager`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kassay.model.cluster import TopicPartition
from kassay.model.java import hash_map_order
from kassay.model.protocols.coordinator.consumer.group import Refused
from kassay.model.protocols.coordinator.streams.group import with_entry
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.requests import Image
from kassay.model.protocols.values.streams import (
    INCORRECTLY_PARTITIONED_TOPICS,
    MISSING_INTERNAL_TOPICS,
    MISSING_SOURCE_TOPICS,
    ConfiguredTopology,
    EndpointPartitions,
    StreamsSubtopology,
    StreamsTopology,
    TaskIds,
)
from kassay.model.protocols.values.streams_groups import StreamsTaskGroup, StreamsTaskMember


class _Mispartitioned(Exception):
    """Co-partitioned topics have different numbers of partitions."""


class _Counts:
    """Partitions by topic: of existing topics, and as decided for the others."""

    def __init__(self, image: Image) -> None:
        self.existing = {topic.name: topic.partitions for topic in image}
        self.decided: dict[str, int] = {}

    def of(self, topic: str) -> int:
        """Raises `Refused` for an unknown topic, on which the coordinator fails."""
        count = self.existing.get(topic, self.decided.get(topic))
        if count is None:
            raise Refused(errors.UNKNOWN_SERVER_ERROR)
        return count


def configure(topology: StreamsTopology, image: Image) -> ConfiguredTopology:
    """The topology configured with these topics; raises `Refused` if no topics could satisfy it."""
    by_id = {part.subtopology_id: part for part in topology.subtopologies}
    parts = [by_id[name] for name in hash_map_order(by_id)]
    counts = _Counts(image)
    if any(source not in counts.existing for part in parts for source in part.sources):
        return ConfiguredTopology(MISSING_SOURCE_TOPICS, counted=False)
    try:
        counts.decided |= _repartitions(parts, counts.existing)
        for part in parts:
            _copartition(parts, part, counts)
        for part in parts:
            counts.decided |= dict.fromkeys(part.changelogs, _width(part, counts))
        create = _missing(parts, counts)
    except _Mispartitioned:
        return ConfiguredTopology(INCORRECTLY_PARTITIONED_TOPICS, counted=False)
    tasks = tuple(sorted((part.subtopology_id, _width(part, counts)) for part in parts))
    return ConfiguredTopology(MISSING_INTERNAL_TOPICS if create else "", tasks=tasks, create=create)


def _width(part: StreamsSubtopology, counts: _Counts) -> int:
    """The largest number of partitions of its inputs."""
    if not part.inputs:
        raise Refused(errors.STREAMS_INVALID_TOPOLOGY)
    return max(counts.of(topic) for topic in part.inputs)


def _repartitions(parts: list[StreamsSubtopology], existing: Mapping[str, int]) -> dict[str, int]:
    """The partitions of the repartition topics; derived ones as soon as any of their inputs is known."""
    counts = {name: count for part in parts for name, count in part.repartition_sources if count}
    missing = True
    while missing:
        missing = progress = False
        for part in parts:
            for sink in part.repartition_sinks:
                if sink in counts:
                    continue
                inputs = [counts[name] for name, _ in part.repartition_sources if name in counts]
                inputs += [existing[name] for name in part.sources if name in existing]
                if inputs:
                    counts[sink] = max(inputs)
                    progress = True
                else:
                    missing = True
        if missing and not progress:
            raise Refused(errors.STREAMS_INVALID_TOPOLOGY)
    if any(name not in counts for part in parts for name, _ in part.repartition_sources):
        raise Refused(errors.STREAMS_INVALID_TOPOLOGY)
    return counts


def _copartition(parts: list[StreamsSubtopology], part: StreamsSubtopology, counts: _Counts) -> None:
    """Decide the partitions of repartition topics that are co-partitioned with others."""
    fixed = {name for each in parts for name, count in each.repartition_sources if count}
    flexible = {name for each in parts for name, count in each.repartition_sources if not count}
    for group in part.copartition:
        topics = {part.sources[place] for place in group.sources}
        topics |= {part.repartition_sources[place][0] for place in group.repartition_sources}
        repartitions = {topic: counts.of(topic) for topic in topics if topic in fixed | flexible}
        others = {counts.of(topic) for topic in topics if topic not in repartitions}
        if not topics:
            continue
        if others:
            agreed = others
        elif fixed:
            agreed = {counts.of(topic) for topic in fixed}
        else:
            agreed = {max(repartitions.values())}
        if len(agreed) > 1:
            raise _Mispartitioned
        (count,) = agreed
        counts.decided |= dict.fromkeys(repartitions, count)
        if any(topic in fixed and repartitions[topic] != count for topic in repartitions):
            raise _Mispartitioned


def _missing(parts: list[StreamsSubtopology], counts: _Counts) -> tuple[tuple[str, int], ...]:
    """The missing internal topics; raises `_Mispartitioned` for one with another number of partitions."""
    internal: dict[str, int] = {}
    for part in parts:
        internal |= {name: count or counts.decided[name] for name, count in part.repartition_sources}
        internal |= {name: counts.decided[name] for name in part.changelogs}
    if any(counts.existing.get(name, count) != count for name, count in internal.items()):
        raise _Mispartitioned
    return tuple(sorted((name, count) for name, count in internal.items() if name not in counts.existing))


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
