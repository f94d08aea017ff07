"""States made of interned parts.

Interned components, hashed and compared by identity whatever their depth, and memos of results.

The states of a walk by number and the reverse: as objects, packed, or by fingerprint.

A packed state is the numbers of its parts, four bytes each. Parts are few (one per thirty states of a large
walk), so millions of states fit where thousands did, and are still distinguished exactly. Packed states are
found through an open-addressing table of state numbers, which takes 6 to 12 bytes per state instead of 150
for a dict of bytes; the lookup time is negligible next to that of a step (docs/explorer-speed.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from struct import Struct
from types import MappingProxyType
from typing import Any, Final, Generic, TypeVar
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


S = TypeVar("S", bound=Hashable)

SLOTS: Final = 1 << 10
"""The slots of an empty table; a table is at most five eighths full."""
_FORGOTTEN: Final = "a walk with fingerprints stores only the states that are not expanded yet"


class KeyTable:
    """Keys of one length, numbered in insertion order."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.keys = bytearray()
        self._count = 0
        self._slots = array("I", bytes(4 * SLOTS))
        self._mask = SLOTS - 1

    def __len__(self) -> int:
        return self._count

    def number(self, key: bytes) -> int:
        """The key's number, or -1 if it has none."""
        return self._slots[self._place(key)] - 1

    def put(self, key: bytes) -> int:
        """The key's number; assigns the next one to a new key."""
        place = self._place(key)
        number = self._slots[place] - 1
        if number >= 0:
            return number
        self.keys += key
        self._count += 1
        self._slots[place] = self._count
        if self._is_full():
            self._rebuild()
        return self._count - 1

    def extend(self, keys: bytes) -> None:
        """Add keys that are all new."""
        self.keys += keys
        self._count = len(self.keys) // self.size
        self._rebuild()

    def key(self, number: int) -> bytes:
        """The key with this number."""
        return bytes(self.keys[number * self.size : (number + 1) * self.size])

    def _place(self, key: bytes) -> int:
        """The slot that holds the key's number, or the empty slot for it."""
        slots, keys, size, mask = self._slots, self.keys, self.size, self._mask
        place = hash(key) & mask
        while number := slots[place]:
            end = number * size
            if keys[end - size : end] == key:
                break
            place = place + 1 & mask
        return place

    def _is_full(self) -> bool:
        return self._count * 8 > len(self._slots) * 5

    def _rebuild(self) -> None:
        length = len(self._slots)
        while self._count * 8 > length * 5:
            length *= 2
        slots = array("I", bytes(4 * length))
        mask, size, keys = len(slots) - 1, self.size, bytes(self.keys)
        for number in range(self._count):
            place = hash(keys[number * size : (number + 1) * size]) & mask
            while slots[place]:
                place = place + 1 & mask
            slots[place] = number + 1
        self._slots, self._mask = slots, mask


class Parts(Generic[S]):
    """States as the numbers of their parts.

    `split` returns the parts of a state, equally many for every state, and `join` reassembles them. Parts are
    distinguished by hash and equality, whatever their position.
    """

    def __init__(
        self, split: Callable[[S], tuple[Hashable, ...]], join: Callable[[tuple[Any, ...]], S], places: int
    ) -> None:
        self.split = split
        self.join = join
        self.places = places
        self._layout = Struct(f"={places}I")
        self.size = self._layout.size
        self._numbers: dict[Hashable, int] = {}
        self._parts: list[Any] = []

    def pack(self, state: S) -> bytes:
        """The state's key; assigns numbers to new parts."""
        parts, numbers = self.split(state), self._numbers
        try:
            return self._layout.pack(*[numbers[part] for part in parts])
        except KeyError:
            return self._layout.pack(*[self.part_number(part) for part in parts])

    def unpack(self, key: bytes) -> S:
        """The state with this key."""
        parts = self._parts
        return self.join(tuple([parts[number] for number in self._layout.unpack(key)]))

    def part(self, number: int) -> Any:
        """The part with this number."""
        return self._parts[number]

    def all(self) -> Sequence[Any]:
        """All parts, by number."""
        return self._parts

    def part_number(self, part: Hashable) -> int:
        """The part's number; assigns the next one to a new part."""
        number = self._numbers.setdefault(part, len(self._parts))
        if number == len(self._parts):
            self._parts.append(part)
        return number


class PackedStates(Generic[S]):
    """All states, packed and distinguished exactly; recent ones are cached as objects, for speed."""

    def __init__(self, parts: Parts[S]) -> None:
        self._parts = parts
        self._table = KeyTable(parts.size)
        self._lately: Memo[S, int] = Memo()

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""
        number = self._lately.get(state)
        if number is None:
            number = self._lately[state] = self._table.put(self._parts.pack(state))
        return number

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""
        return self._table.number(self._parts.pack(state))

    def expanded(self, node: int) -> None:
        """Do nothing: all states stay stored."""

    def keys(self) -> bytes:
        """The packed states, concatenated."""
        return bytes(self._table.keys)

    def extend(self, keys: bytes) -> None:
        """Add packed states that are all new."""
        self._table.extend(keys)

    def __getitem__(self, node: int) -> S:
        if not 0 <= node < len(self._table):
            raise IndexError(node)
        return self._parts.unpack(self._table.key(node))

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[S]:
        return (self[node] for node in range(len(self)))


class FingerprintedStates(Generic[S]):
    """The fingerprints of all states, and waiting states packed; equal fingerprints count as one state."""

    def __init__(self, parts: Parts[S], fingerprint: Callable[[S], int]) -> None:
        self._parts = parts
        self._fingerprint = fingerprint
        self._table = KeyTable(8)
        self._lately: Memo[S, int] = Memo()
        self._waiting: dict[int, bytes] = {}

    def put(self, state: S) -> int:
        """The state's number; assigns the next one to a new state."""
        number = self._lately.get(state)
        if number is None:
            known = len(self._table)
            number = self._lately[state] = self._table.put(self._key(state))
            if number == known:
                self._waiting[number] = self._parts.pack(state)
        return number

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""
        return self._table.number(self._key(state))

    def expanded(self, node: int) -> None:
        """Keep only the fingerprint from here on."""
        del self._waiting[node]

    def __getitem__(self, node: int) -> S:
        """The state with this number; raises LookupError if it has been expanded."""
        packed = self._waiting.get(node)
        if packed is None:
            raise LookupError(_FORGOTTEN)
        return self._parts.unpack(packed)

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[S]:
        raise LookupError(_FORGOTTEN)

    def _key(self, state: S) -> bytes:
        return self._fingerprint(state).to_bytes(8, "big", signed=True)
