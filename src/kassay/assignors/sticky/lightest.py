"""The least loaded of some members while partitions are assigned and moved.

Loads are the lengths of the members' lists; the members' numbers break ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sized
from heapq import heapify, heappop, heappush, heapreplace

Loads = Mapping[int, Sized]


class Heap:
    """Members of which only the least loaded ever gains a partition."""

    def __init__(self, owned: Loads, members: Iterable[int]) -> None:
        self._entries = [(len(owned[member]), member) for member in members]
        heapify(self._entries)

    def lightest(self) -> tuple[int, int]:
        """The least load, and the member that has it."""
        return self._entries[0]

    def load_lightest(self) -> int:
        """The least loaded member, whose load grows by one."""
        load, member = self._entries[0]
        heapreplace(self._entries, (load + 1, member))
        return member


class Lightest:
    """The least loaded of the members while loads rise and fall.

    Each change adds a new entry; outdated entries stay in the heap until they reach the top.
    """

    def __init__(self, owned: Loads, members: Iterable[int]) -> None:
        self._owned = owned
        self._members = frozenset(members)
        self._entries = [(len(owned[member]), member) for member in self._members]
        heapify(self._entries)

    def first(self) -> int:
        """The least loaded member now."""
        entries, owned = self._entries, self._owned
        while len(owned[entries[0][1]]) != entries[0][0]:
            heappop(entries)
        return entries[0][1]

    def changed(self, member: int) -> None:
        """Record that the load of a member, which may be outside the heap, has changed."""
        if member in self._members:
            heappush(self._entries, (len(self._owned[member]), member))
