"""Interned components, hashed and compared by identity however deep they are; and memos of answers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar
from weakref import ref

K = TypeVar("K")
V = TypeVar("V")


class Interned:
    """A component of a state that stands for its value: equal exactly when it is the same object.

    Made by `Interner.cell`, or by `constant`, alone. Hash and comparison are those of identity, in C and in
    constant time, however deep the value is. `number` tells in which order an interner made them, -1 for a
    constant; `note` is room for what a model finds out about the value once.
    """

    __slots__ = ("note", "number", "value")

    def __init__(self, value: Any, number: int = -1) -> None:
        self.value = value
        self.number = number
        self.note: Any = None

    def __repr__(self) -> str:
        return repr(self.value)


_CONSTANTS: Final[dict[Hashable, Interned]] = {}


def constant(value: Hashable) -> Interned:
    """What stands for this value in every model, whatever its interner; raises ValueError the second time."""
    if value in _CONSTANTS:
        raise ValueError(f"{value!r} has a constant already")
    cell = _CONSTANTS[value] = Interned(value)
    return cell


def constants() -> Mapping[Hashable, Interned]:
    """The constants by their values."""
    return MappingProxyType(_CONSTANTS)


class Interner:
    """One `Interned` a distinct value."""

    def __init__(self) -> None:
        self._cells: dict[Hashable, Interned] = {}

    def cell(self, value: Hashable) -> Interned:
        """What stands for this value."""
        interned = self._cells.get(value)
        if interned is None:
            interned = self._cells[value] = Interned(value, len(self._cells))
        return interned

    def __len__(self) -> int:
        return len(self._cells)


MOST: Final = 100_000
"""Entries of one memo: large walks take no longer than with all of them (docs/explorer-speed.md)."""

_memos: Final[list[ref[Memo]]] = []  # type: ignore[type-arg]


class Memo(dict[K, V]):
    """A dict that `trim` empties where it has grown too large.

    What lies near each other in a walk is asked for again soon, and what is far behind hardly ever: to begin
    anew costs no more than a few thousand answers, and reading and writing are those of a dict.
    """

    def __init__(self) -> None:
        super().__init__()
        _memos.append(ref(self))


def trim(most: int = MOST) -> None:
    """Empty every memo of this process that has more entries than `most`; walks do so now and then."""
    alive = [(each, memo) for each in _memos if (memo := each()) is not None]
    _memos[:] = [each for each, _ in alive]
    for _, memo in alive:
        if len(memo) > most:
            memo.clear()
