"""The least payment of a packing in moves and mismatches: prices on members (Lagrange's bound).

If member b has price[b] for each unit of weight and sorted loads stay within sorted limits, then

    sum over items of min over members (cost + weight * price)
  - sum of the sorted prices times the sorted limits

is paid, for any non-negative prices, since no loads within the limits collect more (the rearrangement
inequality). Where the loads equal the limits prices may be negative. Good prices come from subgradient steps
(Polyak's rule) and are rounded to whole numbers of 1 / SCALE, so that the bound is exact arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from kassay.solver.packing.items import Item, Packing

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
        weight, away = item.weight, item.claimed * self.move
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
