"""Why the sorted loads of a packing cannot be smaller: one step of arithmetic each, as far as steps apply.

Loads are compared heaviest first. The load at a position is the least possible after the heavier ones if no
packing has sorted loads within the limits of those and one unit less for all others. A step shows that:

* `mean`: some members (Hall's view) cannot carry what only they may take. A member without an item that is no
  multiple of `grain` carries a multiple of it, so its limit is rounded down to one.
* `count`: of the heaviest `items` that only they may take too few fit, however light the rest is (the
  pigeonhole: k + 1 of them weigh more than the limit).
* `moves`: with these prices on weight any packing within the limits pays more moves than the budget.

The first position where no step reaches the load gets the best bound found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from copy import copy
from itertools import accumulate, groupby
from math import gcd
from typing import Final, NamedTuple

from kassay.solver.algorithms.levels import levels
from kassay.solver.packing.items import Packing
from kassay.solver.packing.prices import cheapest_moves

BY_MEAN: Final = "mean"
BY_COUNT: Final = "count"
BY_MOVES: Final = "moves"
_SETS_MOST: Final = 40
_COUNTS_MOST: Final = 3000
_GRAINS_MOST: Final = 12


class LoadStep(NamedTuple):
    """The load at `position` (from 1 on) is at least `bound` if the heavier ones are as they are."""

    position: int
    bound: int
    by: str
    members: tuple[int, ...] = ()
    items: int = 0
    grain: int = 1
    prices: tuple[int, ...] = ()


class LoadProof:
    """The proof of a packing's loads from its items and members, and the budget of their moves."""

    def __init__(self, packing: Packing, budget: int | None, deadline: float) -> None:
        self.packing = packing
        self.budget = budget
        self.deadline = deadline
        self.unit = gcd(*packing.weights) or 1
        self.sets: list[_Set] = []
        for members in _tight(packing):
            if self.sets and self.late:
                break
            self.sets.append(_Set.of(packing, members, self.unit))

    def whatever_moves(self) -> LoadProof:
        """The same without a budget."""
        free = copy(self)
        free.budget = None
        return free

    @property
    def late(self) -> bool:
        """Whether the time has run out, so that no further steps are proven."""
        return time.monotonic() > self.deadline

    def steps(self, loads: Sequence[int]) -> tuple[LoadStep, ...]:
        """The steps for these loads, heaviest first, up to the first that is not met."""
        steps: list[LoadStep] = []
        position = 0
        for load, run in groupby(loads):
            length = len(list(run))
            if not load or (steps and self.late):
                break
            proven = self._furthest(loads, position, length, load, steps)
            if proven < length:
                bound = self._best(loads, position + proven, load)
                if bound is not None:
                    steps.append(bound)
                break
            position += length
        return tuple(steps)

    def heaviest(self) -> LoadStep | None:
        """The step with the highest bound for the heaviest load; None where nothing has weight."""
        return self._best([0] * self.packing.members, 0, sum(self.packing.weights) + 1)

    def _furthest(
        self, loads: Sequence[int], position: int, length: int, load: int, steps: list[LoadStep]
    ) -> int:
        """How many of equal loads are proven least; the step for the last of them is added."""
        low, high = 0, length
        last: LoadStep | None = None
        while low < high:
            middle = high if last is None and low == 0 and high == length else (low + high + 1) // 2
            step = self.refuted(loads, position + middle, load)
            if step is None:
                high = middle - 1
            else:
                last, low = step, middle
        if last is not None:
            steps.append(last)
        return low

    def _best(self, loads: Sequence[int], done: int, load: int) -> LoadStep | None:
        """The step with the highest bound for the load at the position after the first `done`."""
        low, high = 0, load - 1
        best: LoadStep | None = None
        while low < high:
            middle = (low + high + 1) // 2
            step = self.refuted(loads, done + 1, middle)
            if step is None:
                high = middle - 1
            else:
                best, low = step, middle
        return best

    def refuted(self, loads: Sequence[int], position: int, bound: int) -> LoadStep | None:
        """The step that proves the load at the position to be at least `bound`; None if there is none."""
        light = (bound - 1) // self.unit * self.unit
        limits = [*loads[: position - 1], *[light] * (len(loads) - position + 1)]
        step = LoadStep(position, bound, BY_MEAN)
        for each in self.sets:
            grain = each.grain_that_is_too_little(limits)
            if grain:
                return step._replace(members=each.members, grain=grain)
        for each in self.sets:
            items = each.items_that_are_too_many(limits)
            if items:
                return step._replace(by=BY_COUNT, members=each.members, items=items)
        if self.budget is not None and not self.late:
            bound_of_moves = cheapest_moves(self.packing, limits, (1, 0), self.budget + 1, self.deadline)
            if bound_of_moves.cost > self.budget:
                return step._replace(by=BY_MOVES, prices=bound_of_moves.prices)
        return None


