"""Bundles of few different sizes: one size at a time packed exactly around the others.

The largest first, as cheaply as the others allow in squared loads, then moves and rack mismatches
(`exchange`), repeatedly until nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from kassay.solver.algorithms.exchange import cheapest
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import longest_first
from kassay.solver.packing.terms import Terms

_ROUNDS: Final = 6
_MEMBERS_MOST: Final = 300


def packed_by_weight(packing: Packing, terms: Terms, deadline: float) -> list[int]:
    """The better of two such packings: from nothing, and around the longest first."""
    start = longest_first(packing)
    if packing.members > _MEMBERS_MOST:
        return start
    turns = _Turns(packing, terms)
    descents = [turns.descend([None] * len(start), deadline), turns.descend(start, deadline), start]
    return min((whole for whole in descents if whole is not None), key=turns.paid)


class _Turns:
    """A descent in which each weight is packed exactly around the others, one weight at a time."""

    def __init__(self, packing: Packing, terms: Terms) -> None:
        self.packing = packing
        self.scales = terms.scales(packing)
        self.dear = 1 + self.scales[0] * sum(item.claimed for item in packing.items)
        self.dear += self.scales[1] * sum(len(item.racks) for item in packing.items)
        self.by_weight: dict[int, list[int]] = {}
        for number, weight in enumerate(packing.weights):
            self.by_weight.setdefault(weight, []).append(number)

    def paid(self, owner: Sequence[int]) -> int:
        """Squared loads, then the cost of moves and mismatches."""
        squares = sum(load * load for load in self.packing.loads(owner))
        return self.dear * squares + sum(self._cost(i, m) for i, m in enumerate(owner))

    def _cost(self, number: int, member: int) -> int:
        item = self.packing.items[number]
        return self.scales[0] * item.moved(member) + self.scales[1] * self.packing.mismatch(item, member)

    def _costs(self, number: int) -> dict[int, int]:
        """The cost of an item with each member that may take it."""
        item = self.packing.items[number]
        if item.racks:
            return {m: self._cost(number, m) for m in item.able}
        costs = dict.fromkeys(item.able, self.scales[0] * item.claimed)
        costs.update((m, self._cost(number, m)) for m, _ in item.stays if m in costs)
        return costs

    def descend(self, start: Sequence[int | None], deadline: float) -> list[int] | None:
        """The packing after repeated turns, while those improve it; None where there is no time."""
        owner = list(start)
        before: int | None = None
        for _ in range(_ROUNDS):
            for weight in sorted(self.by_weight, reverse=True):
                if time.monotonic() < deadline:
                    self._pack(weight, owner, deadline)
            whole = [m for m in owner if m is not None]
            if len(whole) < len(owner):
                return None
            paid = self.paid(whole)
            if paid == before or time.monotonic() > deadline:
                break
            before = paid
        return whole

    def _pack(self, weight: int, owner: list[int | None], deadline: float) -> None:
        """Repack the items of one weight, as cheaply as the others and the time allow."""
        numbers, items, members = self.by_weight[weight], self.packing.items, self.packing.members
        base = [0] * members
        for item, m in zip(items, owner, strict=True):
            if m is not None and item.weight != weight:
                base[m] += item.weight
        costs = [self._costs(i) for i in numbers]

        def marginal(place: int, count: int) -> int:
            held = base[place] + weight * count
            return self.dear * ((held + weight) ** 2 - held**2)

        picks = cheapest(members, costs, 1, marginal, deadline).picks
        for i, picked in zip(numbers, picks, strict=True):
            owner[i] = next(iter(picked))
