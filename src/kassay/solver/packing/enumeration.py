"""Every packing of a few items, with partial packings of equal future counted once.

Items are placed one after another. Two partial packings with the same loads continue in the same way, and so
do two whose loads differ only between members that no later item distinguishes; only the cheapest of them is
kept.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

from kassay.solver.packing.bounds import tolerance_base
from kassay.solver.packing.items import Packing
from kassay.solver.packing.terms import Terms

ITEMS_MOST: Final = 40
"""The most items that are enumerated, however few members there are."""
STEPS_MOST: Final = 20_000
"""The most placings of an item on a member before the enumeration gives up."""


class _Partial(NamedTuple):
    """A partial packing: its loads, moves and cost, and the members of the items so far."""

    loads: tuple[int, ...]
    moves: int
    cost: int
    places: tuple[int, ...]


def best_of_all(
    packing: Packing, terms: Terms, owner: Sequence[int], deadline: float = inf
) -> tuple[int, ...] | None:
    """The best packing of all, no worse than `owner`; None where there are too many, or too little time."""
    items = packing.items
    if len(items) > ITEMS_MOST:
        return None
    order = sorted(range(len(items)), key=lambda i: (not items[i].stays, -items[i].weight, i))
    complete = _complete(packing, terms, order, owner, deadline)
    if complete is None:
        return None
    lightest = min(max(partial.loads) for partial in complete)
    cap = None if terms.tolerance is None else max(terms.cap(tolerance_base(packing)) or 0, lightest)

    def worth(partial: _Partial) -> tuple[list[int], int]:
        return [] if cap is not None else sorted(partial.loads, reverse=True), partial.cost

    allowed = (partial for partial in complete if cap is None or max(partial.loads) <= cap)
    best = min(allowed, key=worth)
    given = [0] * len(items)
    for i, member in zip(order, best.places, strict=True):
        given[i] = member
    return tuple(given)


def _complete(
    packing: Packing, terms: Terms, order: Sequence[int], owner: Sequence[int], deadline: float
) -> list[_Partial] | None:
    """The cheapest packing for each of the loads that can be as good as those of `owner`."""
    items = packing.items
    move, wrong = terms.scales(packing)
    known = sorted(packing.loads(owner), reverse=True)
    if terms.tolerance is not None:
        # Any packing may be the lightest, and none above its limit is useful.
        known = [max(terms.cap(tolerance_base(packing)) or 0, known[0])] * packing.members
    partials = [_Partial((0,) * packing.members, 0, 0, ())]
    steps = 0
    for turn, i in enumerate(order):
        item = items[i]
        following: dict[tuple[tuple[tuple[int, int], ...], int], _Partial] = {}
        costs = [(m, item.moved(m), packing.mismatch(item, m)) for m in item.able]
        steps += len(partials) * len(costs)
        if steps > STEPS_MOST or time.monotonic() > deadline:
            return None
        first_like = _alike(packing, order[turn + 1 :])
        for partial in partials:
            for m, moved, mismatch in costs:
                loads = list(partial.loads)
                loads[m] += item.weight
                moves = partial.moves + moved
                if sorted(loads, reverse=True) > known or (terms.budget is not None and moves > terms.budget):
                    continue
                cost = partial.cost + move * moved + wrong * mismatch
                # The cheapest packing for racks may have no room left in the budget.
                key = tuple(sorted(zip(first_like, loads, strict=True))), moves if terms.bounds_racks else 0
                kept = following.get(key)
                if kept is None or cost < kept.cost:
                    following[key] = _Partial(tuple(loads), moves, cost, (*partial.places, m))
        partials = list(following.values())
    return partials


def _alike(packing: Packing, rest: Sequence[int]) -> list[int]:
    """For each member the first one that no item of the rest distinguishes from it."""
    items = packing.items
    racked = any(items[i].racks for i in rest)
    first: dict[object, int] = {}
    numbers = []
    sets = dict.fromkeys(items[i].able for i in rest)
    inside = [frozenset(able) for able in sets]
    had = [{m for m, _ in items[i].stays} for i in rest if items[i].stays]
    for m in range(packing.members):
        mine = (
            tuple(m in able for able in inside),
            tuple(m in owners for owners in had) if any(m in owners for owners in had) else None,
            packing.racks[m] if racked else None,
        )
        numbers.append(first.setdefault(mine if mine[1] is None else (m, *mine), m))
    return numbers