class _Set(NamedTuple):
    """Some members and the items that only they may take, by weight."""

    members: tuple[int, ...]
    weights: tuple[int, ...]
    sums: tuple[int, ...]
    odd: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, packing: Packing, members: tuple[int, ...], unit: int) -> _Set:
        """The set; `odd` has for each grain the number of items that are no multiple of it."""
        inside = set(members)
        own = [inside.issuperset(able) for able in packing.sets]
        weights = sorted(
            (w for w, position in zip(packing.weights, packing.set_of, strict=True) if own[position]),
            reverse=True,
        )
        top = weights[0] if weights else 0
        grains = [unit, *range(2, min(top, _GRAINS_MOST) + 1)]
        odd = tuple((g, sum(w % g > 0 for w in weights)) for g in dict.fromkeys(grains))
        return cls(members, tuple(weights), tuple(accumulate(weights, initial=0)), odd)

    def grain_that_is_too_little(self, limits: Sequence[int]) -> int:
        """The grain for which the heaviest limits are less than the items' weight; 0 if there is none."""
        inside = limits[: len(self.members)]
        total = self.sums[-1]
        for grain, odd in self.odd:
            over = sorted((limit % grain for limit in inside), reverse=True)
            if sum(inside) - sum(over[odd:]) < total:
                return grain
        return 0

    def items_that_are_too_many(self, limits: Sequence[int]) -> int:
        """How many of the heaviest items do not fit, the fewest examined; 0 if all seem to."""
        runs = [(limit, len(list(run))) for limit, run in groupby(limits[: len(self.members)])]
        return next((q for q in self._numbers() if sum(n * self._fit(q, c) for c, n in runs) < q), 0)

    def _numbers(self) -> Iterator[int]:
        number, members = len(self.weights), len(self.members)
        if number * members <= _COUNTS_MOST:
            yield from range(1, number + 1)
        else:
            yield from range(1, min(number, 20 * members) + 1, members)

    def _fit(self, items: int, limit: int) -> int:
        """How many of the heaviest `items` fit under the limit, the lightest of them."""
        # The sum of those from i on is sums[items] - sums[i]: the least i where that is within the limit.
        sums = self.sums
        low, high = 0, items
        while low < high:
            middle = (low + high) // 2
            if sums[items] - sums[middle] <= limit:
                high = middle
            else:
                low = middle + 1
        return items - low


def _tight(packing: Packing) -> list[tuple[int, ...]]:
    """Sets of members that may be crowded: the load levels of weight from the heaviest on, and readers."""
    demand = [0] * len(packing.sets)
    for weight, position in zip(packing.weights, packing.set_of, strict=True):
        demand[position] += weight
    chosen: list[tuple[int, ...]] = [tuple(range(packing.members))]
    together: list[int] = []
    for level in levels(packing.members, list(packing.sets), demand):
        together += level.members
        chosen.append(tuple(sorted(together)))
    return list(dict.fromkeys([*chosen[:_SETS_MOST], *packing.sets[:_SETS_MOST]]))
