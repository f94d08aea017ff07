"""What members pass on and take for given loads, by sorts of items: a bound on all moves, and few moves.

A sort of items has one weight and one cost of a move. Each move is paid in two parts: the price of its sort
by the member that passes the item on, the rest by the member that takes it. For given prices each member has
a cheapest set of items to pass on and take, whatever the others do: shortest paths over amounts of weight.
All members together pay at least that (Lagrange's bound; Geoffrion 1974), and prices at which as many items
of each sort are passed on as taken make it largest: a subgradient search. The same paths, with a preference
for what the others lack, lead to few moves. `solver/check/transfers` checks the bound.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from heapq import heappop, heappush
from math import gcd
from typing import Final, NamedTuple

from kassay.solver.packing.bounds import SCALE
from kassay.solver.packing.items import Packing

_FINE: Final = 1000
"""Prices are whole numbers of this part of a cost of 1."""
_WORK_MOST: Final = 1 << 22
_STEPS: Final = 80
_IDLE_MOST: Final = 15
"""The search for prices ends after so many steps without a better bound."""
_PASSES: Final = 30
_TRIES: Final = 8
_LENGTH_MOST: Final = 80
"""The most items that a member passes on and takes."""
_FAR: Final = 1 << 60

Sort = tuple[int, int]
"""The weight of an item and the cost of its move."""


class TransferProof(NamedTuple):
    """Prices of sorts and of loads in 1 / SCALE, and the cost that all moves pay at least at these."""

    sorts: Mapping[Sort, int]
    loads: Mapping[int, int]
    cost: int


class _Pattern(NamedTuple):
    """What a member passes on (positive numbers) and takes, by sort, the load that it gets, and the cost."""

    items: Mapping[Sort, int]
    load: int
    cost: float


class _Paths(NamedTuple):
    """The least cost of each amount, from `low` on, and the amount and sort before it on the way there."""

    low: int
    cost: list[int]
    before: list[tuple[int, Sort, int]]


class Transfers:
    """The transfers that turn the loads of the previous owners into these loads.

    `fits` is false where the method is none: items with several previous owners, or too many amounts.
    """

    def __init__(self, packing: Packing, loads: Sequence[int]) -> None:
        self.packing = packing
        self.wanted = Counter(loads)
        self.unit = gcd(*packing.weights) or 1
        self.homes = [0] * packing.members
        self.held: list[dict[Sort, list[int]]] = [{} for _ in self.homes]
        self.unowned: set[int] = set()
        for number, item in enumerate(packing.items):
            if item.weight and item.stays:
                home, sort = item.stays[0][0], (item.weight, item.owned)
                self.homes[home] += item.weight
                self.held[home].setdefault(sort, []).append(number)
            elif item.weight:
                self.unowned.add(item.weight)
        self.sorts = sorted({sort for held in self.held for sort in held})
        ends = [home - load for home in self.homes for load in self.wanted] or [0]
        reach = max(packing.weights, default=0)
        self.low = (min(0, *ends) - reach) // self.unit
        self.size = (max(0, *ends) + reach) // self.unit - self.low + 1
        single = all(len(item.stays) < 2 for item in packing.items)
        ways = 2 * len(self.sorts) + len(self.unowned)
        self.fits = bool(self.sorts) and single and self.size * ways * len(self.wanted) <= _WORK_MOST
        self._prices: dict[Sort, float] = {sort: _FINE * sort[1] / 2 for sort in self.sorts}
        self._of_load: dict[int, float] = dict.fromkeys(self.wanted, 0.0)

    @property
    def goes_anywhere(self) -> bool:
        """Whether each item had an owner, and may go to any member."""
        sets = self.packing.sets
        return not self.unowned and len(sets) == 1 and len(sets[0]) == len(self.homes)

    def prove(self, goal: int, deadline: float) -> TransferProof | None:
        """The best bound found before the deadline (`time.monotonic`), at most `goal`; None without one."""
        best: TransferProof | None = None
        worth, idle = 0, 0
        for step in range(_STEPS):
            if time.monotonic() > deadline or idle > _IDLE_MOST:
                break
            prices = {sort: round(price) for sort, price in self._prices.items()}
            of_load = {load: round(price) for load, price in self._of_load.items()}
            value, slope, more = self._at(prices, of_load)
            cost = -(-value // _FINE)
            idle += 1
            if best is None or value > worth:
                if best is None or cost > best.cost:
                    idle = 0
                worth, part = value, SCALE // _FINE
                best = TransferProof(
                    {sort: price * part for sort, price in prices.items()},
                    {load: price * part for load, price in of_load.items()},
                    max(0, cost),
                )
            length = sum(s * s for s in (*slope.values(), *more.values()))
            if best.cost >= goal or not length:
                break
            pace = 0.97**step * max(1.01 * worth - value, 1.0) / length
            for sort in self.sorts:
                self._prices[sort] = min(max(self._prices[sort] + pace * slope[sort], 0.0), _FINE * sort[1])
            for load in self._of_load:
                self._of_load[load] += pace * more[load]
        return best

    def _at(
        self, prices: Mapping[Sort, int], of_load: Mapping[int, int]
    ) -> tuple[int, Counter[Sort], Counter[int]]:
        """The bound at these prices, and its slope in each price of a sort and of a load."""
        paths = self._paths(prices)
        value, slope, more = 0, Counter[Sort](), Counter[int]()
        for home in self.homes:
            cost, load = min(
                (paths.cost[(home - load) // self.unit - paths.low] + price, load)
                for load, price in of_load.items()
            )
            value += cost
            more[load] += 1
            place = (home - load) // self.unit - paths.low
            while place != -paths.low:
                place, sort, sign = paths.before[place]
                slope[sort] += sign
        for load, number in self.wanted.items():
            value -= of_load[load] * number
            more[load] -= number
        return value, slope, more

    def _paths(self, prices: Mapping[Sort, int]) -> _Paths:
        """The shortest paths from 0 to each amount: passing an item on adds its weight, taking one less."""
        steps = [step for sort in self.sorts for step in self._ways(sort, prices[sort])]
        steps += [(-weight // self.unit, 0, (weight, 0), 0) for weight in self.unowned]
        size = self.size
        cost, before = [_FAR] * size, [(0, (0, 0), 0)] * size
        cost[-self.low] = 0
        heap, done = [-self.low], bytearray(size)
        while heap:
            so_far, place = divmod(heappop(heap), size)
            if done[place]:
                continue
            done[place] = 1
            for amount, more, sort, sign in steps:
                there = place + amount
                if 0 <= there < size and so_far + more < cost[there]:
                    cost[there], before[there] = so_far + more, (place, sort, sign)
                    heappush(heap, (so_far + more) * size + there)
        return _Paths(self.low, cost, before)

    def _ways(self, sort: Sort, price: int) -> Iterator[tuple[int, int, Sort, int]]:
        """Passing on an item of the sort, and taking one: amount, cost, sort, sign."""
        weight, cost = sort
        yield weight // self.unit, price, sort, 1
        yield -weight // self.unit, _FINE * cost - price, sort, -1

    def owners(self, proof: TransferProof, seed: int, deadline: float) -> list[int] | None:
        """Owners near these loads with few moves; None unless all items may go anywhere and had an owner.

        Members choose in turns, what others lack or have too much of being worth more from turn to turn.
        """
        if not self.goes_anywhere:
            return None
        part = SCALE // _FINE
        market = _Market(self, {s: p // part for s, p in proof.sorts.items()}, proof.loads, seed)
        for number in range(_PASSES):
            if not market.turn((0.08 + 0.04 * number) * _FINE, deadline):
                break
        return market.owners()


class _Market:
    """A pattern for each member; how many more items of a sort are passed on than taken, which loads lack."""

    def __init__(
        self, transfers: Transfers, prices: Mapping[Sort, int], of_load: Mapping[int, int], seed: int
    ) -> None:
        self.transfers, self.prices = transfers, prices
        self.of_load = {load: price // (SCALE // _FINE) for load, price in of_load.items()}
        self.paths = transfers._paths(prices)
        self.random = random.Random(seed)
        self.over = Counter[Sort]()
        self.lacking = Counter(transfers.wanted)
        self.patterns: list[_Pattern] = [_Pattern({}, -1, 0.0) for _ in transfers.homes]
        self.best: tuple[float, list[_Pattern]] = (float("inf"), [])

    def turn(self, dear: float, deadline: float) -> bool:
        """Each member chooses again; false after the deadline, and once all is in balance."""
        order = [*range(len(self.patterns))]
        self.random.shuffle(order)
        for member in order:
            if time.monotonic() > deadline:
                return False
            self._count(self.patterns[member], -1)
            self.patterns[member] = self._choice(member, dear)
            self._count(self.patterns[member], 1)
        apart = sum(abs(number) * sort[1] for sort, number in self.over.items())
        apart += sum(map(abs, self.lacking.values()))
        passed = sum(
            number * sort[1] for each in self.patterns for sort, number in each.items.items() if number > 0
        )
        if passed + 2 * apart < self.best[0]:
            self.best = passed + 2 * apart, list(self.patterns)
        return bool(apart)

    def _count(self, pattern: _Pattern, sign: int) -> None:
        """Count the pattern's items and load, or take them off."""
        for sort, number in pattern.items.items():
            self.over[sort] += sign * number
        if pattern.load in self.lacking:
            self.lacking[pattern.load] -= sign

    def _choice(self, member: int, dear: float) -> _Pattern:
        """The best of some patterns, where an item without a member on the other side costs so much."""
        best: tuple[float, _Pattern] | None = None
        for load, price in self.of_load.items():
            for _ in range(_TRIES):
                pattern = self._walk(member, load, dear * (0.3 + 0.7 * self.random.random()))
                if pattern is None:
                    continue
                apart = sum(
                    abs(self.over[sort] + number) - abs(self.over[sort])
                    for sort, number in pattern.items.items()
                )
                apart += 1 if self.lacking[load] <= 0 else -1
                worth = pattern.cost + price + dear * apart
                if best is None or worth < best[0]:
                    best = worth, pattern
        return self.patterns[member] if best is None else best[1]

    def _walk(self, member: int, load: int, dear: float) -> _Pattern | None:
        """Items that turn the member's load into this one, step by step along nearly shortest paths."""
        transfers, held = self.transfers, self.transfers.held[member]
        unit, low, cost, size = transfers.unit, self.paths.low, self.paths.cost, transfers.size
        place = (transfers.homes[member] - load) // unit - low
        items, paid = Counter[Sort](), 0.0
        for _ in range(_LENGTH_MOST):
            if place == -low:
                return _Pattern(items, load, paid)
            best: tuple[float, int, Sort, int, int] | None = None
            for sort in transfers.sorts:
                own, amount = items[sort], sort[0] // unit
                over, price = self.over[sort] + own, self.prices[sort]
                for sign, there, step in (
                    (1, place - amount, price),
                    (-1, place + amount, _FINE * sort[1] - price),
                ):
                    if not 0 <= there < size or own * sign < 0:
                        continue
                    if sign > 0 and own >= len(held.get(sort, ())):
                        continue
                    worth = cost[there] + step + dear * (abs(over + sign) - abs(over))
                    worth += 0.06 * _FINE * self.random.random()
                    if best is None or worth < best[0]:
                        best = worth, there, sort, sign, step
            if best is None:
                return None
            _, place, sort, sign, step = best
            items[sort] += sign
            paid += step
        return None

    def owners(self) -> list[int]:
        """The owners after all transfers for which there are items; the others do not happen."""
        owner = [item.stays[0][0] if item.stays else 0 for item in self.transfers.packing.items]
        pool: dict[Sort, list[int]] = {}
        patterns = self.best[1]
        for member, pattern in enumerate(patterns):
            for sort, number in pattern.items.items():
                if number > 0:
                    pool.setdefault(sort, []).extend(self.transfers.held[member][sort][:number])
        for member, pattern in enumerate(patterns):
            for sort, number in pattern.items.items():
                for _ in range(-number):
                    if pool.get(sort):
                        owner[pool[sort].pop()] = member
        return owner
