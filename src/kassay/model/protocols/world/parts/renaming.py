"""Renumbering of values: the generations and ids in a value, and their new numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

from kassay.model.explore.interned import Interned
from kassay.model.protocols.values.marks import Mark, marked

_ID: Final = re.compile(r"^[A-Za-z]\w*-[1-9]$")


class Facts(NamedTuple):
    """A value's lowest and highest generation (from 1); its member ids, and whether any is not numbered 1."""

    low: int
    names: frozenset[str]
    renumber: bool
    high: int = 0
    generations: frozenset[int] = frozenset()


NOTHING: Final = Facts(1 << 30, frozenset(), False)


@dataclass(frozen=True)
class Count:
    """A renumbering of generations: counted from `shift + 1`, and reduced by `less` from each `start` on."""

    shift: int = 0
    gaps: tuple[tuple[int, int], ...] = ()

    def __call__(self, number: int) -> int:
        """The generation's new number; 0 up to the shift, and unchanged below 1."""
        if number <= self.shift:
            return 0 if number >= 1 else number
        return number - self.shift - sum(less for start, less in self.gaps if number >= start)


SAME: Final = Count()


def facts_of_cell(cell: Interned) -> Facts:
    """The facts for renaming about an interned value, cached in its note."""
    facts: Facts | None = cell.note
    if facts is None:
        facts = cell.note = facts_of(cell.value)
    return facts


def facts_of(value: Any) -> Facts:
    """The facts for renaming about a value."""
    parts = marked(value)
    numbers, names = parts[Mark.GENERATION], parts[Mark.MEMBER_ID]
    for cell in parts[Mark.CELL]:
        inner = facts_of_cell(cell)
        numbers |= inner.generations
        names |= inner.names
    generations = frozenset([number for number in numbers if number >= 1])
    ids = frozenset([name for name in names if _is_numbered(name)])
    if not generations and not ids:
        return NOTHING
    renumber = any(not name.endswith("-1") for name in ids)
    low, high = min(generations, default=NOTHING.low), max(generations, default=0)
    return Facts(low, ids, renumber, high, generations)


@cache
def _is_numbered(name: str) -> bool:
    return _ID.match(name) is not None
