"""What no packing gets below: the heaviest load, the cost of moves and mismatches, the sorted loads.

*Heaviest member*: bounds that one line of arithmetic verifies.
Each bound looks at a set of members and the items that only they may take (Hall's view): their
mean, the largest item, or, among k * members + 1 items, the k + 1 that some member must share
(pigeonhole). Loads are sums of weights, so a bound rises to the next multiple of the weights'
greatest common divisor. The heaviest mean over all sets is found by minimum cuts (Dinkelbach's
method) and equals the linear relaxation.

*Prices*: what a packing pays at the least in moves and mismatches, by prices on members (Lagrange's bound).
If member b asks price[b] for each unit of weight and sorted loads stay within sorted limits, then

    sum over items of min over members (cost + weight * price)
  - sum of the sorted prices times the sorted limits

is paid, for any non-negative prices, since no loads within the limits collect more (the rearrangement
inequality). Where the loads equal the limits prices may be negative. Good prices come from subgradient
steps (Polyak's rule) and are rounded to whole numbers of 1 / SCALE, so that the bound is exact
arithmetic.

*Steps*: why the sorted loads cannot be smaller; a step of arithmetic for each, as far as steps go.
Loads are compared heaviest first. That the load at a position is the least possible after the heavier ones
is shown where no packing has sorted loads within the limits of those and one unit less for all others:

* `mean`: some members (Hall's view) cannot carry what only they may take. A member without an item that
  is no multiple of `grain` carries a multiple of it, so its limit goes down to one.
* `count`: of the heaviest `items` that only they may take too few fit, however light the rest is
  (the pigeonhole: k + 1 of them weigh more than the limit).
* `moves`: with these prices on weight whoever stays within the limits pays more moves than the budget.

The first position where no step reaches the load gets the best bound found.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import accumulate, groupby
from math import gcd
from typing import Final, NamedTuple

from kassay.solver.algorithms.flow import Network
from kassay.solver.algorithms.levels import levels
from kassay.solver.groups.problem import Problem
from kassay.solver.packing.items import Item, Packing

_SETS_MOST: Final = 300

MEAN: Final = "mean"
LARGEST: Final = "largest item"
PIGEONHOLE: Final = "pigeonhole"


class LoadBound(NamedTuple):
    """A lower bound on the heaviest load: the items bound to `members` force it; `k` for the pigeonhole."""

    value: int
    name: str
    members: tuple[int, ...]
    k: int = 0


def weighted_lower_bound(problem: Problem) -> int:
    """The least load of the heaviest member, by arithmetic alone."""
    return lower_bound(Packing.of(problem)).value


def lower_bound(packing: Packing) -> LoadBound:
    """The best bound found; 0 without items."""
    sets = packing.sets
    if not packing.items:
        return LoadBound(0, MEAN, ())
    everybody = tuple(sorted({member for able in sets for member in able}))
    candidates = [everybody, heaviest_set(packing, everybody), *sets[:_SETS_MOST]]
    bounds = (best for members in dict.fromkeys(candidates) for best in _bounds(packing, members))
    return max(bounds, key=lambda bound: (bound.value, bound.name == MEAN, -len(bound.members)))


def tolerance_base(packing: Packing) -> int:
    """The bound from which a tolerance is measured, as the checker derives it: of fixed sets of members."""
    smallest = sorted(packing.sets, key=lambda able: (len(able), able))[:_SETS_MOST]
    everybody = tuple(sorted({member for able in packing.sets for member in able}))
    candidates = dict.fromkeys([*smallest, everybody])
    return max((bound.value for members in candidates for bound in _bounds(packing, members)), default=0)


def _bounds(packing: Packing, members: tuple[int, ...]) -> Iterable[LoadBound]:
    inside = set(members)
    bound = [inside.issuperset(able) for able in packing.sets]
    weights = [w for w, position in zip(packing.weights, packing.set_of, strict=True) if bound[position]]
    if not weights:
        return
    weights.sort(reverse=True)
    unit = max(gcd(*packing.weights), 1)
    number = len(members)
    yield LoadBound(-(-sum(weights) // (number * unit)) * unit, MEAN, members)
    yield LoadBound(weights[0], LARGEST, members)
    for k in range(1, (len(weights) - 1) // number + 1):
        yield LoadBound(sum(weights[k * number - k : k * number + 1]), PIGEONHOLE, members, k)


def heaviest_set(packing: Packing, everybody: tuple[int, ...]) -> tuple[int, ...]:
    """The members whose own items weigh most on average: no fractional packing does better."""
    weigh = [0] * len(packing.sets)
    for weight, position in zip(packing.weights, packing.set_of, strict=True):
        weigh[position] += weight
    demand = dict(zip(packing.sets, weigh, strict=True))
    heaviest = everybody
    while True:
        inside = set(heaviest)
        weight = sum(w for able, w in demand.items() if inside.issuperset(able))
        better = _violated(demand, everybody, weight, len(heaviest))
        if not better:
            return heaviest
        heaviest = better


def _violated(
    demand: dict[tuple[int, ...], int], everybody: tuple[int, ...], weight: int, number: int
) -> tuple[int, ...]:
    """Members whose own items weigh more than weight / number each, or none."""
    network = Network(2)
    node = {member: network.node() for member in everybody}
    for member in everybody:
        network.arc(node[member], 1, weight)
    for able, total in demand.items():
        own = network.node()
        network.arc(0, own, total * number)
        for member in able:
            network.arc(own, node[member])
    if network.maximum(0, 1) == number * sum(demand.values()):
        return ()
    seen = network.reachable([0])
    return tuple(member for member in everybody if seen[node[member]])


SCALE: Final = 10**8
_STEPS: Final = 400


class CostBound(NamedTuple):
    """A payment of at least `cost` within the limits, proven by `prices` (in 1 / SCALE a unit of weight)."""

    prices: tuple[int, ...]
    cost: int


def cost_bound(
    packing: Packing, limits: Sequence[int], scales: tuple[int, int], prices: Sequence[int]
) -> int:
    """The cost that these whole prices prove, never negative; limits are heaviest first."""
    total, _ = _Dual(packing, limits, (scales[0] * SCALE, scales[1] * SCALE)).at(prices)
    return max(0, -int(-total // SCALE))


def cheapest_moves(
    packing: Packing, limits: Sequence[int], scales: tuple[int, int], goal: int, deadline: float
) -> CostBound:
    """The best such bound found; the search ends at `goal`, the payment of a known packing."""
    exact = sum(limits) == sum(packing.weights)
    prices = [0.0] * packing.members
    best = CostBound((0,) * packing.members, cost_bound(packing, limits, scales, [0] * packing.members))
    dual = _Dual(packing, limits, scales)
    began = time.monotonic()
    for step in range(_STEPS):
        # Another step takes about as long as those before.
        now = time.monotonic()
        if best.cost >= goal or now + (now - began) / (step or 1) > deadline:
            break
        value, slope = dual.at(prices)
        length = sum(s * s for s in slope)
        if not length:
            break
        pace = 1.5 * 0.99**step * max(goal - value, 0.1) / length
        prices = [price + pace * s for price, s in zip(prices, slope, strict=True)]
        if not exact:
            prices = [max(0.0, price) for price in prices]
        rounded = tuple(round(price * SCALE) for price in prices)
        proven = cost_bound(packing, limits, scales, rounded)
        if proven > best.cost:
            best = CostBound(rounded, proven)
    return best


class _Dual:
    """The bound as a function of the prices, with its slope in each."""

    def __init__(self, packing: Packing, limits: Sequence[int], scales: tuple[int, int]) -> None:
        self.packing = packing
        self.limits = limits
        self.move, self.wrong = scales
        self.racked = any(item.racks for item in packing.items)

    def at(self, prices: Sequence[float]) -> tuple[float, list[float]]:
        """The bound at these prices and its slopes; exact where prices are whole numbers."""
        packing = self.packing
        cheapest = [self._nearest(able, prices) for able in packing.sets]
        ranked = sorted(range(packing.members), key=lambda m: -prices[m])
        value: float = 0
        slope = [0.0] * packing.members
        for m, limit in zip(ranked, self.limits, strict=True):
            value -= prices[m] * limit
            slope[m] = -float(limit)
        for item, position in zip(packing.items, packing.set_of, strict=True):
            choice, cost = self._least(item, cheapest[position], prices)
            value += cost
            slope[choice] += item.weight
        return value, slope

    def _nearest(self, able: Sequence[int], prices: Sequence[float]) -> list[int]:
        """The member with the lowest price; where racks matter, that of each rack."""
        if not self.racked:
            return [min(able, key=prices.__getitem__)]
        by_rack: dict[str | None, int] = {}
        for m in able:
            rack = self.packing.racks[m]
            if rack not in by_rack or prices[m] < prices[by_rack[rack]]:
                by_rack[rack] = m
        return list(by_rack.values())

    def _least(self, item: Item, cheapest: Sequence[int], prices: Sequence[float]) -> tuple[int, float]:
        """The member where an item costs least, price included, and that cost."""
        mismatch, wrong = self.packing.mismatch, self.wrong
        weight, away = item.weight, item.owned * self.move
        choice, cost = -1, 0.0
        for m in cheapest:
            there = away + weight * prices[m] + (wrong * mismatch(item, m) if item.racks else 0)
            if choice < 0 or there < cost:
                choice, cost = m, there
        for m, saved in item.stays:
            there = away - saved * self.move + weight * prices[m]
            there += wrong * mismatch(item, m) if item.racks else 0
            if there < cost:
                choice, cost = m, there
        return choice, cost


BY_MEAN: Final = "mean"
BY_COUNT: Final = "count"
BY_MOVES: Final = "moves"
_STEP_SETS_MOST: Final = 40
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
    return list(dict.fromkeys([*chosen[:_STEP_SETS_MOST], *packing.sets[:_STEP_SETS_MOST]]))
