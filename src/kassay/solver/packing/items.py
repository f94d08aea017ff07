"""The partitions of a problem as items of a packing, for problems that levels and prices do not prove.

An item is what goes to one owner as a whole: a partition, or the partitions of one number of
co-partitioned topics. It has a weight, members that may take it, and previous owners of its parts.

The terms of a packing: the order of its goals, a tolerance for loads, a budget of moves.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import repeat
from typing import NamedTuple

from kassay.model.errors import InputError
from kassay.solver.check.balance import MOVEMENT_FIRST, Topic
from kassay.solver.groups.problem import Problem
from kassay.solver.results import NO_OWNER


class Item(NamedTuple):
    """One item of a packing.

    `able` are the members that may take it; `stays` has for each previous owner the cost of moving its
    partitions, `owned` is their sum; `racks` are the known replica racks of its partitions.
    """

    weight: int
    able: tuple[int, ...]
    stays: tuple[tuple[int, int], ...] = ()
    owned: int = 0
    racks: tuple[frozenset[str], ...] = ()

    def moved(self, member: int) -> int:
        """The cost of moving its partitions that leave a previous owner if this member takes it."""
        return self.owned - next((cost for owner, cost in self.stays if owner == member), 0)

    @property
    def homes(self) -> tuple[int, ...]:
        """The previous owners that may keep it with the cheapest moves; none if no part had an owner."""
        if len(self.stays) == 1:
            return (self.stays[0][0],)
        most = max((cost for _, cost in self.stays), default=0)
        return tuple(owner for owner, cost in self.stays if cost == most)


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
    def even(self) -> bool:
        """Whether all items have the same positive weight: then flows are exact."""
        return len(set(self.weights)) <= 1 and 0 not in self.weights

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

    @cached_property
    def racks(self) -> tuple[str | None, ...]:
        """The rack of each member."""
        return tuple(member.rack for member in self.problem.members)

    def mismatch(self, item: Item, member: int) -> int:
        """How many of the item's partitions have known replica racks, and none where the member is."""
        rack = self.racks[member]
        return sum(rack not in racks for racks in item.racks)

    def loads(self, owner: Sequence[int]) -> list[int]:
        """The weight on each member."""
        loads = [0] * self.members
        for item, member in zip(self.items, owner, strict=True):
            loads[member] += item.weight
        return loads

    def moved(self, owner: Sequence[int]) -> int:
        """The cost of moving the partitions that leave their previous owner."""
        return sum(item.moved(member) for item, member in zip(self.items, owner, strict=True))

    def mismatched(self, owner: Sequence[int]) -> int:
        """The rack mismatches."""
        return sum(self.mismatch(item, m) for item, m in zip(self.items, owner, strict=True) if item.racks)

    @classmethod
    def of(cls, problem: Problem) -> Packing:
        """The problem's items; if no partition has a weight, an item weighs the number of its partitions."""
        items: list[Item] = []
        for bundle in problem.bundles:
            able, count = problem.subscribers[bundle[0].name], bundle[0].partitions
            weights = zip(*[(1,) * count if t.weights is None else t.weights for t in bundle], strict=True)
            stays = _stays(problem, bundle)
            known = [topic.racks for topic in bundle if topic.racks is not None]
            racks = [tuple(filter(None, row)) for row in zip(*known, strict=True)] or [()] * count
            owned = [sum([cost for _, cost in kept]) for kept in stays]
            items += map(Item, map(sum, weights), repeat(able), stays, owned, racks)
        return cls(problem, tuple(items))


def _stays(problem: Problem, bundle: tuple[Topic, ...]) -> list[tuple[tuple[int, int], ...]]:
    """For each item of the bundle its previous owners, and the cost if each of them loses it."""
    costs = [(1,) * t.partitions if t.move_costs is None else t.move_costs for t in bundle]
    if len(bundle) == 1:
        pairs = zip(problem.previous[bundle[0].name], costs[0], strict=True)
        return [() if owner == NO_OWNER else ((owner, cost),) for owner, cost in pairs]
    rows = zip(*(problem.previous[topic.name] for topic in bundle), strict=True)
    stays = []
    for owners, prices in zip(rows, zip(*costs, strict=True), strict=True):
        kept = Counter[int]()
        for owner, cost in zip(owners, prices, strict=True):
            if owner != NO_OWNER:
                kept[owner] += cost
        stays.append(tuple(sorted(kept.items())))
    return stays


class Terms(NamedTuple):
    """The goals: with a `tolerance` a heaviest member within it of its bound, else sorted loads.

    With a `budget` only assignments count whose moves cost no more. Then movement and racks, as `order` says.
    """

    order: tuple[str, ...] = MOVEMENT_FIRST
    tolerance: Fraction | None = None
    budget: int | None = None

    def cap(self, bound: int) -> int | None:
        """The most that a member may carry if the heaviest carries at least `bound`; None for no limit."""
        return None if self.tolerance is None else bound + int(bound * self.tolerance)

    @property
    def bounds_racks(self) -> bool:
        """Whether racks come first while a budget limits the moves: then no single sum of both is exact."""
        return self.budget is not None and self.order != MOVEMENT_FIRST

    def refuse_impossible(self, packing: Packing) -> None:
        """Raise `InputError` for conflicting terms, and for a budget that no packing keeps."""
        if self.budget is None:
            return
        if self.tolerance is not None:
            raise InputError("--budget and --tolerance: expected one of the two")
        least = sum(item.moved(item.homes[0]) for item in packing.items if len(item.stays) > 1)
        if self.budget < least:
            raise InputError(
                f"--budget: found {self.budget}, expected {least} or more: "
                "co-partitioned partitions that had different owners cannot all stay"
            )

    def scales(self, packing: Packing) -> tuple[int, int]:
        """The weights of one unit of movement and one rack mismatch that make the order lexicographic."""
        if self.order == MOVEMENT_FIRST:
            return 1 + sum(len(item.racks) for item in packing.items), 1
        return 1, 1 + sum(item.owned for item in packing.items)

    def cost(self, packing: Packing, owner: Sequence[int]) -> int:
        """Movement and rack mismatches of a packing in one number."""
        move, wrong = self.scales(packing)
        return move * packing.moved(owner) + wrong * packing.mismatched(owner)

    def value(self, packing: Packing, owner: Sequence[int], bound: int) -> tuple[int, list[int], int]:
        """The value to compare, least best: the excess over the limits, the sorted loads, and the cost.

        With a tolerance loads do not matter below the limit that follows from `bound`.
        """
        loads = sorted(packing.loads(owner), reverse=True)
        beyond = 0
        if self.budget is not None:
            beyond = max(0, packing.moved(owner) - self.budget)
        cap = self.cap(bound)
        if cap is not None:
            return max(0, loads[0] - cap), [], self.cost(packing, owner)
        return beyond, loads, self.cost(packing, owner)


def parse_tolerance(text: str) -> Fraction:
    """The tolerance that a user writes as `5%` or `0.5%`; raises `InputError` for any other text."""
    match = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?) ?%", text.strip(), re.ASCII)
    if match is None:
        raise InputError(f"--tolerance: found {text!r}, expected a percentage such as 5% or 0.5%")
    return Fraction(match[1]) / 100
