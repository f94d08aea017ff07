"""Parts stored as bytes: assembling a graph rarely needs them as objects."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, TypeVar

from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Parts

S = TypeVar("S", bound=Hashable)


class WrittenParts(Parts[S]):
    """Parts identified by their bytes, which only equal parts share, and decoded on access."""

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        super().__init__(parts.split, parts.join, parts.places)
        self._codec = codec
        self._by_bytes: dict[bytes, int] = {}
        self._read: dict[int, Any] = {}
        self._written: list[bytes] = []

    def number_of(self, data: bytes) -> int:
        """The number of the part with these bytes; assigns the next one to a new part."""
        number = self._by_bytes.setdefault(data, len(self._written))
        if number == len(self._written):
            self._written.append(data)
        return number

    def part_number(self, part: Hashable) -> int:
        """The part's number; assigns the next one to a new part."""
        number = self._numbers[part] = self.number_of(self._codec.encode(part))
        return number

    def part(self, number: int) -> Any:
        """The part with this number."""
        part = self._read.get(number)
        if part is None:
            part = self._read[number] = self._codec.decode(self._written[number])
        return part

    def all(self) -> Sequence[Any]:
        """All parts, by number."""
        return [self.part(number) for number in range(len(self._written))]

    def unpack(self, key: bytes) -> S:
        """The state with this key."""
        return self.join(tuple([self.part(number) for number in self._layout.unpack(key)]))
