"""A log as its cleaner may leave it: what of each key can still be there, and all that a reader may find.

The cleaner goes over a log from the beginning up to some append, the cut, and drops each record of whose key
a later one lies before the cut. Tombstones go as well once they are old. A reader that is under way meanwhile
has read what comes first as it was, and reads the rest as it is left. The last record of a key is always
found, unless it is a tombstone, and the order stays.
Source: `LogCleaner`, `Cleaner`; KAFKA-19862.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from kassay.model.protocols.values.records import Batch, Key, LogHistory, LogRecord

OLDER: Final = 2
"""How many records of a key are told beside the last.

With two a reader may find a member's older assignment, and not the one in which it gave a partition up: then
two members seem to hold that partition.
"""


def appended(history: LogHistory, records: Batch) -> LogHistory:
    """The history with one more append, without what need not be told any more."""
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
    """A record, the batch it is in, and that of the next record of its key (-1: there is none)."""

    record: LogRecord
    batch: int
    next: int


def views(history: LogHistory) -> Iterator[tuple[LogRecord, ...]]:
    """Every log that a reader may find, each once: the whole one first."""
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
            # Tombstones are kept for longer than any reading takes.
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
    """The records without the last tombstones of keys of which nothing else is left before the cut."""
    seen: set[Key] = set()
    left = []
    for entry in entries:
        old = entry.record.value is None and entry.next < 0 and entry.batch < cut
        if not (old and entry.record.key not in seen):
            left.append(entry)
        seen.add(entry.record.key)
    return left
