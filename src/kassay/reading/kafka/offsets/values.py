"""The records of `__consumer_offsets` about groups, as values; the partitions of KIP-848 are by topic id.

Source: Kafka `group-coordinator/src/main/resources/common/message`, 4.0 to 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.offsets.consumer_protocol import ConsumerAssignment, ConsumerSubscription


class RecordType(IntEnum):
    """The types of records that are looked into."""

    CLASSIC_GROUP = 2
    GROUP_EPOCH = 3
    PARTITION_COUNTS = 4
    SUBSCRIPTION = 5
    TARGET_EPOCH = 6
    TARGET = 7
    CURRENT = 8
    REGEX = 16


@dataclass(frozen=True)
class GenerationMember:
    """A member of a classic group as its generation was stored.

    `subscription` and `assignment` are None where the bytes are none of a consumer's; `unread` says why.
    """

    member_id: str
    client_id: str
    client_host: str
    instance_id: str | None = None
    subscription: ConsumerSubscription | None = None
    assignment: ConsumerAssignment | None = None
    unread: str | None = None


@dataclass(frozen=True)
class ClassicGeneration:
    """A generation of a classic group (`GroupMetadataValue`); `leader` is None where no member had led it."""

    protocol_type: str
    generation: int
    protocol: str | None
    leader: str | None
    members: tuple[GenerationMember, ...]
    since: int | None = None


@dataclass(frozen=True)
class GroupEpoch:
    """The epoch of a consumer group (`ConsumerGroupMetadataValue`)."""

    epoch: int


@dataclass(frozen=True)
class NamedTopics:
    """Names and partition counts by topic id (`ConsumerGroupPartitionMetadataValue`, before Kafka 4.1)."""

    topics: Mapping[str, tuple[str, int]]


@dataclass(frozen=True)
class MemberSubscription:
    """What a member of a consumer group reads (`ConsumerGroupMemberMetadataValue`).

    `assignor` is the server-side assignor that it asks for, `classic` whether it still speaks the classic
    protocol.
    """

    topics: tuple[str, ...]
    regex: str | None
    client_id: str
    client_host: str
    instance_id: str | None
    rack: str | None
    assignor: str | None
    classic: bool


@dataclass(frozen=True)
class TargetEpoch:
    """The epoch for which a target was computed (`ConsumerGroupTargetAssignmentMetadataValue`)."""

    epoch: int


@dataclass(frozen=True)
class TargetPartitions:
    """What a member is to have, by topic id (`ConsumerGroupTargetAssignmentMemberValue`)."""

    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True)
class CurrentPartitions:
    """What a member has, by topic id (`ConsumerGroupCurrentMemberAssignmentValue`).

    `state` is 0 at rest, 1 while it has to give up `revoking`, 2 while it waits for others.
    """

    epoch: int
    previous_epoch: int
    state: int
    assigned: tuple[TopicPartition, ...]
    revoking: tuple[TopicPartition, ...]


@dataclass(frozen=True)
class ResolvedRegex:
    """The topics that a regular expression stands for (`ConsumerGroupRegularExpressionValue`)."""

    topics: tuple[str, ...]


GroupValue = (
    ClassicGeneration
    | GroupEpoch
    | NamedTopics
    | MemberSubscription
    | TargetEpoch
    | TargetPartitions
    | CurrentPartitions
    | ResolvedRegex
)


@dataclass(frozen=True)
class GroupRecord:
    """A record about a group: its key, and its value, None for a tombstone.

    `part` is what of the group it is about: a member id, a regular expression, or nothing.
    """

    type: RecordType
    group: str
    part: str
    value: GroupValue | None
