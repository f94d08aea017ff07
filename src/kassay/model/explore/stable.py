"""States as bytes that are the same in every process, whole or part by part, and their fingerprints.

A state consists of named tuples, tuples, enums, strings, numbers and interned cells. Each is written
with its kind in front, by value alone: neither hash order nor the order in which cells were interned
leaves a trace. Equal states have equal bytes as long as fields hold values of their declared types (`1`
is not `True`).

Fingerprints are a prefix of BLAKE2b (RFC 7693), which is in Python's standard library and mixes well
enough for the birthday bound to hold. 64 bits suffice for a walk: among ten million states, the
probability of a collision is 3e-6. The digest has 128 for callers that want less than that.

`PartsCodec` writes, reads and hashes once a process what most states share. A large walk has one part
per about thirty states, and a state has three to six parts. Looking parts up takes a fraction of the
time of traversing the whole value, which was nearly half of a walk on Spark.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum
from functools import cache, lru_cache
from hashlib import blake2b
from math import expm1
from struct import Struct
from struct import error as StructError  # noqa: N812  # an exception, named like the others
from typing import Any, Final, Generic, TypeAlias, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.states import Interned, Interner, Parts, constants
from kassay.model.modules import import_modules

DIGEST_BYTES: Final = 16
FINGERPRINT_BITS: Final = 64
_CLASS_BYTES: Final = 4
_MODELS: Final = "kassay.model"
_SINGLE: Final = {None: b"N", True: b"T", False: b"F"}
_READ: Final = {letter: single for single, letter in _SINGLE.items()}
_EMPTY: Final = b"(\0"
_LEAVES: Final = frozenset({str, int, bool, type(None)})

Classes: TypeAlias = Callable[[], Iterable[type]]
"""Returns the classes of the values in states; called on first use."""


def collision_probability(states: int, bits: int = FINGERPRINT_BITS) -> float:
    """The probability of a fingerprint collision among so many states: 1 - exp(-n (n - 1) / 2^(bits + 1))."""
    return -expm1(-states * (states - 1) / 2.0 ** (bits + 1))


class StateCodec:
    """The states of one model as bytes and back. `cell` is that of the model's interner.

    Classes are identified by a number derived from their names, so the bytes are valid only for the kassay
    version that wrote them. They are looked up among the result of `classes`; by default, all enums and named
    tuples of `kassay.model`.
    """

    def __init__(
        self, cell: Callable[[Hashable], Interned] | None = None, classes: Classes | None = None
    ) -> None:
        self._cell = cell or Interner().cell
        self._classes = classes or _of_models
        self._digests: dict[Interned, bytes] = {}
        self._written: dict[Interned, bytes] = {}
        self._read: dict[bytes, Interned] = {}

    def encode(self, state: Any) -> bytes:
        """The state as bytes; raises TypeError for a part of an unsupported type."""
        written = bytearray()
        _write(state, written, self._inline)
        return bytes(written)

    def decode(self, data: bytes) -> Any:
        """The state that `encode` wrote, with this model's cells; raises InputError for other bytes."""
        reader = _Reader(data, self._cell, self._classes, self._read)
        try:
            state = reader.value()
        except (IndexError, KeyError, ValueError, TypeError, RecursionError) as error:
            raise InputError(f"byte {reader.at} of {len(data)} of a state: {error}") from None
        if reader.at != len(data):
            raise InputError(f"byte {reader.at} of {len(data)} of a state: expected its end")
        return state

    def digest(self, state: Any) -> bytes:
        """A 128-bit digest of the state's value; digests of cells are cached."""
        written = bytearray()
        _write(state, written, self._by_digest)
        return blake2b(written, digest_size=DIGEST_BYTES).digest()

    def cell_digest(self, cell: Interned) -> bytes:
        """The digest of a cell's value; orders cells the same way in every process."""
        digest = self._digests.get(cell)
        if digest is None:
            digest = self._digests[cell] = self.digest(cell.value)
        return digest

    def cell_bytes(self, cell: Interned) -> bytes:
        """The bytes of a cell's value, cached. Similar values are neighbours in byte order."""
        data = self._written.get(cell)
        if data is None:
            data = self._written[cell] = self.encode(cell.value)
        return data

    def fingerprint(self, state: Any) -> int:
        """The first 64 bits of the digest, as a signed number."""
        return int.from_bytes(self.digest(state)[:8], "big", signed=True)

    def _inline(self, cell: Interned, written: bytearray) -> None:
        """Append a cell with its length in front; most cells of a state are cached and copied."""
        data = self.cell_bytes(cell)
        _write_number(b"K" if cell.number < 0 else b"C", len(data), written)
        written += data

    def _by_digest(self, cell: Interned, written: bytearray) -> None:
        written += b"K" if cell.number < 0 else b"C"
        written += self.cell_digest(cell)


