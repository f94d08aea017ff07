"""Every packing of a few units, examined by the checker itself, up to a bound on its work.

Partial packings with the same loads, and the same future for every member, are one; only the cheapest of them
is kept. A partial packing whose loads exceed the stated ones is dropped, since loads only grow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from kassay.solver.check.packing.units import PackedUnits, Unit
from kassay.solver.check.refusal import require

UNITS_MOST: Final = 64
WORK_MOST: Final = 200_000
"""The checker refuses after this number of placings of a unit on a member."""


class Complete(NamedTuple):
    """Loads, heaviest first, of some packing, and the least cost with them: moves and mismatches."""

    loads: tuple[int, ...]
    moves: int
    mismatches: int


class Scales(NamedTuple):
    """The weights of a unit of movement and of a mismatch, so that their order is lexicographic."""

    move: int
    wrong: int


def complete(
    packed: PackedUnits, most: Sequence[int], scales: Scales, budget: int | None, apart: bool = False
) -> list[Complete]:
    """The loads that are no worse than `most`, heaviest first, each with its cheapest packing.

    The cheapest packing may have more moves than another, and so exceed the budget: `apart` keeps packings
    with other numbers of moves as well. Raises `RefusedError` where there are too many packings.
    """
    require(len(packed.units) <= UNITS_MOST, "there are too many units to look at all packings")
    units = sorted(packed.units, key=lambda unit: (not unit.had, -unit.weight))
    cheapest = {((0,) * len(packed.ids), 0): (0, 0, 0)}
    work = 0
    for number, unit in enumerate(units):
        work += len(cheapest) * len(unit.able)
        require(work <= WORK_MOST, "there are too many packings to look at all of them")
        twins = _twins(packed, units[number + 1 :])
        places = [(m, cost_of(unit, m), packed.mismatch(unit, m)) for m in unit.able]
        following: dict[tuple[tuple[int, ...], int], tuple[int, int, int]] = {}
        for (loads, _), (_, moves, mismatches) in cheapest.items():
            for m, cost, wrong in places:
                grown = list(loads)
                grown[m] += unit.weight
                if sorted(grown, reverse=True) > list(most):
                    continue
                paid = (moves + cost, mismatches + wrong)
                if budget is not None and paid[0] > budget:
                    continue
                price = scales.move * paid[0] + scales.wrong * paid[1]
                key = _sorted_among_twins(grown, twins), paid[0] if apart else 0
                if key not in following or price < following[key][0]:
                    following[key] = (price, *paid)
        cheapest = following
    return [
        Complete(tuple(sorted(loads, reverse=True)), moves, mismatches)
        for (loads, _), (_, moves, mismatches) in cheapest.items()
    ]


def cost_of(unit: Unit, member: int) -> int:
    """The cost of the moves that the unit makes on a member."""
    if member not in unit.had:
        return sum(unit.costs)
    return sum([cost for owner, cost in zip(unit.had, unit.costs, strict=True) if owner != member])


def _twins(packed: PackedUnits, rest: Sequence[Unit]) -> list[list[int]]:
    """The members that the rest of the units cannot distinguish, in groups of two or more."""
    owners = {m for unit in rest for m in unit.had}
    racked = any(unit.racks for unit in rest)
    able = list({id(unit.able): unit.able for unit in rest}.values())
    groups: dict[tuple[object, ...], list[int]] = {}
    for m, rack in enumerate(packed.racks):
        if m not in owners:
            key = (rack if racked else None, *(m in readers for readers in able))
            groups.setdefault(key, []).append(m)
    return [group for group in groups.values() if len(group) > 1]


def _sorted_among_twins(loads: list[int], twins: list[list[int]]) -> tuple[int, ...]:
    for group in twins:
        for m, load in zip(group, sorted(loads[m] for m in group), strict=True):
            loads[m] = load
    return tuple(loads)
