"""Messages of states between processes: the numbers of their parts, and the bytes of each part once."""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Parts

S = TypeVar("S", bound=Hashable)


class Letter(NamedTuple):
    """States for one process: new parts by the sender's numbers, packed states, and parents."""

    parts: list[tuple[int, bytes]]
    keys: bytes
    parents: bytes


class Outbox(Generic[S]):
    """The messages from one process to another."""

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        self._parts = parts
        self._codec = codec
        self._sent: set[int] = set()
        self._new: list[tuple[int, bytes]] = []
        self._keys = bytearray()
        self._parents = array("I")

    def post(self, state: S, parent: int) -> int:
        """Add a state to the next message; returns its position there."""
        key = self._parts.pack(state)
        for number in array("I", key):
            if number not in self._sent:
                self._sent.add(number)
                self._new.append((number, self._codec.encode(self._parts.part(number))))
        self._keys += key
        self._parents.append(parent)
        return len(self._parents) - 1

    def letter(self) -> Letter:
        """The message with all states added since the last one."""
        letter = Letter(self._new, bytes(self._keys), self._parents.tobytes())
        self._new, self._keys, self._parents = [], bytearray(), array("I")
        return letter


class Inbox(Generic[S]):
    """The messages that one process receives from another."""

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        self._parts = parts
        self._codec = codec
        self._known: dict[int, Any] = {}

    def read(self, letter: Letter) -> Iterator[tuple[S, int]]:
        """The states of a message with their parents, in the order in which they were added."""
        for number, data in letter.parts:
            self._known[number] = self._codec.decode(data)
        known, numbers = self._known, array("I", letter.keys)
        places = self._parts.places
        for place, parent in enumerate(array("I", letter.parents)):
            wanted = numbers[place * places : (place + 1) * places]
            yield self._parts.join(tuple([known[number] for number in wanted])), parent
