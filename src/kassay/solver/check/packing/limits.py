"""Steps that prove the sorted loads of a packing least, and prices that prove its payment.

Loads are compared heaviest first. A better packing has, up to some position, the same loads, and there a
smaller one; so all its sorted loads are within the limits v1, ..., v(j-1), b - 1, ..., b - 1, where b is no
more than the load v(j). A step shows that no packing is within these limits. It holds for every earlier
position of the same load as well, since there the limits are even smaller.

* `mean`: the units that only some members may take exceed the heaviest limits of that many members. All loads
  are multiples of the weights' greatest common divisor; and a member that carries, of these units, only
  multiples of `grain` is limited to one.
* `count`: of the heaviest `items` that only those members may take, not all fit within these limits, since a
  limit holds no more of them than of the lightest ones.
* `moves`: for any non-negative prices, a packing within the limits pays the sum of each unit's cheapest
  choice, prices included, less the sorted prices times the sorted limits; that exceeds the budget.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import chain
from math import gcd
from typing import Final

from kassay.solver.check.packing.enumeration import Scales, cost_of
from kassay.solver.check.packing.units import SCALE, PackedUnits, Unit
from kassay.solver.check.refusal import Document, one_price_each, require
from kassay.solver.check.shapes import COUNT, NAME, POSITIVE, WHOLE, one_of, record, rows

DERIVED_SETS: Final = 300
"""The most sets of readers that are examined for the bound of a tolerance."""
STEP: Final = record(
    {
        "position": POSITIVE,
        "bound": COUNT,
        "by": one_of("mean", "count", "moves"),
        "members": rows(NAME),
        "items": COUNT,
        "grain": POSITIVE,
        "prices": rows(WHOLE),
    }
)
"""The load at `position` is at least `bound` if the heavier ones are as they are."""


def bounds(
    packed: PackedUnits, loads: Sequence[int], steps: Sequence[Document], budget: int | None
) -> list[int]:
    """Lower bounds of the loads (heaviest first): equal to them as far as that is proven, then one more.

    Raises `RefusedError` for a step that proves nothing.
    """
    unit = gcd(*(each.weight for each in packed.units)) or 1
    proven = 0
    for step in steps:
        position, bound = step["position"], step["bound"]
        require(proven < position <= len(loads), f"there is no step for position {position} here")
        load = loads[position - 1]
        require(loads[proven] == load, f"nothing is proven of the loads before position {position}")
        require(bound <= load, f"the load at position {position} is {load}, not {bound} at least")
        light = max(0, (bound - 1) // unit * unit)
        limits = [*loads[: position - 1], *[light] * (len(loads) - position + 1)]
        require(bound > 0, "a load of 0 needs no step")
        _refute(packed, limits, step, budget)
        if bound < load:
            require(position == proven + 1, "a bound below the load is for the first one that is not proven")
            require(step is steps[-1], "a step follows the bound")
            return [*loads[:proven], bound]
        proven = position
    if proven < len(loads) and not loads[proven]:
        proven = len(loads)
    return list(loads[:proven])


def _refute(packed: PackedUnits, limits: Sequence[int], step: Document, budget: int | None) -> None:
    """Refuse a step that does not show that no packing is within the limits."""
    if step["by"] == "moves":
        require(budget is not None, "without a budget moves bound no load")
        paid = least_paid(packed, limits, Scales(1, 0), step["prices"])
        require(
            budget is not None and paid > budget, f"the prices prove {paid} moves, which the budget allows"
        )
        return
    position = {member_id: m for m, member_id in enumerate(packed.ids)}
    require(set(step["members"]) <= position.keys(), "a step names a member that is not in the instance")
    inside = {position[member_id] for member_id in step["members"]}
    own = {key: inside.issuperset(able) for key, able in {id(u.able): u.able for u in packed.units}.items()}
    weights = sorted((u.weight for u in packed.units if own[id(u.able)]), reverse=True)
    heaviest = limits[: len(inside)]
    if step["by"] == "mean":
        grain = step["grain"]
        odd = sum(weight % grain > 0 for weight in weights)
        over = sorted((limit % grain for limit in heaviest), reverse=True)
        room = sum(heaviest) - sum(over[odd:])
        require(room < sum(weights), f"at position {step['position']} there is room for what is to carry")
        return
    items = step["items"]
    require(0 < items <= len(weights), "a step counts items that are not there")
    fit = {limit: _fit(weights[:items], limit) for limit in set(heaviest)}
    count = sum(fit[limit] for limit in heaviest)
    require(count < items, f"at position {step['position']} there is room for {count} of {items} items")


def _fit(weights: Sequence[int], limit: int) -> int:
    """How many of these fit within a limit, the lightest first."""
    count = 0
    for weight in reversed(weights):
        limit -= weight
        if limit < 0:
            break
        count += 1
    return count


def derived_heaviest(packed: PackedUnits) -> int:
    """The bound on the heaviest load from which a tolerance is measured: it depends on the instance alone.

    It is the highest of three for some members and what only they may take: the mean, rounded up to a
    multiple of the weights' greatest common divisor; the heaviest unit; and for each k the k + 1 lightest of
    the k * members + 1 heaviest units, because some member has k + 1 of those. The members are all, or the
    readers of one unit; of more than DERIVED_SETS such sets the smallest are examined.
    """
    grain = gcd(*(unit.weight for unit in packed.units)) or 1
    by_readers: dict[int, list[int]] = {}
    able = {id(unit.able): frozenset(unit.able) for unit in packed.units}
    for unit in packed.units:
        by_readers.setdefault(id(unit.able), []).append(unit.weight)
    readers = sorted({*able.values()}, key=lambda each: (len(each), sorted(each)))[:DERIVED_SETS]
    bound = 0
    for members in dict.fromkeys([*readers, frozenset[int]().union(*able.values())]):
        own = [by_readers[key] for key, each in able.items() if each <= members]
        weights = sorted(chain.from_iterable(own), reverse=True)
        number = len(members)
        for k in range((len(weights) - 1) // number + 1 if weights else 0):
            bound = max(bound, sum(weights[k * number - k : k * number + 1]))
        if weights:
            bound = max(bound, -(-sum(weights) // (number * grain)) * grain)
    return bound


def least_paid(packed: PackedUnits, limits: Sequence[int], scales: Scales, prices: list[int]) -> int:
    """The least payment of every packing with sorted loads within the limits, as the prices prove it.

    Prices (in 1 / SCALE for a unit of weight) may be negative where the limits sum to the total load.
    """
    prices = one_price_each(prices, len(packed.ids))
    exact = sum(limits) == sum(unit.weight for unit in packed.units)
    require(exact or all(price >= 0 for price in prices), "a price is below 0, and not all limits are met")
    total = -sum(
        price * limit
        for price, limit in zip(sorted(prices, reverse=True), sorted(limits, reverse=True), strict=True)
    )
    move, nearest = SCALE * scales.move, dict[int, list[int]]()
    away: dict[tuple[int, int, tuple[frozenset[str], ...]], int] = {}
    for unit in packed.units:
        key = (id(unit.able), unit.weight, tuple(unit.racks))
        least = away.get(key)
        if least is None:
            if key[0] not in nearest:
                nearest[key[0]] = _cheapest_of_each_rack(packed, unit, prices)
            least = away[key] = _least_away(packed, unit, nearest[key[0]], scales, prices)
        if unit.had:
            kept = [
                move * cost_of(unit, m)
                + SCALE * scales.wrong * packed.mismatch(unit, m)
                + unit.weight * prices[m]
                for m in unit.had
            ]
            least = min(move * sum(unit.costs) + least, *kept)
        total += least
    return max(0, -(-total // SCALE))


def _cheapest_of_each_rack(packed: PackedUnits, unit: Unit, prices: list[int]) -> list[int]:
    """For each rack where the unit may go the member with the least price, the cheapest of them first."""
    best: dict[str | None, int] = {}
    for m in unit.able:
        rack = packed.racks[m]
        if rack not in best or prices[m] < prices[best[rack]]:
            best[rack] = m
    return sorted(best.values(), key=prices.__getitem__)


def _least_away(
    packed: PackedUnits, unit: Unit, nearest: Sequence[int], scales: Scales, prices: list[int]
) -> int:
    """The least payment of the unit apart from its moves: on the cheapest member of a rack.

    Without racks the cheapest member of all is the first.
    """
    takers = nearest if unit.racks else nearest[:1]
    return min([SCALE * scales.wrong * packed.mismatch(unit, m) + unit.weight * prices[m] for m in takers])


def least_shed(packed: PackedUnits, limit: int) -> int:
    """The least cost of moving away what exceeds the limit on its previous owners.

    From each the units with the most weight for their cost leave first, the last in part: no choice of units
    moves as much for less.
    """
    held = Counter[int]()
    for unit in packed.units:
        for owner in unit.had if len(unit.had) < 2 else set(unit.had):
            held[owner] += unit.weight
    over = {owner for owner, weight in held.items() if weight > limit}
    kept: dict[int, list[tuple[int, int]]] = {owner: [] for owner in over}
    for unit in packed.units if over else ():
        for owner in over.intersection(unit.had):
            cost = sum([c for m, c in zip(unit.had, unit.costs, strict=True) if m == owner])
            kept[owner].append((unit.weight, cost))
    return sum(_least_left(own, held[owner] - limit) for owner, own in kept.items())


def _least_left(held: list[tuple[int, int]], excess: int) -> int:
    if excess <= 0:
        return 0
    total = Fraction(0)
    heavy = [h for h in held if h[0]]
    # Different ratios differ by at least 1 / scale: multiplied by scale and rounded down, they keep their
    # order.
    scale = max((weight for weight, _ in heavy), default=1) ** 2
    for weight, cost in sorted(heavy, key=lambda h: h[1] * scale // h[0]):
        if excess <= 0:
            break
        part = min(weight, excess)
        total += Fraction(cost * part, weight)
        excess -= part
    return -(-total.numerator // total.denominator)