def _write(value: Any, written: bytearray, write_cell: Callable[[Interned, bytearray], None]) -> None:
    """Append a value with its type tag first."""
    kind = type(value)
    if kind is Interned:
        write_cell(value, written)
    elif issubclass(kind, tuple):
        if kind is tuple:
            _write_number(b"(", len(value), written)
        else:
            written += b"R" + _number_of(kind)
        for item in value:
            # Only non-leaf items recurse; leaves are the majority and few are distinct.
            inner = type(item)
            if inner in _LEAVES:
                written += _leaf(item)
            elif inner is tuple and not item:
                written += _EMPTY
            elif inner is Interned:
                write_cell(item, written)
            else:
                _write(item, written, write_cell)
    elif kind in _LEAVES or issubclass(kind, Enum):
        written += _leaf(value)
    elif kind is frozenset:
        _write_number(b"Z", len(value), written)
        for item in sorted(map(_alone(write_cell), value)):
            written += item
    else:
        raise TypeError(f"{kind.__qualname__} is nothing that states are made of")


def _bytes_of_leaf(value: Any) -> bytes:
    """The bytes of a value without parts; for an enum member, its class and then its value."""
    kind, written = type(value), bytearray()
    if kind is str:
        text = value.encode("utf-8", "surrogatepass")
        _write_number(b"S", len(text), written)
        written += text
    elif kind is int:
        _write_number(b"I" if value >= 0 else b"J", abs(value), written)
    elif kind in _LEAVES:
        written += _SINGLE[value]
    else:
        written += b"E" + _number_of(value.__class__)
        _write(value.value, written, _no_cell)
    return bytes(written)


_leaf: Final[Callable[[Any], bytes]] = lru_cache(maxsize=1 << 16, typed=True)(_bytes_of_leaf)


def _no_cell(cell: Interned, _: bytearray) -> None:
    raise TypeError(f"the value of an enum's member holds the cell {cell!r}")


def _alone(write_cell: Callable[[Interned, bytearray], None]) -> Callable[[Any], bytes]:
    """A function that returns the bytes of a single value."""

    def bytes_of(value: Any) -> bytes:
        written = bytearray()
        _write(value, written, write_cell)
        return bytes(written)

    return bytes_of


def _write_number(kind: bytes, number: int, written: bytearray) -> None:
    """Append a type tag and a non-negative number: seven bits per byte, lowest first."""
    written += kind
    while number > 127:
        written.append(number & 127 | 128)
        number >>= 7
    written.append(number)


class _Reader:
    """Reads what `_write` wrote, starting at `at`."""

    def __init__(
        self,
        data: bytes,
        cell: Callable[[Hashable], Interned],
        classes: Classes,
        known: dict[bytes, Interned],
    ) -> None:
        self.data = data
        self.at = 0
        self.cell = cell
        self.classes = classes
        self.known = known

    def take(self, length: int) -> bytes:
        """The next bytes."""
        part = self.data[self.at : self.at + length]
        if len(part) != length:
            raise IndexError("it ends too soon")
        self.at += length
        return part

    def number(self) -> int:
        """The next number."""
        number = shift = 0
        while True:
            part = self.data[self.at]
            self.at += 1
            number |= (part & 127) << shift
            if part < 128:
                return number
            shift += 7

    def value(self) -> Any:
        """The next value."""
        kind = self.data[self.at : self.at + 1]
        self.at += 1
        if kind == b"I":
            return self.number()
        if kind == b"S":
            return self.take(self.number()).decode("utf-8", "surrogatepass")
        if kind in _READ:
            return _READ[kind]
        if kind == b"C" or kind == b"K":
            return self.interned(kind, self.number())
        if kind == b"(":
            return tuple([self.value() for _ in range(self.number())])
        if kind == b"Z":
            return frozenset([self.value() for _ in range(self.number())])
        if kind == b"J":
            return -self.number()
        return self.instance(kind)

    def interned(self, kind: bytes, length: int) -> Interned:
        """The next cell, or constant, whose value takes `length` bytes."""
        data = kind + self.data[self.at : self.at + length]
        cell = self.known.get(data)
        if cell is not None:
            self.at += length
            return cell
        end = self.at + length
        value = self.value()
        if self.at != end:
            raise ValueError("a cell does not end where it says")
        cell = self.known[data] = self.cell(value) if kind == b"C" else constants()[value]
        return cell

    def instance(self, kind: bytes) -> Any:
        """The next enum member or named tuple."""
        if kind not in (b"E", b"R"):
            raise ValueError(f"{kind!r} is no kind of value")
        known: Any = _class_of(self.classes, self.take(_CLASS_BYTES))
        if kind == b"E":
            return known(self.value())
        return known._make([self.value() for _ in known._fields])


