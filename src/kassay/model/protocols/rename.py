"""Two states that differ only in names: generations counted from another start, ids numbered otherwise.

Generations and epochs matter only by order and equality, member ids only by order among those of one
client. Both can be rewritten in any value built of tuples; which fields hold generations is said here once.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final, NamedTuple

from kassay.model.explore import Cell
from kassay.model.protocols.records import EPOCH, TARGET_EPOCH, Record
from kassay.model.protocols.values import SetTimer

GENERATIONS: Final = frozenset(
    {"generation", "adopted_in", "epoch", "prev_epoch", "group_epoch", "target_epoch", "label"}
)
EPOCHS: Final = frozenset({EPOCH, TARGET_EPOCH})
_ID: Final = re.compile(r"^[A-Za-z]\w*-[1-9]$")
_MEMORY: Final = re.compile(r"^(-?\d+)/(.*)$")


class Facts(NamedTuple):
    """The lowest generation from 1 on in a value, its member ids, and whether one is not numbered 1."""

    low: int
    names: frozenset[str]
    renumber: bool


def facts_of(value: Any) -> Facts:
    """What renaming needs to know of a value."""
    low = [1 << 30]
    names: set[str] = set()
    _collect(value, low, names)
    return Facts(low[0], frozenset(names), any(not name.endswith("-1") for name in names))


def _collect(value: Any, low: list[int], names: set[str]) -> None:
    if isinstance(value, str):
        if _ID.match(value):
            names.add(value)
    elif isinstance(value, tuple):
        fields = getattr(value, "_fields", None)
        if fields is None:
            for item in value:
                _collect(item, low, names)
            return
        if isinstance(value, Record) and value.key[0] in EPOCHS:
            if isinstance(value.value, int) and 1 <= value.value < low[0]:
                low[0] = value.value
            return
        for field, item in zip(fields, value):
            if field in GENERATIONS:
                if 1 <= item < low[0]:
                    low[0] = item
            elif field == "user_data" and item and (match := _MEMORY.match(item)):
                low[0] = min(low[0], max(1, int(match.group(1))))
            elif field == "payload" and isinstance(value, SetTimer):
                if value.timer.kind in (
                    "sync",
                    "revocation",
                    "classic_join_of_member",
                    "classic_sync_of_member",
                ):
                    low[0] = min([low[0], *(number for number in item[:1] if number >= 1)])
            else:
                _collect(item, low, names)
    elif isinstance(value, Cell):
        _collect(value.value, low, names)


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
            generational = value.timer.kind in (
                "sync",
                "revocation",
                "classic_join_of_member",
                "classic_sync_of_member",
            )
            items.append((*(_lower(n, shift) for n in item[:1]), *item[1:]) if generational else item)
        else:
            items.append(_rename(item, shift, names))
    return type(value)(*items)


@cache
def _lower(number: int, shift: int) -> int:
    return number - shift if number > shift else (0 if number >= 1 else number)
