"""What a log may still hold after its cleaner ran, and what a new coordinator makes of the records in it.

The cleaner processes a log from the beginning up to some append, the cut, and drops each record that has
a later one with its key before the cut. Tombstones go as well once they are old. A concurrent reader has
read the first part as it was, and reads the rest as cleaned. The last record of a key is always found,
unless it is a tombstone, and the order is preserved. `views` gives all that a reader may find.

`read` takes the records one after the other; `loader` says which of them fit. A record that does not fit the
previous ones ends the loading: the group has no coordinator then, until the coordinator moves again. Source:
`LogCleaner`, `Cleaner`; KAFKA-19862. `GroupMetadataManager.replay`, `OffsetMetadataManager.replay`,
`ConsumerGroup.updateMember`; `CoordinatorRuntime` (a context that failed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from kassay.model.protocols.coordinator.consumer.group import empty_group, find, replay
from kassay.model.protocols.coordinator.loader import (
    NO_TARGET,
    GroupType,
    LoadedEpoch,
    LoadedGeneration,
    LoadedMember,
    LoadedPart,
    LoadedRecord,
    LoadRules,
    LogLoader,
)
from kassay.model.protocols.coordinator.streams.group import NEW_GROUP, after_record
from kassay.model.protocols.coordinator.watched import left_behind
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import MEMBER_STABLE, ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.records import Batch, CurrentValue, GroupValue, Key, LogHistory, LogRecord
from kassay.model.protocols.values.requests import CONSUMER_TYPE, LEAVE_EPOCH, RawMetadata
from kassay.model.protocols.values.streams_groups import (
    STREAMS_CURRENT,
    STREAMS_EPOCH,
    STREAMS_KINDS,
    STREAMS_MEMBER,
    STREAMS_TARGET,
    STREAMS_TARGET_EPOCH,
    STREAMS_TOPOLOGY,
    StreamsCurrentValue,
    StreamsTaskGroup,
)

OLDER: Final = 2
"""The number of records kept per key in addition to the last one.

With two, a reader may find a member's older assignment but not the one in which it gave a partition up: then
two members seem to hold that partition.
"""


def appended(history: LogHistory, records: Batch) -> LogHistory:
    """The history after another append, without records that no longer matter."""
    seen: dict[Key, int] = {}
    kept: list[Batch] = []
    for batch in reversed((*history.batches, records)):
        left = []
        for record in reversed(batch):
            newer = seen[record.key] = seen.get(record.key, -1) + 1
            if newer <= OLDER:
                left.append(record)
        if left:
            kept.append(tuple(reversed(left)))
    return LogHistory(tuple(reversed(kept)))


class _Placed(NamedTuple):
    """A record, its batch, and the batch of the next record with its key (-1: none)."""

    record: LogRecord
    batch: int
    next: int


def views(history: LogHistory) -> Iterator[tuple[LogRecord, ...]]:
    """Every distinct log that a reader may find, the whole one first."""
    placed = _placed(history)
    cuts = sorted({entry.next + 1 for entry in placed if entry.next >= 0} | {len(history.batches)})
    raws = sorted({0} | {entry.batch + 1 for entry in placed if entry.next >= 0})
    yielded = {tuple(entry.record for entry in placed)}
    yield from yielded
    for cut in cuts:
        for raw in (number for number in raws if number <= cut):
            visible = [
                entry
                for entry in placed
                if entry.batch < raw or entry.batch >= cut or entry.next < 0 or entry.next >= cut
            ]
            # Tombstones are kept for longer than any read takes.
            for entries in (visible,) if raw else (visible, _without_old_tombstones(visible, cut)):
                log = tuple(entry.record for entry in entries)
                if log not in yielded:
                    yielded.add(log)
                    yield log


def _placed(history: LogHistory) -> list[_Placed]:
    following: dict[Key, int] = {}
    placed: list[_Placed] = []
    for number in range(len(history.batches) - 1, -1, -1):
        for record in reversed(history.batches[number]):
            placed.append(_Placed(record, number, following.get(record.key, -1)))
            following[record.key] = number
    return placed[::-1]


def _without_old_tombstones(entries: list[_Placed], cut: int) -> list[_Placed]:
    """The records without final tombstones of keys that have no other record left before the cut."""
    seen: set[Key] = set()
    left = []
    for entry in entries:
        old = entry.record.value is None and entry.next < 0 and entry.batch < cut
        if not (old and entry.record.key not in seen):
            left.append(entry)
        seen.add(entry.record.key)
    return left


Loaded: TypeAlias = GroupValue | ClassicGroup | ConsumerGroup | StreamsTaskGroup | None
"""The group: a classic one as recorded, one with offsets only, one of the other kinds, or none."""


class Unreadable(Exception):
    """A record does not fit the records before it."""


def read(log: Iterable[LogRecord], has: Callable[[str], bool]) -> Loaded:
    """The group in the records, given the active switches; raises `Unreadable`."""
    reader = _Reader(has)
    for record in log:
        reader.take(record)
    return reader.group


def read_watched(log: Iterable[LogRecord], has: Callable[[str], bool]) -> tuple[Loaded, tuple[str, ...]]:
    """The same, and the names of topics that former groups have left (`watched`)."""
    reader = _Reader(has)
    left: tuple[str, ...] = ()
    for record in log:
        before = reader.group
        reader.take(record)
        left = left_behind(has, left, before, reader.group)
    return reader.group, left


class _Reader:
    """Loads a group: a loader says what fits, and the values become the group."""

    def __init__(self, has: Callable[[str], bool]) -> None:
        self.has = has
        self.group: Loaded = None
        self.loader = LogLoader(
            LoadRules(
                tombstones_need_owners=has("tombstones_need_owners"),
                epochs_expected=has("partition_epochs_expected"),
                simple_kept=has("simple_group_kept"),
                streams_simple_kept=has("streams_simple_group_kept"),
            )
        )

    def take(self, record: LogRecord) -> None:
        """Replay one record."""
        why = self.loader.take(_loaded(record))
        if why is not None:
            raise Unreadable(f"{_named(record)}: {why}")
        kind = record.key[0]
        if kind == r.OFFSET:
            if record.value is not None and self.group is None:
                self.group = ClassicGroup()
        elif kind == r.GROUP:
            assert record.value is None or isinstance(record.value, GroupValue), "a group's record"
            if record.value and self.has("unparsed_is_server_error") and _has_unparsed(record.value):
                raise Unreadable(f"{_named(record)}: a subscription that cannot be read")
            self.group = record.value
        elif kind in STREAMS_KINDS:
            self._streams(record)
        elif self.group is not None or record.value is not None:
            self.group = self._replayed(self._consumer_group(), record)

    def _streams(self, record: LogRecord) -> None:
        """Apply a Streams group's record, creating the group if needed; ignores a tombstone without one."""
        if self.group is None and record.value is None:
            return
        group = self.group if isinstance(self.group, StreamsTaskGroup) else NEW_GROUP
        self.group = after_record(group, record)

    def _consumer_group(self) -> ConsumerGroup:
        """The consumer group, created if there is none or one with offsets only."""
        if isinstance(self.group, ConsumerGroup):
            return self.group
        return empty_group(self.has)

    def _replayed(self, group: ConsumerGroup, record: LogRecord) -> ConsumerGroup | None:
        kind, name = record.key
        member = find(group, str(name))
        if record.value is not None:
            return _known(replay(group, (record,)))
        if kind in (r.CURRENT, r.MEMBER) and member is None:
            return group
        if kind == r.CURRENT:
            empty = CurrentValue(LEAVE_EPOCH, LEAVE_EPOCH, MEMBER_STABLE, (), ())
            return _known(replay(group, (LogRecord((r.CURRENT, name), empty),)))
        if kind == r.MEMBER:
            return _known(replay(group, (LogRecord((r.MEMBER, name), None),)))
        if kind == r.TARGET_EPOCH:
            return group._replace(target_epoch=NO_TARGET)
        return None if kind == r.EPOCH else _known(replay(group, (record,)))


