"""Two states that differ only in names: generations counted from another start, ids numbered otherwise.

Generations and epochs matter only by order and equality, member ids only by order among those of one
client. Both can be rewritten in any value built of tuples; which fields hold generations is said here once.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

from kassay.model.explore import Cell
from kassay.model.protocols.records import EPOCH, TARGET_EPOCH, Record
from kassay.model.protocols.values import SetTimer

GENERATIONS: Final = frozenset(
    {"generation", "adopted_in", "epoch", "prev_epoch", "group_epoch", "target_epoch", "label"}
)
EPOCHS: Final = frozenset({EPOCH, TARGET_EPOCH})
GENERATIONAL: Final = frozenset({"sync", "revocation", "classic_join_of_member", "classic_sync_of_member"})
_ID: Final = re.compile(r"^[A-Za-z]\w*-[1-9]$")
_MEMORY: Final = re.compile(r"^(-?\d+)/(.*)$")


class Facts(NamedTuple):
    """The lowest generation from 1 on in a value, its member ids, and whether one is not numbered 1."""

    low: int
    names: frozenset[str]
    renumber: bool


NOTHING: Final = Facts(1 << 30, frozenset(), False)


def facts_of_cell(cell: Cell) -> Facts:
    """What renaming needs to know of a cell's value, noted on the cell."""
    facts: Facts | None = cell.note
    if facts is None:
        facts = cell.note = facts_of(cell.value)
    return facts


def facts_of(value: Any) -> Facts:
    """What renaming needs to know of a value: its parts are looked through once, wherever they recur."""
    low, names, renumber = 1 << 30, NOTHING.names, False
    for facts in _parts(value):
        if facts is not NOTHING:
            low = min(low, facts.low)
            names |= facts.names
            renumber = renumber or facts.renumber
    return Facts(low, names, renumber) if names or low < 1 << 30 else NOTHING


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
    if isinstance(value, Record) and value.key[0] in EPOCHS:
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
    if kind is Cell:
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
    return Facts(number, NOTHING.names, False) if number >= 1 else NOTHING


def renamed(value: Any, shift: int, mapping: tuple[tuple[str, str], ...]) -> Any:
    """The value with generations lowered by `shift` and ids replaced."""
    return _rename(value, shift, dict(mapping))


def _rename(value: Any, shift: int, names: dict[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value) if type(value) is str else value
    if not isinstance(value, tuple):
        return value
    fields = getattr(value, "_fields", None)
    if fields is None:
        return tuple([_rename(item, shift, names) for item in value])
    if isinstance(value, Record) and value.key[0] in EPOCHS:
        return value._replace(value=_lower(value.value, shift))
    items: list[Any] = []
    for field, item in zip(fields, value):
        if field in GENERATIONS:
            items.append(_lower(item, shift))
        elif field == "user_data" and item and (match := _MEMORY.match(item)):
            items.append(f"{_lower(int(match.group(1)), shift)}/{match.group(2)}")
        elif field == "payload" and isinstance(value, SetTimer):
            generational = value.timer.kind in GENERATIONAL
            items.append((*(_lower(n, shift) for n in item[:1]), *item[1:]) if generational else item)
        else:
            items.append(_rename(item, shift, names))
    return type(value)(*items)


@cache
def _lower(number: int, shift: int) -> int:
    return number - shift if number > shift else (0 if number >= 1 else number)
