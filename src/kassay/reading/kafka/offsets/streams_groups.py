"""The records of Streams groups (KIP-1071): tasks instead of partitions, and their topology.

Each reader takes the data of a value and its path, and raises `InputError` that names the field.
Source: Kafka `StreamsGroup*Value.json` in `group-coordinator/src/main/resources/common/message`, 4.1 to 4.4.
"""

from __future__ import annotations

from typing import Final

from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.offsets.fields import (
    JsonObject,
    by_topic,
    each_of,
    int_of,
    object_of,
    optional_text,
    text_of,
    texts_of,
)
from kassay.reading.kafka.offsets.values import (
    CurrentPartitions,
    GroupEpoch,
    GroupTopology,
    MemberSubscription,
    SourceTopics,
    TargetPartitions,
)

_STANDBYS: Final = "num.standby.replicas"


def streams_epoch(data: JsonObject, path: str) -> GroupEpoch:
    """The epoch of the group, and its number of standbys."""

    def configured(item: object, at: str) -> tuple[str, str]:
        fields = object_of(item, at)
        return text_of(fields, "key", at), text_of(fields, "value", at)

    known = data.get("lastAssignmentConfigs") is not None
    configs = dict(each_of(data, "lastAssignmentConfigs", path, configured)) if known else {}
    standbys = configs.get(_STANDBYS, "")
    epoch = int_of(data, "epoch", path)
    return GroupEpoch(epoch, int(standbys) if standbys.isdecimal() and len(standbys) < 6 else None)


def streams_member(data: JsonObject, path: str) -> MemberSubscription:
    """A thread, its process, and the topology that it has."""
    return MemberSubscription(
        (),
        None,
        text_of(data, "clientId", path),
        text_of(data, "clientHost", path),
        optional_text(data, "instanceId", path),
        optional_text(data, "rackId", path) or None,
        process_id=text_of(data, "processId", path),
        topology_epoch=int_of(data, "topologyEpoch", path),
    )


def streams_target(data: JsonObject, path: str) -> TargetPartitions:
    """The target tasks of a thread."""
    return TargetPartitions(
        _tasks(data, path, "activeTasks"), _tasks(data, path, "standbyTasks", "warmupTasks")
    )


def streams_current(data: JsonObject, path: str) -> CurrentPartitions:
    """The tasks that a thread has, and those that it must give up."""
    return CurrentPartitions(
        int_of(data, "memberEpoch", path),
        int_of(data, "previousMemberEpoch", path),
        int_of(data, "state", path),
        _tasks(data, path, "activeTasks"),
        _tasks(data, path, "activeTasksPendingRevocation"),
        _tasks(data, path, "standbyTasks", "warmupTasks"),
    )


def _tasks(data: JsonObject, path: str, *names: str) -> tuple[TopicPartition, ...]:
    return tuple(task for name in names for task in by_topic(data, name, "subtopologyId", path))


def group_topology(data: JsonObject, path: str) -> GroupTopology:
    """The subtopologies, each with its source topics."""

    def subtopology(item: object, at: str) -> tuple[str, SourceTopics]:
        fields = object_of(item, at)
        repartitioned = each_of(
            fields, "repartitionSourceTopics", at, lambda each, on: text_of(object_of(each, on), "name", on)
        )
        changelogs = each_of(fields, "stateChangelogTopics", at, object_of)
        sources = texts_of(fields, "sourceTopics", at)
        by_regex = bool(texts_of(fields, "sourceTopicRegex", at))
        return text_of(fields, "subtopologyId", at), SourceTopics(
            (*sources, *repartitioned), by_regex, bool(changelogs)
        )

    return GroupTopology(int_of(data, "epoch", path), dict(each_of(data, "subtopologies", path, subtopology)))
