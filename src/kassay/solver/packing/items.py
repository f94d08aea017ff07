"""Weighted partitions and uneven bundles as items to be packed on members.

An item is what goes to one owner as a whole: a partition, or the partitions of one number of
co-partitioned topics. It has a weight, members that may take it, and previous owners of its parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from kassay.solver.consumers.problem import NOBODY, Problem


class Item(NamedTuple):
    """One thing to pack, of `size` partitions.

    `able` are the members that may take it; `stays` says how many of its partitions each previous
    owner had, `claimed` is their sum; `racks` are the known replica racks of its partitions.
    """

    weight: int
    size: int
    able: tuple[int, ...]
    stays: tuple[tuple[int, int], ...] = ()
    claimed: int = 0
    racks: tuple[frozenset[str], ...] = ()

    def moved(self, member: int) -> int:
        """How many of its partitions leave a previous owner if this member takes it."""
        return self.claimed - next((count for owner, count in self.stays if owner == member), 0)

    @property
    def homes(self) -> tuple[int, ...]:
        """The previous owners that may keep it with the fewest moves, none if nobody had a part of it."""
        most = max((count for _, count in self.stays), default=0)
        return tuple(owner for owner, count in self.stays if count == most)


@dataclass(frozen=True)
class Packing:
    """The items of a problem in the order of its bundles and partition numbers."""

    problem: Problem
    items: tuple[Item, ...]

    @property
    def members(self) -> int:
        """How many members there are."""
        return len(self.problem.members)

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """The weight of each item."""
        return tuple(item.weight for item in self.items)

    @cached_property
    def sets(self) -> tuple[tuple[int, ...], ...]:
        """The different sets of members that items may go to."""
        return tuple(
            dict.fromkeys(self.problem.subscribers[bundle[0].name] for bundle in self.problem.bundles)
        )

    @cached_property
    def set_of(self) -> tuple[int, ...]:
        """For each item the position of its members in `sets`."""
        number = {able: position for position, able in enumerate(self.sets)}
        return tuple(
            position
            for bundle in self.problem.bundles
            for position in [number[self.problem.subscribers[bundle[0].name]]] * bundle[0].partitions
        )

    def mismatch(self, item: Item, member: int) -> int:
        """How many of the item's partitions have known replica racks, and none where the member is."""
        rack = self.problem.members[member].rack
        return sum(rack not in racks for racks in item.racks)

    def loads(self, owner: Sequence[int]) -> list[int]:
        """The weight on each member."""
        loads = [0] * self.members
        for item, member in zip(self.items, owner, strict=True):
            loads[member] += item.weight
        return loads

    def moved(self, owner: Sequence[int]) -> int:
        """The partitions that leave their previous owner."""
        return sum(item.moved(member) for item, member in zip(self.items, owner, strict=True))

    @classmethod
    def of(cls, problem: Problem, weighted: bool = True) -> Packing:
        """The problem's items; without `weighted` an item weighs as many partitions as it has."""
        items = []
        for bundle in problem.bundles:
            able = problem.subscribers[bundle[0].name]
            for number in range(bundle[0].partitions):
                stays: dict[int, int] = {}
                for topic in bundle:
                    owner = problem.previous[topic.name][number]
                    if owner != NOBODY:
                        stays[owner] = stays.get(owner, 0) + 1
                racks = tuple(t.racks[number] for t in bundle if t.racks is not None and t.racks[number])
                weight = sum(1 if t.weights is None or not weighted else t.weights[number] for t in bundle)
                items.append(
                    Item(weight, len(bundle), able, tuple(sorted(stays.items())), sum(stays.values()), racks)
                )
        return cls(problem, tuple(items))
