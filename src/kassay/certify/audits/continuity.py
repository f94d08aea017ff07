"""What is missing in a partition of `__consumer_offsets`: the log cleaner takes older records of a key away.

Below some offset c that nobody knows, the cleaner leaves the last record of each key; from c on all records
are there. So a key that stands twice, the second time at o, says that c is at most o: from o on nothing is
missing, and what is known of every key is its truth. As long as no offset is missing from 0 on, no record is.

Source: Kafka `LogCleaner` and `Cleaner`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.dump import LogRow

_TWICE: Final = 3
"""Keys that must stand twice: of the cleaner one says enough, of other tools that thin a log it does not."""


@dataclass
class LogContinuity:
    """How much of a partition's log is there, row by row.

    `unbroken_from` is the offset from which none is missing up to here. `is_whole` says that what is known of
    every key is its truth here, and that it stays so; `is_inferred` that only keys that stand twice say so,
    which `is_torn` would refute. `begins_late` says that the log was given from a later offset than its first
    on, `is_torn` that offsets are missing where the cleaner cannot have been.
    """

    unbroken_from: int | None = None
    is_whole: bool = False
    begins_late: bool = False
    is_torn: bool = False
    _next: int | None = None
    _keys: set[int] = field(default_factory=set)
    _twice: int = 0
    _cleaned_no_further: bool = False

    @property
    def is_inferred(self) -> bool:
        """Whether offsets are missing before here, though what is known is the truth."""
        return self.is_whole and self.unbroken_from != 0

    def start(self, offset: int) -> None:
        """A segment begins at the offset."""
        if self._next is None:
            self._begin(offset)

    def take(self, row: LogRow) -> None:
        """Another record; raises `InputError` where its offset is not behind those before."""
        if row.offset is None:
            return
        if self._next is None:
            self._begin(row.offset)
        if row.offset < (self._next or 0):
            raise InputError(
                f"{row.place}: offset: found {row.offset} after {(self._next or 0) - 1}, expected the "
                "segments of a partition in the order of their offsets, each once"
            )
        if row.offset > (self._next or 0):
            self._break(row.offset)
        self._next = row.offset + 1
        if not self._cleaned_no_further:
            if row.key not in self._keys:
                self._keys.add(row.key)
            elif self._twice < _TWICE - 1:
                self._twice += 1
            else:
                self._cleaned_no_further = True
                self.is_whole = not self.is_torn and (self.is_whole or not self.begins_late)
                self._keys.clear()

    def _begin(self, offset: int) -> None:
        self._next = self.unbroken_from = offset
        self.begins_late = offset > 0
        self.is_whole = offset == 0

    def _break(self, offset: int) -> None:
        """Offsets are missing before this one."""
        self.unbroken_from = offset
        if self._cleaned_no_further:
            self.is_torn = True
        self.is_whole = False
        # A key counts as twice there where nothing is missing between its two places.
        self._keys.clear()
        self._twice = 0
