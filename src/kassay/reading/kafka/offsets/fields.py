"""The fields of records of `__consumer_offsets`: those that an audit rests on, and those that it names.

A field is named by its path, without the places in lists. What is in neither table is of a newer Kafka.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

COMMITS: Final = "offset commits"
CLASSIC: Final = "classic groups"
CONSUMERS: Final = "consumer groups"
SHARES: Final = "share groups"
STREAMS_GROUPS: Final = "Streams groups"
"""What records are of."""
_OWN_TIME: Final = "the record's own time counts"
_BY_EPOCH: Final = "the member's epoch says what counts of it"
_NO_RACKS: Final = "the assignor rests on no racks"

READ: Final[Mapping[str, frozenset[str]]] = {
    COMMITS: frozenset({"topicId"}),
    CLASSIC: frozenset(
        {
            *("protocolType", "generation", "protocol", "leader", "currentStateTimestamp", "members"),
            *("members.memberId", "members.groupInstanceId", "members.clientId", "members.clientHost"),
            *("members.rebalanceTimeout", "members.sessionTimeout", "members.subscription"),
            *("members.subscription.topics", "members.subscription.userData", "members.assignment"),
            *("members.subscription.ownedPartitions", "members.subscription.ownedPartitions.topic"),
            *("members.subscription.ownedPartitions.partitions", "members.subscription.generationId"),
            *("members.subscription.rackId", "members.assignment.assignedPartitions"),
            *(
                "members.assignment.assignedPartitions.topic",
                "members.assignment.assignedPartitions.partitions",
            ),
        }
    ),
    CONSUMERS: frozenset(
        {
            *(
                "epoch",
                "metadataHash",
                "topics",
                "topics.topicId",
                "topics.topicName",
                "topics.numPartitions",
            ),
            *(
                "clientId",
                "clientHost",
                "instanceId",
                "rackId",
                "subscribedTopicNames",
                "subscribedTopicRegex",
            ),
            *("serverAssignor", "classicMemberMetadata", "assignmentEpoch", "memberEpoch", "state"),
            *("topicPartitions", "topicPartitions.topicId", "topicPartitions.partitions"),
            *("assignedPartitions", "assignedPartitions.topicId", "assignedPartitions.partitions"),
            *("partitionsPendingRevocation", "partitionsPendingRevocation.topicId"),
            "partitionsPendingRevocation.partitions",
        }
    ),
    SHARES: frozenset(
        {
            *("epoch", "metadataHash", "clientId", "clientHost", "subscribedTopicNames", "assignmentEpoch"),
            "rackId",
            *("memberEpoch", "state", "topicPartitions", "topicPartitions.topicId"),
            *("topicPartitions.partitions", "assignedPartitions", "assignedPartitions.topicId"),
            *("assignedPartitions.partitions", "initializedTopics", "initializedTopics.topicId"),
            *("initializedTopics.topicName", "initializedTopics.partitions", "initializingTopics"),
            *("initializingTopics.topicId", "initializingTopics.topicName", "initializingTopics.partitions"),
        }
    ),
    STREAMS_GROUPS: frozenset(
        {
            *("epoch", "metadataHash", "validatedTopologyEpoch", "lastAssignmentConfigs"),
            *("lastAssignmentConfigs.key", "lastAssignmentConfigs.value", "instanceId", "clientId"),
            *(
                "rackId",
                "clientHost",
                "topologyEpoch",
                "processId",
                "assignmentEpoch",
                "memberEpoch",
                "state",
            ),
            *("activeTasks", "activeTasks.subtopologyId", "activeTasks.partitions", "standbyTasks"),
            *("standbyTasks.subtopologyId", "standbyTasks.partitions", "warmupTasks"),
            *("warmupTasks.subtopologyId", "warmupTasks.partitions", "activeTasksPendingRevocation"),
            *("activeTasksPendingRevocation.subtopologyId", "activeTasksPendingRevocation.partitions"),
            *("subtopologies", "subtopologies.subtopologyId", "subtopologies.sourceTopics"),
            *("subtopologies.sourceTopicRegex", "subtopologies.repartitionSourceTopics"),
            *("subtopologies.repartitionSourceTopics.name", "subtopologies.stateChangelogTopics"),
        }
    ),
}
NOT_USED: Final[Mapping[str, Mapping[str, str]]] = {
    COMMITS: {
        "offset": "when a reader commits counts, not what",
        "leaderEpoch": "when a reader commits counts, not what",
        "metadata": "when a reader commits counts, not what",
        "commitTimestamp": _OWN_TIME,
        "expireTimestamp": "when a reader commits counts, not what",
    },
    CLASSIC: {"members.assignment.userData": "the leader's message to its own clients"},
    CONSUMERS: {
        "rebalanceTimeoutMs": "the coordinator's records say when members change",
        "classicMemberMetadata.sessionTimeoutMs": "the coordinator's records say when members change",
        "classicMemberMetadata.supportedProtocols": "the coordinator assigns",
        "assignmentTimestamp": _OWN_TIME,
        "previousMemberEpoch": _BY_EPOCH,
        "assignedPartitions.assignmentEpochs": _BY_EPOCH,
        "partitionsPendingRevocation.assignmentEpochs": _BY_EPOCH,
        "topics.partitionMetadata": "racks of replicas are written by no release",
        "version": "the record has what it was computed from",
        "timestamp": _OWN_TIME,
    },
    SHARES: {
        "assignmentTimestamp": _OWN_TIME,
        "previousMemberEpoch": _BY_EPOCH,
        "deletingTopics": "no member gets a partition that is being deleted",
    },
    STREAMS_GROUPS: {
        "rebalanceTimeoutMs": "the coordinator's records say when members change",
        "userEndpoint": "for queries of users, not for assignment",
        "clientTags": _NO_RACKS,
        "assignmentTimestamp": _OWN_TIME,
        "previousMemberEpoch": _BY_EPOCH,
        "activeTasks.assignmentEpochs": _BY_EPOCH,
        "activeTasksPendingRevocation.assignmentEpochs": _BY_EPOCH,
        "standbyTasksPendingRevocation": "copies that a thread gives up",
        "warmupTasksPendingRevocation": "copies that a thread gives up",
        "subtopologies.copartitionGroups": "the coordinator has checked them",
        "subtopologies.repartitionSinkTopics": "the coordinator makes these topics",
        "subtopologies.repartitionSourceTopics.partitions": "the coordinator makes these topics",
        "subtopologies.repartitionSourceTopics.replicationFactor": "the coordinator makes these topics",
        "subtopologies.repartitionSourceTopics.topicConfigs": "the coordinator makes these topics",
        "subtopologies.stateChangelogTopics.name": "that there is one counts",
        "subtopologies.stateChangelogTopics.partitions": "that there is one counts",
        "subtopologies.stateChangelogTopics.replicationFactor": "that there is one counts",
        "subtopologies.stateChangelogTopics.topicConfigs": "that there is one counts",
    },
}
"""By what records are of, the fields on which no answer of an audit rests, with the reason."""
NEWER: Final = "not known to kassay"


def fields_in(value: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """The fields of a value, each with its path; of a list, those of its first object."""
    for name, inner in value.items():
        where = f"{path}{name}"
        yield where
        first = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(first, dict):
            yield from fields_in(first, f"{where}.")


def unused(seen: Mapping[str, set[str]]) -> dict[str, dict[str, str]]:
    """The fields of `seen` that no answer rests on, by what records are of, each with the reason."""
    reasons: dict[str, dict[str, str]] = {}
    for kind, fields in sorted(seen.items()):
        named = NOT_USED.get(kind, {})
        for field in sorted(fields - READ.get(kind, frozenset())):
            if not any(field.startswith(f"{parent}.") for parent in named):
                reasons.setdefault(kind, {})[field] = named.get(field, NEWER)
    return reasons
