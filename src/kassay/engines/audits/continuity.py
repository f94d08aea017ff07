"""Missing records in a partition of `__consumer_offsets`: the log cleaner removes older records of a key.

Below some unknown offset c, the cleaner keeps the last record of each key; from c on, all records exist. So a
key that occurs twice, the second time at offset o, proves that c is at most o: from o on nothing is missing,
and the known value of every key is correct. As long as no offset from 0 on is missing, no record is.

That holds for the cleaner alone, whose gaps are many: it removes every older record of each key. A single run
of missing offsets in the middle looks like lost records, which may have been the last ones of their keys, so
nothing is inferred behind it.

Source: Kafka `LogCleaner` and `Cleaner`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.sources import LogRow

_TWICE: Final = 3
"""Keys that must occur twice. One would prove it for the cleaner, but not for other tools that thin a log."""


@dataclass
class LogContinuity:
    """Completeness of a partition's log, row by row.

    `unbroken_from`: the offset from which no offset is missing up to here. `is_whole`: the known value of
    every key is correct here and stays so; `is_inferred`: only keys that occur twice show this, and `is_torn`
    would refute it. `begins_late`: the log was given from a later offset than its first; `is_torn`: offsets
    are missing where the cleaner cannot have removed them. `is_unique`: no key occurs twice, as where all of
    the log was cleaned. `gaps` is the number of runs of missing offsets, and
    `first_gap` the first and the last offset of the first one.
    """

    unbroken_from: int | None = None
    is_whole: bool = False
    begins_late: bool = False
    is_torn: bool = False
    is_unique: bool = True
    gaps: int = 0
    first_gap: tuple[int, int] | None = None
    _next: int | None = None
    _keys: set[int] = field(default_factory=set)
    _once: set[int] = field(default_factory=set)
    _twice: int = 0
    _cleaned_no_further: bool = False

    @property
    def is_inferred(self) -> bool:
        """Whether offsets before here are missing although the known values are correct."""
        return self.is_whole and self.unbroken_from != 0

    @property
    def is_all_there(self) -> bool:
        """Whether nothing is missing but what the cleaner removed, as far as offsets tell."""
        known = self.unbroken_from is not None
        return known and not (self.begins_late or self.is_torn or self.has_single_gap)

    @property
    def has_single_gap(self) -> bool:
        """Whether one run of offsets in the middle is missing, as where records are lost."""
        return self.gaps == 1 and self.first_gap is not None and self.first_gap[0] > 0

    def start(self, offset: int) -> None:
        """A segment begins at the offset."""
        if self._next is None:
            self._begin(offset)

    def take(self, row: LogRow) -> None:
        """Add a record; raises `InputError` if its offset is not higher than those before."""
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
        if self.is_unique and row.key in self._once:
            self.is_unique = False
            self._once.clear()
        elif self.is_unique:
            self._once.add(row.key)
        if not self._cleaned_no_further:
            if row.key not in self._keys:
                self._keys.add(row.key)
            elif self._twice < _TWICE - 1:
                self._twice += 1
            else:
                self._cleaned_no_further = True
                cleaned = not (self.begins_late or self.is_torn or self.has_single_gap)
                self.is_whole = self.is_whole or cleaned
                self._keys.clear()

    def _begin(self, offset: int) -> None:
        self._next = self.unbroken_from = offset
        self.begins_late = offset > 0
        self.is_whole = offset == 0

    def _break(self, offset: int) -> None:
        """Record that offsets before this one are missing."""
        self.gaps += 1
        if self.first_gap is None and self._next is not None:
            self.first_gap = self._next, offset - 1
        self.unbroken_from = offset
        if self._cleaned_no_further:
            self.is_torn = True
        self.is_whole = False
        # A key counts as occurring twice only if nothing is missing between its two records.
        self._keys.clear()
        self._twice = 0