_PARTS: Final = {
    r.GROUP: (GroupType.CLASSIC, LoadedPart.GROUP),
    r.OFFSET: (GroupType.CLASSIC, LoadedPart.OFFSET),
    r.EPOCH: (GroupType.CONSUMER, LoadedPart.GROUP),
    r.MEMBER: (GroupType.CONSUMER, LoadedPart.MEMBER),
    r.TARGET_EPOCH: (GroupType.CONSUMER, LoadedPart.TARGET_EPOCH),
    r.TARGET: (GroupType.CONSUMER, LoadedPart.TARGET),
    r.CURRENT: (GroupType.CONSUMER, LoadedPart.CURRENT),
    STREAMS_EPOCH: (GroupType.STREAMS, LoadedPart.GROUP),
    STREAMS_MEMBER: (GroupType.STREAMS, LoadedPart.MEMBER),
    STREAMS_TARGET_EPOCH: (GroupType.STREAMS, LoadedPart.TARGET_EPOCH),
    STREAMS_TARGET: (GroupType.STREAMS, LoadedPart.TARGET),
    STREAMS_CURRENT: (GroupType.STREAMS, LoadedPart.CURRENT),
    STREAMS_TOPOLOGY: (GroupType.STREAMS, LoadedPart.OTHER),
}


def _loaded(record: LogRecord) -> LoadedRecord:
    """The record as the loader takes it, of the one group of the model."""
    kind, name = record.key
    type_, part = _PARTS.get(kind, (GroupType.CONSUMER, LoadedPart.OTHER))
    value = record.value
    # Of any other value the loader reads at most an epoch; what it is does not matter.
    taken: LoadedGeneration | LoadedEpoch | LoadedMember | None = None if value is None else LoadedEpoch(0)
    if isinstance(value, GroupValue):
        taken = LoadedGeneration(value.protocol_type, (None,) * len(value.members))
    elif isinstance(value, CurrentValue):
        taken = LoadedMember(value.epoch, value.assigned, value.pending)
    elif isinstance(value, StreamsCurrentValue):
        taken = LoadedMember(value.epoch)
    return LoadedRecord(type_, part, "", str(name), taken)


def _has_unparsed(value: GroupValue) -> bool:
    """Whether a group of consumers has a member whose metadata is no subscription."""
    of_consumers = value.protocol_type == CONSUMER_TYPE
    return of_consumers and any(isinstance(member.metadata, RawMetadata) for member in value.members)


def _known(group: object) -> ConsumerGroup:
    assert isinstance(group, ConsumerGroup), "a value makes a group"
    return group


def _named(record: LogRecord) -> str:
    kind, name = record.key
    of = f" of {name}" if name else ""
    return f"{'tombstone' if record.value is None else 'record'} {kind}{of}"
