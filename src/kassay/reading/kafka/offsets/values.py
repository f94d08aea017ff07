"""The records of `__consumer_offsets` about groups, as values; a share group has those of KIP-848.

Partitions are by topic id. In a Streams group they are tasks: `topic` is a subtopology.

Source: Kafka `group-coordinator/src/main/resources/common/message`, 4.0 to 4.4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, IntEnum, auto
from typing import Final

from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.offsets.consumer_protocol import ConsumerAssignment, ConsumerSubscription


class RecordRole(Enum):
    """The part of a group's state that a record holds, in any protocol."""

    GENERATION = auto()
    GROUP_EPOCH = auto()
    TOPICS = auto()
    MEMBER = auto()
    TARGET_EPOCH = auto()
    TARGET = auto()
    CURRENT = auto()
    REGEX = auto()
    TOPOLOGY = auto()


class RecordType(IntEnum):
    """The types of records that are parsed."""

    CLASSIC_GROUP = 2
    GROUP_EPOCH = 3
    PARTITION_COUNTS = 4
    SUBSCRIPTION = 5
    TARGET_EPOCH = 6
    TARGET = 7
    CURRENT = 8
    SHARE_MEMBER = 10
    SHARE_EPOCH = 11
    SHARE_TARGET_EPOCH = 12
    SHARE_TARGET = 13
    SHARE_CURRENT = 14
    SHARE_STATE = 15
    REGEX = 16
    STREAMS_EPOCH = 17
    STREAMS_MEMBER = 19
    STREAMS_TARGET_EPOCH = 20
    STREAMS_TARGET = 21
    STREAMS_CURRENT = 22
    STREAMS_TOPOLOGY = 23

    @property
    def role(self) -> RecordRole:
        """The part of a group's state that a record of the type holds."""
        return _ROLES[self]


_ROLES: Final = {
    RecordType.CLASSIC_GROUP: RecordRole.GENERATION,
    RecordType.GROUP_EPOCH: RecordRole.GROUP_EPOCH,
    RecordType.PARTITION_COUNTS: RecordRole.TOPICS,
    RecordType.SUBSCRIPTION: RecordRole.MEMBER,
    RecordType.TARGET_EPOCH: RecordRole.TARGET_EPOCH,
    RecordType.TARGET: RecordRole.TARGET,
    RecordType.CURRENT: RecordRole.CURRENT,
    RecordType.SHARE_MEMBER: RecordRole.MEMBER,
    RecordType.SHARE_EPOCH: RecordRole.GROUP_EPOCH,
    RecordType.SHARE_TARGET_EPOCH: RecordRole.TARGET_EPOCH,
    RecordType.SHARE_TARGET: RecordRole.TARGET,
    RecordType.SHARE_CURRENT: RecordRole.CURRENT,
    RecordType.SHARE_STATE: RecordRole.TOPICS,
    RecordType.REGEX: RecordRole.REGEX,
    RecordType.STREAMS_EPOCH: RecordRole.GROUP_EPOCH,
    RecordType.STREAMS_MEMBER: RecordRole.MEMBER,
    RecordType.STREAMS_TARGET_EPOCH: RecordRole.TARGET_EPOCH,
    RecordType.STREAMS_TARGET: RecordRole.TARGET,
    RecordType.STREAMS_CURRENT: RecordRole.CURRENT,
    RecordType.STREAMS_TOPOLOGY: RecordRole.TOPOLOGY,
}


@dataclass(frozen=True)
class GenerationMember:
    """A member of a classic group as its generation was stored.

    `subscription` and `assignment` are None where the bytes are not a consumer's; `unread` says why.
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
    """The epoch of a group (`ConsumerGroupMetadataValue` and its share and Streams counterparts).

    `standbys` is the number of standby copies of a stateful task in a Streams group, None where the record
    does not say (before Kafka 4.2, and of other groups).
    """

    epoch: int
    standbys: int | None = None


@dataclass(frozen=True)
class NamedTopics:
    """Names and partition counts by topic id (`ConsumerGroupPartitionMetadataValue`, before Kafka 4.1)."""

    topics: Mapping[str, tuple[str, int]]


@dataclass(frozen=True)
class MemberSubscription:
    """A member's subscription (`ConsumerGroupMemberMetadataValue`, `ShareGroupMemberMetadataValue`).

    `assignor` is the server-side assignor that it requests, `classic` whether it still speaks the classic
    protocol. A member of a Streams group reads what its topology does (`StreamsGroupMemberMetadataValue`): it
    has the id of its process, and the epoch of the topology that it has.
    """

    topics: tuple[str, ...]
    regex: str | None
    client_id: str
    client_host: str
    instance_id: str | None
    rack: str | None
    assignor: str | None = None
    classic: bool = False
    process_id: str = ""
    topology_epoch: int = 0


@dataclass(frozen=True)
class TargetEpoch:
    """The epoch for which a target was computed (`ConsumerGroupTargetAssignmentMetadataValue`)."""

    epoch: int


@dataclass(frozen=True)
class TargetPartitions:
    """A member's target (`ConsumerGroupTargetAssignmentMemberValue` and the like).

    In a Streams group `partitions` are active tasks, and `standby` its target standby tasks.
    """

    partitions: tuple[TopicPartition, ...]
    standby: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True)
class CurrentPartitions:
    """A member's current partitions (`ConsumerGroupCurrentMemberAssignmentValue` and the like).

    `state` is 0 when stable, 1 while it has to give up `revoking`, 2 while it waits for others; one more in a
    Streams group. There `assigned` and `revoking` are active tasks, `standby` its standby tasks.
    """

    epoch: int
    previous_epoch: int
    state: int
    assigned: tuple[TopicPartition, ...]
    revoking: tuple[TopicPartition, ...]
    standby: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True)
class ResolvedRegex:
    """The topics that match a regular expression (`ConsumerGroupRegularExpressionValue`)."""

    topics: tuple[str, ...]


@dataclass(frozen=True)
class ShareableTopics:
    """The assignable topics of a share group (`ShareGroupStatePartitionMetadataValue`), and names by id."""

    names: Mapping[str, str]
    partitions: tuple[TopicPartition, ...]
    initializing: tuple[TopicPartition, ...] = ()


@dataclass(frozen=True)
class SourceTopics:
    """A subtopology: the topics that it reads, whether others by expressions too, whether it has state."""

    topics: tuple[str, ...]
    by_regex: bool
    stateful: bool


@dataclass(frozen=True)
class GroupTopology:
    """The subtopologies of a Streams group by id (`StreamsGroupTopologyValue`)."""

    epoch: int
    subtopologies: Mapping[str, SourceTopics]


GroupValue = (
    ClassicGeneration
    | GroupEpoch
    | NamedTopics
    | MemberSubscription
    | TargetEpoch
    | TargetPartitions
    | CurrentPartitions
    | ResolvedRegex
    | ShareableTopics
    | GroupTopology
)


@dataclass(frozen=True)
class GroupRecord:
    """A record about a group: its key, and its value, None for a tombstone.

    `part` identifies its part of the group: a member id, a regular expression, or nothing.
    """

    type: RecordType
    group: str
    part: str
    value: GroupValue | None
