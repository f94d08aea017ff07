"""Items of equal weight: the cheapest packing whose sorted loads are within limits, by one flow.

With sorted limits the room is a network's: each member takes the least limit, and the excess of a limit
over the next smaller one is a band that as many members may use as have that limit (Gale and Ryser:
loads within every such band are within the sorted limits). So the best loads under a budget of moves are
found one after another: the least heaviest load of any packing within the budget, the fewest members
with it, and so on. An infeasible step leaves a cut or prices that prove it.

Balanced owners of the exact method whose cost was not minimised in time are packings as well: its levels
are the steps for their loads, its prices bound their cost.

*Bundles* of few different sizes: one size at a time is packed exactly around the others.
The largest first, as cheaply as the others let it in squared loads, then moves and rack mismatches
(`exchange`), in turns until nothing changes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from kassay.solver.algorithms.exchange import cheapest
from kassay.solver.algorithms.levels import Level
from kassay.solver.groups.hub import Aggregate, Band, Hubs, aggregate
from kassay.solver.groups.optimum import Balanced, weigh
from kassay.solver.packing.bounds import BY_MEAN, BY_MOVES, SCALE, LoadStep
from kassay.solver.packing.items import Packing, Terms
from kassay.solver.packing.search import longest_first
from kassay.solver.results import NO_OWNER


class Within(NamedTuple):
    """The result of a flow: owners with the prices that prove their cost, or members that are too few.

    `prices` are one a member, in units of cost; `crowded` is empty where every item found an owner. If the
    time ran out all are empty.
    """

    owner: tuple[int, ...]
    prices: tuple[int, ...]
    crowded: tuple[int, ...]


class Lexicographic(NamedTuple):
    """The best loads under a budget: owners, the loads heaviest first, and a proof step for each of them.

    If the time ran out, `late`, there are fewer steps.
    """

    owner: tuple[int, ...]
    loads: list[int]
    steps: tuple[LoadStep, ...]
    late: bool


class Flows:
    """The flows of one packing whose items weigh the same; each stops at the deadline."""

    def __init__(self, packing: Packing, deadline: float) -> None:
        self.packing = packing
        self.deadline = deadline
        self.counted: Aggregate = aggregate(packing.problem)
        self.unit = packing.weights[0] if packing.weights else 1

    def cheapest(self, limits: Sequence[int], move: int, wrong: int) -> Within:
        """The cheapest packing within limits (in weight, heaviest first) at these costs."""
        if self.late:
            return Within((), (), ())
        members = range(self.packing.members)
        hubs = Hubs(
            members,
            _bands([limit // self.unit for limit in limits]),
            self.packing.racks,
            self.counted.sets,
            lambda moved, mismatched: move * moved + wrong * mismatched,
        )
        hubs.build(self.counted.classes)
        network = hubs.network
        if network.cheapest(hubs.SOURCE, hubs.SINK, deadline=self.deadline) < self.counted.units:
            if self.late:
                return Within((), (), ())
            reached = network.reachable([hubs.SOURCE])
            return Within((), (), tuple(m for m in members if reached[hubs.member[m]]))
        owner = [NO_OWNER] * self.counted.units
        hubs.owners(owner)
        end = network.potential[hubs.SINK]
        prices = tuple(max(0, end - network.potential[hubs.member[m]]) for m in members)
        return Within(tuple(owner), prices, ())

    @property
    def late(self) -> bool:
        """Whether the time has run out."""
        return time.monotonic() > self.deadline

    def racks_within(self, limits: Sequence[int], budget: int) -> tuple[Within, tuple[int, int]]:
        """Few mismatches within limits and budget, and the weights of a move and a mismatch in their proof.

        Of the pairs (moves, mismatches) that packings have, flows find those on the lower edge: the weights
        come from the last two pairs around the budget, until a flow finds nothing below them. No packing is
        below the line through those two, and all exchanges that lead from one to the other stay on it.
        Without owners if the time ran out, or if no packing is within the budget.
        """
        packing = self.packing

        def point(within: Within) -> tuple[int, int]:
            return packing.moved(within.owner), packing.mismatched(within.owner)

        racks_first = 1, 1 + sum(item.owned for item in packing.items)
        over = self.cheapest(limits, *racks_first)
        if not over.owner or point(over)[0] <= budget:
            return over, racks_first
        moves_first = 1 + sum(len(item.racks) for item in packing.items), 1
        under = self.cheapest(limits, *moves_first)
        if not under.owner or point(under)[0] > budget:
            return Within((), (), ()), moves_first
        while True:
            (far, few), (near, many) = point(over), point(under)
            scales = many - few, far - near
            middle = self.cheapest(limits, *scales)
            if not middle.owner:
                return middle, scales
            moves, mismatches = point(middle)
            if scales[0] * moves + scales[1] * mismatches == scales[0] * near + scales[1] * many:
                owner = between(packing, under.owner, over.owner, budget)
                return Within(owner, middle.prices, ()), scales
            if moves > budget:
                over = middle
            else:
                under = middle

    def refused(
        self, limits: Sequence[int], budget: int | None, step: LoadStep
    ) -> tuple[Within, LoadStep | None]:
        """A packing within the limits and the budget, or the step that proves that there is none."""
        within = self.cheapest(limits, int(budget is not None), 0)
        if within.crowded:
            return within, step._replace(by=BY_MEAN, members=within.crowded)
        if within.owner and budget is not None and self.packing.moved(within.owner) > budget:
            prices = tuple(price * SCALE // self.unit for price in within.prices)
            return within, step._replace(by=BY_MOVES, prices=prices)
        return within, None

    def lexicographic(self, owner: Sequence[int], budget: int | None) -> Lexicographic:
        """The best loads within the budget, from a packing that is within it."""
        best = tuple(owner)
        unit, members = self.unit, self.packing.members
        fixed: list[int] = []
        steps: list[LoadStep] = []
        late = False
        while len(fixed) < members:
            loads = sorted(self.packing.loads(best), reverse=True)
            if not loads[len(fixed)]:
                break
            rest = members - len(fixed)
            search = _Descent(self, budget, best)
            done = len(fixed)

            def of_top(value: int, fixed: list[int] = fixed, rest: int = rest) -> list[int]:
                return [*fixed, *[value * unit] * rest]

            top = search.least(0, loads[done] // unit, of_top, done + 1) * unit

            def of_count(count: int, fixed: list[int] = fixed, rest: int = rest, top: int = top) -> list[int]:
                return [*fixed, *[top] * count, *[top - unit] * (rest - count)]

            now = sorted(self.packing.loads(search.best), reverse=True).count(top)
            now -= fixed.count(top)
            count = search.least(0, now, of_count, done)
            best = search.best
            if search.late or search.step is None:
                late = True
                break
            fixed += [top] * count
            steps.append(search.step._replace(position=len(fixed), bound=top))
        return Lexicographic(best, sorted(self.packing.loads(best), reverse=True), tuple(steps), late)


class _Descent:
    """A search for the least number whose limits some packing keeps; the proof for the next smaller one."""

    def __init__(self, flows: Flows, budget: int | None, best: tuple[int, ...]) -> None:
        self.flows = flows
        self.budget = budget
        self.best = best
        self.step: LoadStep | None = None
        self.late = False

    def least(self, low: int, high: int, limits: Callable[[int], list[int]], position: int) -> int:
        """The least number from `low` to `high`, whose limits the best packing so far keeps."""
        self.step = None
        while low < high and not self.late:
            middle = (low + high) // 2
            within, step = self.flows.refused(limits(middle), self.budget, LoadStep(position, 0, BY_MEAN))
            if step is None and not within.owner:
                self.late = True
            elif step is None:
                self.best, high = within.owner, middle
            else:
                self.step, low = step, middle + 1
        return high


def between(packing: Packing, under: Sequence[int], over: Sequence[int], budget: int) -> tuple[int, ...]:
    """The owners of the first packing, with exchanges towards the second as far as the budget allows.

    An exchange is a cycle of members in which each passes an item to the next, so that no load changes.
    """
    owner = list(under)
    left = budget - packing.moved(under)
    exchanges = []
    for cycle in _cycles(under, over):
        more = sum(packing.items[i].moved(over[i]) - packing.items[i].moved(under[i]) for i in cycle)
        if more > 0:
            exchanges.append((more, cycle))
    for more, cycle in sorted(exchanges, reverse=True):
        if more <= left:
            left -= more
            for i in cycle:
                owner[i] = over[i]
    return tuple(owner)


def _cycles(under: Sequence[int], over: Sequence[int]) -> Iterator[list[int]]:
    """Cycles of items that change owners, each from its owner in the first packing to that in the second."""
    leaving: dict[int, list[int]] = {}
    for i, (old, new) in enumerate(zip(under, over, strict=True)):
        if old != new:
            leaving.setdefault(old, []).append(i)
    for start in list(leaving):
        path: list[int] = []
        members = [start]
        while members:
            waiting = leaving.get(members[-1])
            if not waiting:
                # No item leaves here: the path so far is in no cycle.
                members.pop()
                if path:
                    path.pop()
                continue
            item = waiting.pop()
            path.append(item)
            new = over[item]
            if new in members:
                first = members.index(new)
                yield path[first:]
                del path[first:], members[first + 1 :]
            else:
                members.append(new)


def _bands(limits: Sequence[int]) -> list[Band]:
    """The bands of sorted limits, the widest first."""
    ascending = [(limit, len(list(same))) for limit, same in groupby(sorted(limits))]
    bands, below, places = [], 0, len(limits)
    for limit, count in ascending:
        bands.append(Band(limit - below, places))
        below, places = limit, places - count
    return bands


def level_steps(packing: Packing, balanced: Balanced) -> tuple[LoadStep, ...]:
    """A step for each load: members of the levels that reach it carry at least what only they may take."""
    weight = next(iter(packing.weights), 1)
    loads = sorted(packing.loads(balanced.owner), reverse=True)
    steps: list[LoadStep] = []
    position = 0
    for load, run in groupby(loads):
        position += len(list(run))
        if load:
            heavy = (level.members for level in balanced.by_weight if weight * _top(level) >= load)
            members = tuple(sorted(m for inside in heavy for m in inside))
            steps.append(LoadStep(position, load, BY_MEAN, members))
    return tuple(steps)


def _top(level: Level) -> int:
    return level.low + (level.high > 0)


def level_prices(packing: Packing, terms: Terms, balanced: Balanced) -> tuple[int, ...]:
    """Prices of members on weight that bound the cost of balanced owners.

    A price on heavier levels, higher than all costs together, keeps each unit in its last level; the prices
    of the flow, as far as it got, bound the cost there.
    """
    weight = next(iter(packing.weights), 1)
    ours, theirs = terms.scales(packing), weigh(packing.problem, terms.order)
    dear, dear_there = max(ours), max(theirs)
    prices = []
    for price in balanced.prices:
        # This many of the first cost, the rest of the second: their weights differ in a packing.
        first = (price + dear_there // 2) // dear_there
        prices.append(first * dear + price - first * dear_there)
    every = sum(item.owned for item in packing.items) + sum(len(item.racks) for item in packing.items)
    step = 1 + dear * (1 + every) + 2 * max(map(abs, prices), default=0)
    depth = len(balanced.by_weight)
    return tuple(
        (price + (depth - level) * step) * SCALE // weight
        for price, level in zip(prices, balanced.level_of, strict=True)
    )


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
        self.dear = 1 + self.scales[0] * sum(item.owned for item in packing.items)
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
        costs = dict.fromkeys(item.able, self.scales[0] * item.owned)
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
