"""Co-partitioned bundles of different sizes: an interval for the balance, and what is in it.

To balance them is strongly NP-hard (3-PARTITION: a group of a_i one-partition topics per item).
Below: the optimum without co-partitioning, which `optimum` finds exactly, as prices that also know
the bundles: with price[b] a partition on member b,

    sum over bundles of min over members (cost + size * price)
  + sum over members of min over x of (BALANCE * x^2 - price * x)

is less than any packing pays, the cost being the moves and rack mismatches in their order and
BALANCE dearer than all of them. Above: bundles of one size at a time are packed exactly around the
others (`exchange`), largest first, until nothing changes. Where the two meet all is proven.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from kassay.solver.algorithms.exchange import cheapest
from kassay.solver.algorithms.levels import levels
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.consumers.optimum import optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bundle_bounds import grain_bound, range_of_loads
from kassay.solver.packing.items import Item, Packing
from kassay.solver.packing.prices import MovesBound, fewest_moves
from kassay.solver.packing.search import PackingSearch, longest_first

_ROUNDS: Final = 6
_MEMBERS_MOST: Final = 300


@dataclass(frozen=True)
class Costs:
    """What a move, a rack mismatch and one unit of squared load cost, so that the order is lexicographic."""

    move: int
    mismatch: int
    balance: int

    @classmethod
    def of(cls, problem: Problem, order: tuple[str, ...]) -> Costs:
        """The costs for a problem and an order of objectives."""
        dear = 1 + sum(topic.partitions for topic in problem.topics)
        move, mismatch = (dear, 1) if order == MOVEMENT_FIRST else (1, dear)
        return cls(move, mismatch, dear * (dear + 1))

    def of_item(self, packing: Packing, item: Item, member: int) -> int:
        """What the moves and mismatches cost that an item makes on a member."""
        return self.move * item.moved(member) + self.mismatch * packing.mismatch(item, member)


@dataclass(frozen=True)
class PackedBundles:
    """A packing of bundles with its bounds: the sum of squared loads is between `lower` and `upper`.

    `bound` is what any packing pays at least in all (see the module), `paid` what this one pays.
    `grain` is the size whose multiples prove `lower` (see `grain_bound`), 0 where the prices prove it.
    """

    packing: Packing
    order: tuple[str, ...]
    owner: tuple[int, ...]
    costs: Costs
    prices: tuple[int, ...]
    bound: int
    paid: int
    grain: int
    lower: int
    upper: int
    moved: int
    moves: MovesBound

    @property
    def proven(self) -> tuple[str, ...]:
        """The objectives, in order, of which the best is proven."""
        if self.lower != self.upper:
            return ()
        if self.bound == self.paid:
            return self.order
        second = self.moved == self.moves_lower
        return self.order[:2] if self.order == MOVEMENT_FIRST and second else self.order[:1]

    @property
    def moves_lower(self) -> int:
        """The moves that are proven necessary with the balance of `upper`."""
        rest = self.bound - self.costs.balance * self.upper
        priced = rest // self.costs.move if self.order == MOVEMENT_FIRST else 0
        return max(priced, self.moves.moves)


def pack_bundles(
    problem: Problem, order: tuple[str, ...] = MOVEMENT_FIRST, time_limit_s: float = 10.0
) -> PackedBundles:
    """The best packing found, and how good any could be."""
    deadline = time.monotonic() + time_limit_s
    packing, costs = Packing.of(problem, weighted=False), Costs.of(problem, order)
    search = _Search(packing, costs)
    prices = _relaxed_prices(problem, order, costs)
    bound = lowest_payment(packing, costs, prices)
    owner = search.run(bound, deadline)
    sizes = [item.size for item in packing.items]
    grains = range(2, max(sizes, default=1) + 1)
    rough, grain = max(((grain_bound(sizes, packing.members, g), g) for g in grains), default=(0, 0))
    loads = packing.loads(owner)
    return PackedBundles(
        packing,
        order,
        tuple(owner),
        costs,
        prices,
        bound,
        search.paid(owner),
        grain if rough > max(0, bound // costs.balance) else 0,
        max(0, bound // costs.balance, rough),
        sum(load * load for load in loads),
        packing.moved(owner),
        fewest_moves(packing, *range_of_loads(loads), packing.moved(owner), deadline),
    )


def _relaxed_prices(problem: Problem, order: tuple[str, ...], costs: Costs) -> tuple[int, ...]:
    """The prices of the optimum without co-partitioning: of balance by level, of the rest inside it."""
    relaxed = replace(problem, copartition=())
    inside = optimum(relaxed, order).prices
    sets: dict[tuple[int, ...], int] = {}
    for topic in relaxed.topics:
        if topic.name in relaxed.subscribers:
            readers = relaxed.subscribers[topic.name]
            sets[readers] = sets.get(readers, 0) + topic.partitions
    prices = [0] * len(problem.members)
    for level in levels(len(problem.members), list(sets), list(sets.values())):
        # Between what the last unit cost and what the next would: in the middle where all have `low`.
        step = 2 * level.low + 1 if level.high else 2 * level.low
        ranked = sorted((inside[m] for m in level.members), reverse=True)
        middle = ranked[max(level.high, 1) - 1]
        for m in level.members:
            prices[m] = costs.balance * step + inside[m] - middle
    return tuple(prices)


def lowest_payment(packing: Packing, costs: Costs, prices: Sequence[int]) -> int:
    """What any packing pays at least, proven by these prices."""
    total = 0
    cheapest = [sorted(able, key=prices.__getitem__) for able in packing.sets]
    for item, position in zip(packing.items, packing.set_of, strict=True):
        total += _least(packing, item, cheapest[position], costs, prices)
    for price in prices:
        # The integer minimum of a parabola lies next to its vertex.
        near = price // (2 * costs.balance)
        total += min(costs.balance * x * x - price * x for x in (max(near, 0), max(near + 1, 0)))
    return total


def _least(packing: Packing, item: Item, cheapest: Sequence[int], costs: Costs, prices: Sequence[int]) -> int:
    best: int | None = None
    for m in cheapest:
        if best is not None and item.size * prices[m] >= best:
            break
        value = costs.of_item(packing, item, m) + item.size * prices[m]
        best = value if best is None else min(best, value)
    assert best is not None
    return best


class _Search:
    """Sizes in turn, each packed exactly around the rest."""

    def __init__(self, packing: Packing, costs: Costs) -> None:
        self.packing = packing
        self.costs = costs
        self.by_size: dict[int, list[int]] = {}
        for number, item in enumerate(packing.items):
            self.by_size.setdefault(item.size, []).append(number)

    def paid(self, owner: Sequence[int]) -> int:
        loads = self.packing.loads(owner)
        cost = sum(
            self.costs.of_item(self.packing, item, m)
            for item, m in zip(self.packing.items, owner, strict=True)
        )
        return cost + self.costs.balance * sum(load * load for load in loads)

    def run(self, bound: int, deadline: float) -> list[int]:
        best = longest_first(self.packing)
        if self.packing.members > _MEMBERS_MOST:
            return best
        starts: list[list[int | None]] = [[None] * len(best), [*best]]
        for start in starts:
            owner = self._bring_home(self._descend(start, bound, deadline), deadline)
            if self.paid(owner) < self.paid(best):
                best = owner
        return best

    def _descend(self, start: Sequence[int | None], bound: int, deadline: float) -> list[int]:
        owner = list(start)
        before: int | None = None
        for _ in range(_ROUNDS):
            for size in sorted(self.by_size, reverse=True):
                if None in owner or time.monotonic() < deadline:
                    self._pack_size(size, owner)
            whole = [m for m in owner if m is not None]
            paid = self.paid(whole)
            if paid in (bound, before) or time.monotonic() > deadline:
                break
            before = paid
        return whole

    def _bring_home(self, owner: list[int], deadline: float) -> list[int]:
        """Let pairs part their bundles anew at less cost, their loads no further apart."""
        draft = PackingSearch(self.packing, owner)
        changed = True
        while changed:
            changed = False
            for first, second in draft.astray():
                if time.monotonic() > deadline:
                    return draft.owner
                kept, paid = list(draft.owner), self.paid(draft.owner)
                if not draft.fewer_moves(first, second, max(draft.loads[first], draft.loads[second])):
                    continue
                if self.paid(draft.owner) < paid:
                    changed = True
                else:
                    draft = PackingSearch(self.packing, kept)
        return draft.owner

    def _pack_size(self, size: int, owner: list[int | None]) -> None:
        """Pack the bundles of one size anew, as cheaply as the others let them."""
        numbers, items, members = self.by_size[size], self.packing.items, self.packing.members
        base = [0] * members
        for item, m in zip(items, owner, strict=True):
            if m is not None and item.size != size:
                base[m] += item.size
        costs = [{m: self.costs.of_item(self.packing, items[i], m) for m in items[i].able} for i in numbers]
        balance = self.costs.balance

        def marginal(place: int, count: int) -> int:
            held = base[place] + size * count
            return balance * ((held + size) ** 2 - held**2)

        picks = cheapest(members, costs, 1, marginal).picks
        for i, picked in zip(numbers, picks, strict=True):
            owner[i] = next(iter(picked))
