"""The lightest of some members at hand while partitions are dealt and moved.

Loads are the lengths of the members' lists; equal loads are told apart by the members' numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from heapq import heapify, heappop, heappush, heapreplace

Loads = Mapping[int, Sized]


class Heap:
    """Members of which only the lightest is ever given something."""

    def __init__(self, owned: Loads, members: Iterable[int]) -> None:
        self._entries = [(len(owned[member]), member) for member in members]
        heapify(self._entries)

    def lightest(self) -> tuple[int, int]:
        """The least load, and who has it."""
        return self._entries[0]

    def load_lightest(self) -> int:
        """The lightest member, which from now on carries one more."""
        load, member = self._entries[0]
        heapreplace(self._entries, (load + 1, member))
        return member


class Lightest:
    """The lightest of the members while loads rise and fall.

    Outdated entries stay in the heap until they come up, each change adds a new one.
    """

    def __init__(self, owned: Loads, members: Iterable[int]) -> None:
        self._owned = owned
        self._members = frozenset(members)
        self._entries = [(len(owned[member]), member) for member in self._members]
        heapify(self._entries)

    def first(self) -> int:
        """The lightest member now."""
        entries, owned = self._entries, self._owned
        while len(owned[entries[0][1]]) != entries[0][0]:
            heappop(entries)
        return entries[0][1]

    def changed(self, member: int) -> None:
        """Take note that the load of a member, which may be none of ours, has changed."""
        if member in self._members:
            heappush(self._entries, (len(self._owned[member]), member))
