"""A log as its cleaner may leave it: the records of each key, and all results of reading it.

The cleaner processes a log from the beginning up to some append, the cut, and drops each record that has a
later one with its key before the cut. Old tombstones are dropped as well. A concurrent reader has read the
first part as it was, and reads the rest as cleaned. The last record of a key is always found, unless it is a
tombstone, and the order is preserved. Source: `LogCleaner`, `Cleaner`; KAFKA-19862.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.protocols.values.records import Batch, Key, LogHistory, LogRecord

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
