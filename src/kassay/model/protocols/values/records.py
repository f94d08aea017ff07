"""The records that a coordinator writes and a failover restores, and what runs in the background.

A record is a key with a value, or a tombstone. The last record of a key wins, so a log is kept compacted
and a model's state stays finite. Background tasks of a coordinator: it resolves regular expressions, and
may compute targets. Source: `GroupCoordinatorRecordHelpers`, and the `replay` methods of
`GroupMetadataManager`. `ResolvedRegularExpression`, `TopicRegexResolver`, `CoordinatorExecutor`;
KIP-848, KIP-1263.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.marks import ClientId, Generation, MemberId, Order, Ordered
from kassay.model.protocols.values.requests import Image, Metadata, Partitions, Protocols
from kassay.model.protocols.values.streams import StreamsTopology, TaskRoles
from kassay.model.protocols.values.streams_groups import (
    StreamsCurrentValue,
    StreamsEpochValue,
    StreamsMemberValue,
    StreamsTargetEpochValue,
)


class Regex(NamedTuple):
    """An expression, where names of other kinds are possible too."""

    regex: str

    def __str__(self) -> str:
        return self.regex


class RegexMatches(NamedTuple):
    """The names of the topics that an expression matched, the time of its task in ms, and its image."""

    topics: tuple[str, ...] = ()
    time: int = 0
    image: int = 0


Resolved: TypeAlias = tuple[tuple[str, RegexMatches], ...]
"""The results of expressions, by expression."""


class Resolution(NamedTuple):
    """A task in progress: the expressions, and after it ran their results, in a tuple of one."""

    regexes: tuple[str, ...]
    result: tuple[Resolved, ...] = ()


class Offloaded(NamedTuple):
    """A background computation of a target for an epoch: the members, their instance ids, and the target.

    No release does this; KIP-1263 describes it.
    """

    epoch: Generation
    target: Ordered[tuple[MemberId, str, Partitions]]


class Background(NamedTuple):
    """What a coordinator does and knows in addition to its group: images, by number, and current tasks.

    `image` is the current one, `created` the last one with new topics, or the one at the time the group was
    loaded. Without subscriptions by expression, images are not numbered and count as 0. `tasks` and `targets`
    are () or hold one. `delaying`: an initial rebalance delay runs, maybe one that a refused Streams thread
    has left; set where the configuration can change meanwhile.
    """

    image: int = 0
    created: int = 0
    tasks: tuple[Resolution, ...] = ()
    targets: tuple[Offloaded, ...] = ()
    delaying: bool = False


NOTHING_BEGUN: Final = Background()


class ResolutionRun(NamedTuple):
    """The current task runs: it reads the current image."""


class ResolutionApplied(NamedTuple):
    """The result of the current task is written; the task runs now if it has not yet."""


class TargetApplied(NamedTuple):
    """The target computed in the background is written."""


GROUP: Final = "group"
EPOCH: Final = "epoch"
TOPICS: Final = "topics"
MEMBER: Final = "member"
TARGET_EPOCH: Final = "target_epoch"
TARGET: Final = "target"
CURRENT: Final = "current"
OFFSET: Final = "offset"
REGEX: Final = "regex"

UNKNOWN_TIME: Final = -1


class StoredMember(NamedTuple):
    """A member inside the record of a classic group: only the selected protocol's metadata survives."""

    member_id: MemberId
    group_instance_id: str
    client_id: ClientId
    session_timeout: int
    rebalance_timeout: int
    metadata: Metadata
    assignment: Partitions


class GroupValue(NamedTuple):
    """A whole classic group."""

    generation: Generation
    protocol_type: str
    protocol: str
    leader: MemberId
    members: Ordered[StoredMember] = ()


class ClassicMetadata(NamedTuple):
    """The data in a consumer group of a member that uses the classic protocol."""

    session_timeout: int
    protocols: Protocols


class MemberValue(NamedTuple):
    """The subscription of a consumer group's member; `classic` is () or holds one value."""

    group_instance_id: str
    client_id: ClientId
    subscribed: tuple[str, ...]
    assignor: str
    rebalance_timeout: int
    classic: tuple[ClassicMetadata, ...] = ()
    regex: str = ""


class CurrentValue(NamedTuple):
    """The current assignment of a consumer group's member."""

    epoch: Generation
    prev_epoch: Generation
    state: str
    assigned: Partitions
    pending: Partitions
    assigned_epochs: tuple[Generation, ...] = ()
    pending_epochs: tuple[Generation, ...] = ()


class EpochValue(NamedTuple):
    """A consumer group's epoch and its existing subscribed `topics`, for which Kafka writes a hash."""

    epoch: Generation
    topics: Image


class TargetEpochValue(NamedTuple):
    """The epoch of a consumer group's target, and the time in ms at which it was computed."""

    epoch: Generation
    time: int


class OffsetValue(NamedTuple):
    """A committed offset."""

    offset: int


Value: TypeAlias = (
    GroupValue
    | MemberValue
    | CurrentValue
    | OffsetValue
    | EpochValue
    | TargetEpochValue
    | RegexMatches
    | Image
    | Partitions
    | Generation
    | StreamsEpochValue
    | StreamsMemberValue
    | StreamsTargetEpochValue
    | TaskRoles
    | StreamsCurrentValue
    | StreamsTopology
)
Key: TypeAlias = tuple[str, MemberId | TopicPartition | Regex]


class LogRecord(NamedTuple):
    """One record; `value` None is a tombstone. `key` is the kind and the identity within it."""

    key: Key
    value: Value | None


def _order(record: LogRecord) -> tuple[str, str]:
    kind, name = record.key
    return kind, str(name)


Log: TypeAlias = Annotated[tuple[LogRecord, ...], Order(_order)]
"""Acknowledged records, compacted: the last of each key, tombstones dropped, in the order of the keys."""


def _run(record: LogRecord) -> object:
    return TARGET if record.key[0] == TARGET else record.key


Batch: TypeAlias = Annotated[tuple[LogRecord, ...], Order(_order, _run)]
"""The records of one operation, appended together: no cut lies between them.

The targets of several members are written in the order of their ids.
"""


class LogHistory(NamedTuple):
    """The possible contents of a log, in the order of appending."""

    batches: tuple[Batch, ...] = ()


def compact(log: Log, more: Iterable[LogRecord]) -> Log:
    """The log with `more` appended.

    A classic group replaces a consumer group of which some records may not be deleted: an empty one is
    dropped without tombstones when a JoinGroup names an unknown member.
    """
    latest = {record.key: record for record in log}
    for record in more:
        if record.value is None:
            latest.pop(record.key, None)
            continue
        if record.key[0] == GROUP:
            latest = {key: kept for key, kept in latest.items() if key[0] == OFFSET}
        latest[record.key] = record
    return tuple(sorted(latest.values(), key=_order))


def offset_records(offsets: Iterable[tuple[TopicPartition, int]]) -> tuple[LogRecord, ...]:
    """The records of an accepted OffsetCommit."""
    return tuple(LogRecord((OFFSET, tp), OffsetValue(offset)) for tp, offset in offsets)