@cache
def _number_of(kind: type) -> bytes:
    """The identifying number of a class."""
    name = f"{kind.__module__}:{kind.__qualname__}"
    return blake2b(name.encode(), digest_size=_CLASS_BYTES).digest()


@cache
def _class_of(classes: Classes, number: bytes) -> type:
    """The class with this number; raises KeyError if there is none.

    By default, it searches the imported models first. A process that makes a model has imported the classes
    of its states, and importing all other models took longer than reading the first states.
    """
    if classes is _of_models:
        for kind in _imported():
            if _number_of(kind) == number:
                return kind
    return _by_number(classes)[number]


@cache
def _by_number(classes: Classes) -> dict[bytes, type]:
    """The classes by their identifying numbers."""
    kinds = set(classes())
    numbers = {_number_of(kind): kind for kind in kinds}
    assert len(numbers) == len(kinds), "two classes have one number"
    return numbers


def _of_models() -> Iterable[type]:
    """The enums and named tuples of all models."""
    import_modules(_MODELS)
    return _imported()


def _imported() -> Iterator[type]:
    """The enums and named tuples of the imported models."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{_MODELS}."):
            for kind in vars(module).values():
                if isinstance(kind, type) and (issubclass(kind, Enum) or hasattr(kind, "_fields")):
                    yield kind


S = TypeVar("S", bound=Hashable)


class PartsCodec(Generic[S]):
    """The states of one model as bytes and back: the lengths of the parts, four bytes each, then the parts.

    Bytes and fingerprints are the same in every process, but differ from those of `StateCodec`, which encodes
    the parts.
    """

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        self._split, self._join = parts.split, parts.join
        self._codec = codec
        self._layout = Struct(f"<{parts.places}I")
        self._written: dict[Hashable, bytes] = {}
        self._digests: dict[Hashable, bytes] = {}
        self._read: dict[bytes, Any] = {}

    def encode(self, state: S) -> bytes:
        """The state as bytes; raises TypeError for a part of an unsupported type."""
        parts, written = self._split(state), self._written
        try:
            data = [written[part] for part in parts]
        except KeyError:
            data = [written.get(part) or self._write(part) for part in parts]
        return self._layout.pack(*map(len, data)) + b"".join(data)

    def decode(self, data: bytes) -> S:
        """The state that `encode` wrote, with this model's cells; raises InputError for other bytes."""
        read, parts = self._read, []
        start = self._layout.size
        try:
            lengths = self._layout.unpack_from(data)
        except StructError as error:
            raise InputError(f"{len(data)} bytes of a state: {error}") from None
        for length in lengths:
            written = data[start : start + length]
            part = read.get(written)
            if part is None:
                part = read[written] = self._codec.decode(written)
            parts.append(part)
            start += length
        if start != len(data):
            raise InputError(f"{len(data)} bytes of a state: expected {start}")
        return self._join(tuple(parts))

    def fingerprint(self, state: S) -> int:
        """A 64-bit hash of the parts' hashes, as a signed number."""
        parts, digests = self._split(state), self._digests
        try:
            joined = b"".join([digests[part] for part in parts])
        except KeyError:
            joined = b"".join([digests.get(part) or self._digest(part) for part in parts])
        return int.from_bytes(blake2b(joined, digest_size=8).digest(), "big", signed=True)

    def _write(self, part: Hashable) -> bytes:
        data = self._written[part] = self._codec.encode(part)
        return data

    def _digest(self, part: Hashable) -> bytes:
        digest = self._digests[part] = self._codec.digest(part)
        return digest
