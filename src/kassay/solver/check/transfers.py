"""A bound on the moves of every packing with given loads, from what each member has to pass on or take.

Each move is paid in two parts: its member of before pays the price of the item's sort (weight and cost), the
member that takes the item the rest of the cost. Whatever the prices, a member whose load changes by some
amount pays at least the cheapest set of items passed on and taken that makes up the amount, however many
items of each sort there are. These sums are shortest paths from 0 to the amount. Loads have prices too, of
which every packing pays the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from heapq import heappop, heappush
from math import gcd
from typing import Final, NamedTuple

from kassay.solver.check.packing import SCALE, PackedUnits
from kassay.solver.check.shapes import (
    COUNT,
    POSITIVE,
    WHOLE,
    Document,
    Shape,
    record,
    require,
    rows,
)

TRANSFERS: Final[Shape] = record(
    {
        "sorts": rows(record({"weight": POSITIVE, "cost": COUNT, "price": COUNT})),
        "loads": rows(record({"load": COUNT, "price": WHOLE})),
    }
)
"""Prices of sorts of items and of loads, in 1 / SCALE."""
_WORK_MOST: Final = 1 << 25
"""The most amounts, times ways to change them, that are looked at."""
_ENDLESS: Final = 1 << 100


class _Step(NamedTuple):
    """A change of an amount by one item, and what it costs."""

    amount: int
    cost: int


def least_transfers(packed: PackedUnits, loads: Sequence[int], proof: Document) -> int:
    """The least cost of moves of every packing with these sorted loads, as the prices prove it."""
    homes = [0] * len(packed.ids)
    sorts, unowned = set[tuple[int, int]](), set[int]()
    for unit in packed.units:
        require(len({*unit.had}) < 2, "transfers are of units with one previous owner at the most")
        if unit.weight and unit.had:
            homes[unit.had[0]] += unit.weight
            sorts.add((unit.weight, sum(unit.costs)))
        elif unit.weight:
            unowned.add(unit.weight)
    prices = {(row["weight"], row["cost"]): row["price"] for row in proof["sorts"]}
    of_load = {row["load"]: row["price"] for row in proof["loads"]}
    require(len(prices) == len(proof["sorts"]) and prices.keys() == sorts, "each sort has one price")
    require(len(of_load) == len(proof["loads"]) and of_load.keys() == set(loads), "each load has one price")
    steps = [_Step(-weight, 0) for weight in unowned]
    for (weight, cost), price in prices.items():
        require(price <= cost * SCALE, f"a price is above the cost {cost} of its move")
        steps += (_Step(weight, price), _Step(-weight, cost * SCALE - price))
    least = _least_paths(steps, {home - load for home in homes for load in of_load})
    paid = sum(min(least[home - load] + price for load, price in of_load.items()) for home in homes)
    paid -= sum(of_load[load] * number for load, number in Counter(loads).items())
    return max(0, -int(-paid // SCALE))


def _least_paths(steps: Sequence[_Step], amounts: Collection[int]) -> Mapping[int, int]:
    """The least cost of steps that sum to each amount.

    Steps that sum to an amount have an order in which no part of them leaves the range from 0 to the amount
    by more than the largest step.
    """
    unit = gcd(*(step.amount for step in steps), *amounts) or 1
    reach = max((abs(step.amount) for step in steps), default=0)
    low, high = (min(0, *amounts) - reach) // unit, (max(0, *amounts) + reach) // unit
    size = high - low + 1
    require(size * len(steps) <= _WORK_MOST, "transfers of so many amounts are not checked")
    ways = [(step.amount // unit, step.cost) for step in steps]
    cost, left = [_ENDLESS] * size, {amount // unit - low for amount in amounts}
    cost[-low] = 0
    heap, done = [-low], bytearray(size)
    while heap and left:
        so_far, place = divmod(heappop(heap), size)
        if done[place]:
            continue
        done[place] = 1
        left.discard(place)
        for amount, more in ways:
            there = place + amount
            if 0 <= there < size and so_far + more < cost[there]:
                cost[there] = so_far + more
                heappush(heap, (so_far + more) * size + there)
    return {amount: cost[amount // unit - low] for amount in amounts}
