"""Two states that differ only in names: generations counted from another start, ids numbered otherwise.

Generations and epochs matter only by order and equality, member ids only by order among those of one
client. Both can be rewritten in any value built of tuples; which fields hold generations is said here once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from kassay.model.explore import Interned
from kassay.model.protocols.values.records import EPOCH, TARGET_EPOCH, LogRecord
from kassay.model.protocols.values.requests import SetTimer

GENERATIONS: Final = frozenset(
    {"generation", "generation_id", "member_epoch", "adopted_in", "epoch", "prev_epoch", "target_epoch"}
)
EPOCHS: Final = frozenset({EPOCH, TARGET_EPOCH})
GENERATIONAL: Final = frozenset({"sync", "revocation", "classic_join_of_member", "classic_sync_of_member"})
_ID: Final = re.compile(r"^[A-Za-z]\w*-[1-9]$")
_MEMORY: Final = re.compile(r"^(-?\d+)/(.*)$")


class Facts(NamedTuple):
    """Lowest and highest generation from 1 on in a value, its member ids, and if any is not numbered 1."""

    low: int
    names: frozenset[str]
    renumber: bool
    high: int = 0


NOTHING: Final = Facts(1 << 30, frozenset(), False)


@dataclass(frozen=True)
class Count:
    """How generations are counted anew: from `shift + 1`, and from each `start` on by `less` fewer."""

    shift: int = 0
    gaps: tuple[tuple[int, int], ...] = ()

    def __call__(self, number: int) -> int:
        """The generation's new number; what is not above the shift becomes 0, what is below 1 stays."""
        if number <= self.shift:
            return 0 if number >= 1 else number
        return number - self.shift - sum(less for start, less in self.gaps if number >= start)


SAME: Final = Count()


def facts_of_cell(cell: Interned) -> Facts:
    """What renaming needs to know of a cell's value, noted on the cell."""
    facts: Facts | None = cell.note
    if facts is None:
        facts = cell.note = facts_of(cell.value)
    return facts


def facts_of(value: Any) -> Facts:
    """What renaming needs to know of a value: its parts are looked through once, wherever they recur."""
    low, names, renumber, high = 1 << 30, NOTHING.names, False, 0
    for facts in _parts(value):
        if facts is not NOTHING:
            low = min(low, facts.low)
            high = max(high, facts.high)
            names |= facts.names
            renumber = renumber or facts.renumber
    return Facts(low, names, renumber, high) if names or high else NOTHING


def _parts(value: Any) -> Iterator[Facts]:
    """The facts of each part of a tuple, or of a string alone."""
    kind = type(value)
    if kind is str:
        yield _of_string(value)
        return
    if not isinstance(value, tuple):
        return
    fields = getattr(kind, "_fields", None)
    if fields is None:
        for item in value:
            yield _of_part(item)
        return
    if isinstance(value, LogRecord) and value.key[0] in EPOCHS:
        yield _of_number(value.value)
        return
    for field, item in zip(fields, value):
        if field in GENERATIONS:
            yield _of_number(item)
        elif field == "user_data" and item and (match := _MEMORY.match(item)):
            yield _of_number(max(1, int(match.group(1))))
        elif field == "payload" and isinstance(value, SetTimer):
            if value.timer.kind in GENERATIONAL:
                for number in item[:1]:
                    yield _of_number(number)
        else:
            yield _of_part(item)


def _of_part(item: Any) -> Facts:
    kind: Any = type(item)
    if kind is str:
        return _of_string(item)
    if kind is Interned:
        return facts_of_cell(item)
    if not item or not isinstance(item, tuple):
        return NOTHING
    return _of_tuple(kind, item)


@lru_cache(maxsize=1 << 16)
def _of_tuple(kind: Hashable, value: Any) -> Facts:  # noqa: ARG001 - tuples of two kinds can be equal
    return facts_of(value)


@cache
def _of_string(text: str) -> Facts:
    return Facts(1 << 30, frozenset({text}), not text.endswith("-1")) if _ID.match(text) else NOTHING


@cache
def _of_number(number: int) -> Facts:
    return Facts(number, NOTHING.names, False, number) if number >= 1 else NOTHING


def renamed(value: Any, count: Count, mapping: tuple[tuple[str, str], ...]) -> Any:
    """The value with generations counted anew and ids replaced."""
    return _rename(value, count, dict(mapping))


def generations_of(value: Any) -> frozenset[int]:
    """The generations from 1 on in a value; cells in it are not looked into."""
    found: set[int] = set()

    def noted(number: int) -> int:
        found.add(number)
        return number

    _rename(value, noted, {})
    return frozenset(number for number in found if number >= 1)


def _rename(value: Any, count: Callable[[int], int], names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value) if type(value) is str else value
    if not isinstance(value, tuple):
        return value
    fields = getattr(value, "_fields", None)
    if fields is None:
        return tuple([_rename(item, count, names) for item in value])
    if isinstance(value, LogRecord) and value.key[0] in EPOCHS:
        assert isinstance(value.value, int), "an epoch's record holds a number"
        return value._replace(value=count(value.value))
    items: list[Any] = []
    for field, item in zip(fields, value):
        if field in GENERATIONS:
            items.append(count(item))
        elif field == "user_data" and item and (match := _MEMORY.match(item)):
            items.append(f"{count(int(match.group(1)))}/{match.group(2)}")
        elif field == "payload" and isinstance(value, SetTimer):
            generational = value.timer.kind in GENERATIONAL
            items.append((*(count(n) for n in item[:1]), *item[1:]) if generational else item)
        else:
            items.append(_rename(item, count, names))
    return type(value)(*items)
