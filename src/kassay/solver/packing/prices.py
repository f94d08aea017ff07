"""How many moves a packing needs at the least: prices on members (Lagrange's bound).

If member b asks lambda[b] for each unit of weight (a negative price is a gift), and everybody carries
from `low` to `top`, then

    sum over items of min over members (moves + weight * lambda)
  - sum over members of max(top * lambda, low * lambda)

moves are needed, whatever the prices. Good prices come from subgradient steps (Polyak's rule) and
are rounded to whole numbers of 1 / SCALE, so that the bound is exact arithmetic.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from kassay.solver.packing.items import Packing

SCALE: Final = 10**8
_STEPS: Final = 400


@dataclass(frozen=True)
class MovesBound:
    """At least `moves` partitions move where everybody carries from `low` to `top`: `prices` prove it."""

    low: int
    top: int
    prices: tuple[int, ...]
    moves: int


def moves_bound(packing: Packing, low: int, top: int, prices: Sequence[int]) -> int:
    """The moves that these prices prove necessary, never negative."""
    cheapest = [min(prices[m] for m in able) for able in packing.sets]
    total = -sum(max(top * price, low * price) for price in prices)
    for item, position in zip(packing.items, packing.set_of, strict=True):
        away = item.claimed * SCALE + item.weight * cheapest[position]
        stay = ((item.claimed - count) * SCALE + item.weight * prices[m] for m, count in item.stays)
        total += min(away, *stay) if item.stays else away
    return max(0, -(-total // SCALE))


def fewest_moves(packing: Packing, low: int, top: int, goal: int, deadline: float) -> MovesBound:
    """The best such bound found; `goal`, the moves of a packing at hand, is the most it can be."""
    members = packing.members
    prices = [0.0] * members
    best_prices = [0] * members
    best = moves_bound(packing, low, top, best_prices)
    for step in range(_STEPS):
        if best >= goal or time.monotonic() > deadline:
            break
        value, slope = _value_and_slope(packing, low, top, prices)
        length = sum(s * s for s in slope)
        if not length:
            break
        pace = 1.5 * 0.99**step * max(goal - value, 0.1) / length
        prices = [price + pace * s for price, s in zip(prices, slope, strict=True)]
        if not low:
            prices = [max(0.0, price) for price in prices]
        rounded = [round(price * SCALE) for price in prices]
        proven = moves_bound(packing, low, top, rounded)
        if proven > best:
            best, best_prices = proven, rounded
    return MovesBound(low, top, tuple(best_prices), best)


def _value_and_slope(
    packing: Packing, low: int, top: int, prices: Sequence[float]
) -> tuple[float, list[float]]:
    """The bound at these prices, and how it changes with each of them."""
    cheapest = [min(able, key=prices.__getitem__) for able in packing.sets]
    value = -sum(max(top * price, low * price) for price in prices)
    slope = [-float(top if price >= 0 else low) for price in prices]
    for item, position in zip(packing.items, packing.set_of, strict=True):
        choice = cheapest[position]
        cost = item.moved(choice) + item.weight * prices[choice]
        for member, count in item.stays:
            other = item.claimed - count + item.weight * prices[member]
            if other < cost:
                choice, cost = member, other
        value += cost
        slope[choice] += item.weight
    return value, slope
