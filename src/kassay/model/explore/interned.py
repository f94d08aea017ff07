"""Interned components, hashed and compared by identity whatever their depth, and memos of results."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar
from weakref import ref

K = TypeVar("K")
V = TypeVar("V")


class Interned:
    """A component of a state that represents its value: equal exactly if it is the same object.

    Created only by `Interner.cell` or `constant`. Hash and comparison use identity, in C and in constant
    time, however deep the value is. `number` is the order of creation within an interner, -1 for a constant;
    `note` holds what a model derives from the value once.
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
    """The representative of this value in every model and interner; raises ValueError the second time."""
    if value in _CONSTANTS:
        raise ValueError(f"{value!r} already has a constant")
    cell = _CONSTANTS[value] = Interned(value)
    return cell


def constants() -> Mapping[Hashable, Interned]:
    """The constants by their values."""
    return MappingProxyType(_CONSTANTS)


class Interner:
    """Creates one `Interned` per distinct value."""

    def __init__(self) -> None:
        self._cells: dict[Hashable, Interned] = {}

    def cell(self, value: Hashable) -> Interned:
        """The representative of this value."""
        interned = self._cells.get(value)
        if interned is None:
            interned = self._cells[value] = Interned(value, len(self._cells))
        return interned

    def __len__(self) -> int:
        return len(self._cells)


MOST: Final = 100_000
"""The maximum number of entries of one memo; more do not speed up large walks (docs/explorer-speed.md)."""

_memos: Final[list[ref[Memo]]] = []  # type: ignore[type-arg]


class Memo(dict[K, V]):
    """A dict that `trim` empties once it is too large.

    A walk soon needs results for nearby states again and hardly ever those for distant ones. Emptying the
    memo costs only a few thousand recomputations, and access is as fast as in a plain dict.
    """

    def __init__(self) -> None:
        super().__init__()
        _memos.append(ref(self))


def trim(most: int = MOST) -> None:
    """Empty every memo of this process that has more than `most` entries; walks call this periodically."""
    alive = [(each, memo) for each in _memos if (memo := each()) is not None]
    _memos[:] = [each for each, _ in alive]
    for _, memo in alive:
        if len(memo) > most:
            memo.clear()
