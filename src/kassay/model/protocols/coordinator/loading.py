"""What a log may still hold after its cleaner ran, and what a new coordinator makes of the records in it.

The cleaner processes a log from the beginning up to some append, the cut, and drops each record that has
a later one with its key before the cut. Tombstones go as well once they are old. A concurrent reader has
read the first part as it was, and reads the rest as cleaned. The last record of a key is always found,
unless it is a tombstone, and the order is preserved. `views` gives all that a reader may find.

`read` takes the records one after the other. A record that does not fit the previous ones ends the
loading: the group has no coordinator then, until the coordinator moves again. Source: `LogCleaner`,
`Cleaner`; KAFKA-19862. `GroupMetadataManager.replay`, `OffsetMetadataManager.replay`,
`ConsumerGroup.updateMember`; `CoordinatorRuntime` (a context that failed).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.consumer.group import find, replay, target_of
from kassay.model.protocols.coordinator.streams.group import NEW_GROUP, after_record, unfit
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import MEMBER_STABLE, ClassicGroup, ConsumerGroup, ConsumerMember
from kassay.model.protocols.values.records import Batch, CurrentValue, GroupValue, Key, LogHistory, LogRecord
from kassay.model.protocols.values.requests import LEAVE_EPOCH
from kassay.model.protocols.values.streams_groups import STREAMS_KINDS, StreamsTaskGroup

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

NO_TARGET: Final = -1
"""The target epoch once its record is deleted."""


class Unreadable(Exception):
    """A record does not fit the records before it."""


def read(log: Iterable[LogRecord], has: Callable[[str], bool]) -> Loaded:
    """The group in the records, given the active switches; raises `Unreadable`."""
    reader = _Reader(has)
    for record in log:
        reader.take(record)
    return reader.group


class _Reader:
    """Loads a group. `held` has the member epoch at which each partition was last assigned."""

    def __init__(self, has: Callable[[str], bool]) -> None:
        self.has = has
        self.group: Loaded = None
        self.held: dict[TopicPartition, int] = {}

    def take(self, record: LogRecord) -> None:
        """Replay one record."""
        kind = record.key[0]
        if kind == r.OFFSET:
            if record.value is not None and self.group is None:
                self.group = ClassicGroup()
        elif kind == r.GROUP:
            assert record.value is None or isinstance(record.value, GroupValue), "a group's record"
            self.group, self.held = record.value, {}
        elif kind in STREAMS_KINDS:
            self._streams(record)
        else:
            group = self._consumer_group(record)
            if group is not None:
                self.group = self._replayed(group, record)

    def _streams(self, record: LogRecord) -> None:
        """Apply a Streams group's record, creating the group if needed; ignores a tombstone without one."""
        group = self.group
        if group is None and record.value is None:
            return
        if group is None or (_is_simple(group) and not self.has("streams_simple_group_kept")):
            group = NEW_GROUP
        if not isinstance(group, StreamsTaskGroup):
            raise Unreadable(f"{_named(record)}: the group is not a Streams group")
        why = unfit(group, record)
        _demand(not why, record, why)
        self.group = after_record(group, record)

    def _consumer_group(self, record: LogRecord) -> ConsumerGroup | None:
        """The consumer group of a record, created if needed; None for a tombstone without a group."""
        group = self.group
        if isinstance(group, ConsumerGroup):
            return group
        if group is not None:
            if not _is_simple(group) or self.has("simple_group_kept"):
                raise Unreadable(f"{_named(record)}: the group is not a consumer group")
            return self._fresh()
        if record.value is None:
            self._absent(record, "the group does not exist")
            return None
        return self._fresh()

    def _fresh(self) -> ConsumerGroup:
        return ConsumerGroup(0, 0) if self.has("epochs_from_zero") else ConsumerGroup()

    def _absent(self, record: LogRecord, why: str) -> None:
        """A tombstone of something missing."""
        if self.has("tombstones_need_owners"):
            raise Unreadable(f"{_named(record)}: {why}")

    def _replayed(self, group: ConsumerGroup, record: LogRecord) -> ConsumerGroup | None:
        kind, name = record.key
        member = find(group, str(name))
        if kind == r.CURRENT:
            return self._current(group, member, record)
        if record.value is not None:
            if kind == r.MEMBER and member is not None:
                # Any change of a member frees its partitions and assigns them again.
                self._free(member, record)
                self._hold(member, record)
            return _known(replay(group, (record,)))
        if kind == r.MEMBER:
            if member is None:
                self._absent(record, "the member does not exist")
                return group
            _demand(member.epoch == LEAVE_EPOCH, record, "its assignment still exists")
            _demand(not target_of(group, member.member_id), record, "its target still exists")
            return group._replace(members=tuple(m for m in group.members if m is not member))
        if kind == r.TARGET_EPOCH:
            _demand(not group.target, record, "targets still exist")
            return group._replace(target_epoch=NO_TARGET)
        if kind == r.EPOCH:
            _demand(not group.members, record, "the group still has members")
            _demand(not group.target, record, "targets still exist")
            _demand(group.target_epoch == NO_TARGET, record, "its target epoch still exists")
            self.held = {}
            return None
        return _known(replay(group, (record,)))

    def _current(
        self, group: ConsumerGroup, member: ConsumerMember | None, record: LogRecord
    ) -> ConsumerGroup:
        """Apply a member's current assignment, or its tombstone."""
        name, value = str(record.key[1]), record.value
        if value is None and member is None:
            self._absent(record, "the member does not exist")
            return group
        if member is not None:
            self._free(member, record)
        if value is None:
            empty = CurrentValue(LEAVE_EPOCH, LEAVE_EPOCH, MEMBER_STABLE, (), ())
            return _known(replay(group, (LogRecord((r.CURRENT, name), empty),)))
        assert isinstance(value, CurrentValue), "an assignment's record"
        self._hold(value, record)
        return _known(replay(group, (record,)))

    def _hold(self, holder: ConsumerMember | CurrentValue, record: LogRecord) -> None:
        """Assign a member's partitions at its epoch, which must exceed that of the previous owner."""
        for tp in (*holder.assigned, *holder.pending):
            held = self.held.get(tp)
            if held is not None and held >= holder.epoch:
                raise Unreadable(f"{_named(record)}: {tp} is still held at epoch {held}")
            self.held[tp] = holder.epoch

    def _free(self, member: ConsumerMember, record: LogRecord) -> None:
        """Free a member's previous partitions, except those assigned to another member meanwhile."""
        for tp in (*member.assigned, *member.pending):
            if self.held.get(tp) == member.epoch:
                del self.held[tp]
            elif self.has("partition_epochs_expected"):
                held = self.held.get(tp, "none")
                raise Unreadable(f"{_named(record)}: {tp} is held at epoch {held}, not {member.epoch}")


def _is_simple(group: Loaded) -> bool:
    """Whether a group has only offsets, so that records of another kind replace it."""
    if isinstance(group, GroupValue):
        return not group.protocol_type and not group.members
    return isinstance(group, ClassicGroup)


def _known(group: object) -> ConsumerGroup:
    assert isinstance(group, ConsumerGroup), "a value makes a group"
    return group


def _demand(fits: bool, record: LogRecord, why: str) -> None:
    if not fits:
        raise Unreadable(f"{_named(record)}: {why}")


def _named(record: LogRecord) -> str:
    kind, name = record.key
    of = f" of {name}" if name else ""
    return f"{'tombstone' if record.value is None else 'record'} {kind}{of}"
