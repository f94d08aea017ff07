"""The records of `__consumer_offsets` about groups, as values; a share group has those of KIP-848.

Partitions are by topic id. In a Streams group they are tasks: `topic` is a subtopology.

Source: Kafka `group-coordinator/src/main/resources/common/message`, 4.0 to 4.4.

*Consumer protocol*: the bytes of a classic member, its subscription and the assignment from its leader.
Both begin with an int16 version, and all integers are big-endian; a newer version is read as the newest known
one, since versions only add fields at the end.

    subscription   topics, user data; since 1 owned partitions, since 2 generation int32, since 3 rack
    assignment     topics with partitions, user data

An array has an int32 length, a text an int16 one, user data an int32 one; -1 is null.
Source: KIP-429, KIP-792, KIP-881; Kafka `ConsumerProtocolSubscription`, `ConsumerProtocolAssignment`, 0 to 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, IntEnum, auto
from struct import Struct
from typing import Final, TypeVar

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.groups.group import NO_GENERATION
from kassay.model.shape.codec import MOST

NEWEST: Final = 3
_INT16: Final = Struct(">h")
_INT32: Final = Struct(">i")
_WITH_OWNED, _WITH_GENERATION, _WITH_RACK = 1, 2, 3
_T = TypeVar("_T")


@dataclass(frozen=True)
class ConsumerSubscription:
    """A member's message to its leader; `owned` is empty before version 1, `generation` -1 before 2."""

    topics: tuple[str, ...]
    owned: tuple[TopicPartition, ...] = ()
    generation: int = NO_GENERATION
    rack: str | None = None
    user_data: bytes | None = None


@dataclass(frozen=True)
class ConsumerAssignment:
    """The leader's assignment for a member, in its order."""

    partitions: tuple[TopicPartition, ...] = ()
    user_data: bytes | None = None


class _Bytes:
    """A reader of consecutive fields; raises `InputError` for a missing one."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _take(self, size: int, what: str) -> bytes:
        left = len(self._data) - self._at
        if not 0 <= size <= left:
            raise InputError(
                f"byte {self._at}: {what}: found {size} bytes with {left} left, expected no more"
            )
        self._at += size
        return self._data[self._at - size : self._at]

    def _number(self, form: Struct, what: str) -> int:
        number: int = form.unpack(self._take(form.size, what))[0]
        return number

    def version(self) -> int:
        """The version; a newer one is read as the newest known one."""
        version = self._number(_INT16, "version")
        if version < 0:
            raise InputError(f"byte 0: version: found {version}, expected 0 or more")
        return min(version, NEWEST)

    def int32(self, what: str) -> int:
        """A 32-bit number."""
        return self._number(_INT32, what)

    def text(self, what: str) -> str | None:
        """A text, or null."""
        size = self._number(_INT16, what)
        if size == -1:
            return None
        try:
            return self._take(size, what).decode()
        except UnicodeDecodeError:
            raise InputError(f"byte {self._at - size}: {what}: not UTF-8") from None

    def name(self, what: str) -> str:
        """A text that is not null."""
        text = self.text(what)
        if text is None:
            raise InputError(f"byte {self._at}: {what}: found null, expected a name")
        return text

    def user_data(self) -> bytes | None:
        """Bytes, or null."""
        size = self.int32("user data")
        return None if size == -1 else self._take(size, "user data")

    def listed(self, read: Callable[[], _T], least: int, what: str) -> list[_T]:
        """As many values as the preceding length says, none of less than `least` bytes."""
        count = self.int32(what)
        left = len(self._data) - self._at
        if not 0 <= count * least <= left:
            raise InputError(f"byte {self._at}: {what}: found a length of {count} with {left} bytes left")
        return [read() for _ in range(count)]

    def partitions(self, what: str) -> tuple[TopicPartition, ...]:
        """Topics with their partitions."""

        def of_topic() -> list[TopicPartition]:
            topic = self.name(what)
            numbers = self.listed(lambda: self.int32(what), _INT32.size, what)
            if numbers and not 0 <= min(numbers) <= max(numbers) < MOST:
                raise InputError(
                    f"{what}: {topic!r}: expected numbers of partitions, from 0 and below {MOST}"
                )
            return [TopicPartition(topic, number) for number in numbers]

        by_topic = self.listed(of_topic, _INT16.size + _INT32.size, what)
        return tuple(tp for tps in by_topic for tp in tps)


def read_subscription(data: bytes) -> ConsumerSubscription:
    """The subscription in the bytes of a member; raises `InputError` with the byte where it ends."""
    fields = _Bytes(data)
    version = fields.version()
    topics = tuple(fields.listed(lambda: fields.name("topics"), _INT16.size, "topics"))
    user_data = fields.user_data()
    owned = fields.partitions("ownedPartitions") if version >= _WITH_OWNED else ()
    generation = fields.int32("generationId") if version >= _WITH_GENERATION else NO_GENERATION
    rack = fields.text("rackId") if version >= _WITH_RACK else None
    return ConsumerSubscription(topics, owned, generation, rack or None, user_data)


def read_assignment(data: bytes) -> ConsumerAssignment:
    """The assignment in the bytes for a member; no bytes are an empty assignment. Raises `InputError`."""
    if not data:
        return ConsumerAssignment()
    fields = _Bytes(data)
    fields.version()
    partitions = fields.partitions("assignedPartitions")
    return ConsumerAssignment(partitions, fields.user_data())


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
    `session_ms`, `rebalance_ms`: how long it may be silent, and how long a rebalance waits for it.
    """

    member_id: str
    client_id: str
    client_host: str
    instance_id: str | None = None
    subscription: ConsumerSubscription | None = None
    assignment: ConsumerAssignment | None = None
    unread: str | None = None
    session_ms: int | None = None
    rebalance_ms: int | None = None


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

    `metadata_hash` stands for the topics that the group reads, None before 4.1. `standbys` is the number of
    standby copies of a stateful task in a Streams group, `topology_epoch` that of the topology that the
    coordinator has checked; None where the record does not say (before Kafka 4.2, and of other groups).
    """

    epoch: int
    standbys: int | None = None
    metadata_hash: int | None = None
    topology_epoch: int | None = None


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

    `part` identifies its part of the group: a member id, a regular expression, or nothing. `fields` are those
    that the value has, with their paths.
    """

    type: RecordType
    group: str
    part: str
    value: GroupValue | None
    fields: frozenset[str] = field(default=frozenset(), compare=False)
