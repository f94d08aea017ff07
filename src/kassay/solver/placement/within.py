"""The most even placement within a budget of copies, or of bytes, and bytes balanced at no cost.

The weight of a copy relative to imbalance is a price: the higher it is, the fewer copies pay. The
placements that are cheapest at some price lie on a convex curve of imbalance over cost (the counts of
brokers are an M-convex set, see `exchange`). The search halves prices until the one at which the budget
is exceeded, and at that price, where both ends of an edge of the curve cost the same, walks along the
edge as far as the budget allows. The prices of brokers there prove a bound for every placement within
the budget, by Lagrange.

With bytes, partitions of similar size form classes that steer the search, but payment and proof use
their own sizes; the remaining gap between value and bound is reported as an interval.

*Sizes*: bytes as even as they get while no goal of higher rank changes, and a bound for any placement.
Exchanges of two replicas between two brokers keep every broker's number of replicas; those that keep the rack
rule and make no copy more are made, the largest relief of the heaviest broker first, until none is left that
evens out squared bytes. That is a local optimum and no proof; the bound is one: each rack must hold
certain replicas of each partition whatever the placement, and its brokers share them at best evenly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.solver.algorithms.convex import Quota
from kassay.solver.algorithms.exchange import Change, Exchange
from kassay.solver.placement.optimum import (
    PlacementOptimum,
    best_placement,
    fewest_copies,
    partitions_of,
    placement_rules,
    replica_quota,
    with_leaders,
)
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem

_NEAR: Final = 4
"""The number of partitions that are tried on either side of the best size."""
_SWEEPS_MAX: Final = 40
_CLOSE: Final = 250
"""Two brokers whose difference is below this part of the mean are not exchanged."""
Picks = list[set[int]]
"""The positions of the brokers of each partition."""


def evened(best: PlacementOptimum, sizes: Sequence[int]) -> PlacementOptimum:
    """The placement with bytes balanced, and the best leaders for it; the same proof holds for it.

    The proof of replicas and copies uses their numbers alone, which do not change.
    """
    index = {broker.id: place for place, broker in enumerate(best.problem.brokers)}
    picks = [{index[id_] for id_ in row} for row in best.rows]
    return with_leaders(
        best.problem, even_sizes(best.problem, picks, sizes), best.prices, best.witness, late=best.late
    )


def even_sizes(problem: PlacementProblem, picks: Sequence[set[int]], sizes: Sequence[int]) -> Picks:
    """The replicas with bytes balanced, with the same number on each broker and of copies.

    `picks` and `sizes` (of a copy, in bytes) are by partition, in the problem's order.
    """
    evening = _Evening(problem, picks, sizes)
    for _ in range(_SWEEPS_MAX):
        if not evening.sweep():
            break
    return evening.picks


def least_busiest(problem: PlacementProblem, sizes: Sequence[int]) -> int:
    """The least bytes of the busiest broker in any placement that keeps the rack rule."""
    partitions = list(zip(problem.partitions(), sizes, strict=True))
    every = sum(rf * size for (_, rf, _), size in partitions)
    bounds = [-(-every // len(problem.brokers)), *(size for (_, rf, _), size in partitions if rf)]
    if problem.racks is not None:
        members = Counter(problem.racks)
        for rack, brokers in members.items():
            others = [count for other, count in members.items() if other != rack]
            held = 0
            for (_, rf, _), size in partitions:
                spread = problem.spread(rf)
                elsewhere = sum(min(count, spread.most) for count in others)
                held += size * max(spread.least, rf - elsewhere)
            bounds.append(-(-held // brokers))
    return max(bounds, default=0)


class _Evening:
    """Replicas on their way to balanced bytes."""

    def __init__(self, problem: PlacementProblem, picks: Sequence[set[int]], sizes: Sequence[int]) -> None:
        placed = problem.partitions()
        index = {broker.id: place for place, broker in enumerate(problem.brokers)}
        self.picks: Picks = [set(picked) for picked in picks]
        self.sizes = sizes
        self.old = [frozenset(index[id_] for id_ in row if id_ in index) for _, _, row in placed]
        self.racks = problem.racks or (0,) * len(problem.brokers)
        self.spreads = [problem.spread(rf) for _, rf, _ in placed]
        self.cordoned = [broker.cordoned for broker in problem.brokers]
        self.held: list[set[int]] = [set() for _ in problem.brokers]
        for item, picked in enumerate(self.picks):
            for place in picked:
                self.held[place].add(item)
        self.bytes = [sum(sizes[item] for item in items) for items in self.held]

    def sweep(self) -> bool:
        """Exchange between all pairs of brokers, the furthest apart first; whether any exchange was made."""
        order = sorted(range(len(self.bytes)), key=lambda place: self.bytes[place])
        pairs = sorted(product(order, repeat=2), key=lambda pair: self.bytes[pair[1]] - self.bytes[pair[0]])
        changed, close = False, sum(self.bytes) // len(self.bytes) // _CLOSE
        for heavy, light in pairs:
            while self.bytes[heavy] - self.bytes[light] > close and self._exchange(heavy, light):
                changed = True
        return changed

    def _exchange(self, heavy: int, light: int) -> bool:
        """Make the exchange of the two brokers that balances the most; whether there was one."""
        apart = self.bytes[heavy] - self.bytes[light]
        waiting = self._by_copies(light, heavy)
        best: tuple[int, int, int] | None = None
        for item in sorted(self.held[heavy] - self.held[light]):
            if not self._may_go(item, heavy, light):
                continue
            copies = (light not in self.old[item]) - (heavy not in self.old[item])
            for back, others in waiting.items():
                if copies + back > 0:
                    continue
                for other in self._near(others, self.sizes[item] - apart / 2):
                    moved = self.sizes[item] - self.sizes[other]
                    gain = moved * (apart - moved)
                    if gain > 0 and (best is None or gain > best[0]):
                        best = gain, item, other
        if best is None:
            return False
        _, item, other = best
        self._move(item, heavy, light)
        self._move(other, light, heavy)
        return True

    def _by_copies(self, source: int, target: int) -> Mapping[int, list[int]]:
        """The replicas that may move from one broker to the other, by additional copies, sizes ascending."""
        waiting: dict[int, list[int]] = {}
        for item in sorted(self.held[source] - self.held[target], key=lambda item: (self.sizes[item], item)):
            if self._may_go(item, source, target):
                more = (target not in self.old[item]) - (source not in self.old[item])
                waiting.setdefault(more, []).append(item)
        return waiting

    def _near(self, items: Sequence[int], size: float) -> Iterator[int]:
        at = bisect_left(items, size, key=lambda item: self.sizes[item])
        yield from items[max(0, at - _NEAR) : at + _NEAR]

    def _may_go(self, item: int, source: int, target: int) -> bool:
        """Whether the replica may move there: that broker takes new ones, and the rack rule holds."""
        if self.cordoned[target] and target not in self.old[item]:
            return False
        rack, other = self.racks[source], self.racks[target]
        if rack == other:
            return True
        counts = Counter(self.racks[place] for place in self.picks[item])
        spread = self.spreads[item]
        return counts[rack] > spread.least and counts[other] < spread.most

    def _move(self, item: int, source: int, target: int) -> None:
        self.picks[item] ^= {source, target}
        self.held[source].discard(item)
        self.held[target].add(item)
        self.bytes[source] -= self.sizes[item]
        self.bytes[target] += self.sizes[item]


_CLASSES: Final = 16
"""The most classes of sizes: the exchange examines each pair of them."""
_FINE: Final = 1 << 16
"""The size of the largest class in units of the search: single bytes would take many more halvings."""


class PaymentScales(NamedTuple):
    """The weights of a unit of imbalance and of a unit of cost."""

    imbalance: int
    cost: int


@dataclass(frozen=True)
class PlacementWithin:
    """A placement within a budget, and the scales at which the prices of its brokers prove a bound."""

    best: PlacementOptimum
    costs: tuple[int, ...]
    budget: int
    spent: int
    scales: PaymentScales


def best_within(
    problem: PlacementProblem, budget: int, costs: Sequence[int] | None = None
) -> PlacementOptimum | PlacementWithin:
    """The optimum if it is within the budget, else the most even placement that is.

    `costs` are the costs of a copy of each partition, in the problem's order of partitions; 1 without them.
    Raises `InfeasiblePlacementError` where the budget does not cover the copies that every valid placement
    needs (removed brokers, the rack rule), and as `best_placement` does.
    """
    if any(broker.max_replicas is not None for broker in problem.brokers):
        raise InputError("brokers: max_replicas with a budget, expected one or the other")
    search = _Search(problem, budget, costs)
    optimum = best_placement(problem)
    if search.spent_by(optimum) <= budget:
        return optimum
    return search.within()


class _Search:
    """Replicas (positions of brokers) of each partition on their way from the fewest copies to balance."""

    def __init__(self, problem: PlacementProblem, budget: int, costs: Sequence[int] | None) -> None:
        self.problem, self.budget = problem, budget
        self.partitions = partitions_of(problem)
        self.current = self.partitions.current
        self.costs = tuple(costs) if costs is not None else (1,) * len(self.current)
        classes = _classes(self.costs)
        self.coarse = max(1, max(classes, default=1) // _FINE)
        self.steering: dict[int, list[int]] = {}
        for mean, items in classes.items():
            self.steering.setdefault(-(-mean // self.coarse), []).extend(items)
        self.start = fewest_copies(problem, self.partitions, replica_quota(problem, 1))
        forced = self.cost(self.start)
        if forced > budget:
            raise InfeasiblePlacementError(
                f"a budget of {budget} does not pay for the copies that must be: {forced} at the least, to "
                "leave the brokers that are going and to keep the rack rule",
                (),
            )

    def cost(self, picks: Sequence[set[int]]) -> int:
        """The cost of these replicas' copies."""
        rows = zip(picks, self.current, self.costs, strict=True)
        return sum(cost * len(picked.difference(row)) for picked, row, cost in rows)

    def spent_by(self, best: PlacementOptimum) -> int:
        """The cost of a placement's copies."""
        rows = zip(best.rows, self.problem.partitions(), self.costs, strict=True)
        return sum(cost * len(set(row).difference(old)) for row, (_, _, old), cost in rows)

    def within(self) -> PlacementWithin:
        """The most even placement within the budget, which is too small for the optimum."""
        # A price is a whole number, so imbalance gets a weight for which 1 is little for the most expensive
        # copy.
        unit = max(64, len(self.current)) * max(1, *self.steering)
        marginal = replica_quota(self.problem, unit).marginal
        ends = [(b, count) for b in range(len(self.problem.brokers)) for count in (0, self.problem.total)]
        low, high = 0, 2 + 2 * max(abs(marginal(place, count)) for place, count in ends)
        picks = self.start
        while high - low > 1:
            price = (low + high) // 2
            graph = self._graph(picks, price)
            if graph.descend(marginal, _Purse(self, graph.picks).pays):
                high, picks = price, graph.picks
            else:
                low = price
        graph = self._graph(picks, max(low, 1))
        graph.descend(marginal, _Purse(self, graph.picks).pays)
        scales = self._scales(picks, graph.picks, PaymentScales(unit, high))
        prices = self._prices(picks, scales)
        best = with_leaders(self.problem, graph.picks, tuple(price * self.coarse for price in prices))
        true = PaymentScales(scales.imbalance * self.coarse, scales.cost)
        return PlacementWithin(best, self.costs, self.budget, self.cost(graph.picks), true)

    def _graph(self, picks: Sequence[set[int]], price: int) -> Exchange:
        """The exchange graph where a unit of cost has this price.

        The picks are cheapest for their counts at any price, since the relative weights of classes never
        change. Otherwise there would be negative cycles.
        """
        copies = {price * units: items for units, items in self.steering.items()}
        rules = placement_rules(self.problem, self.partitions, copies)
        return Exchange(rules, [set(row) for row in picks])

    def _prices(self, picks: Sequence[set[int]], scales: PaymentScales) -> tuple[int, ...]:
        """The prices of brokers that prove the bound, where a unit of cost has the steering's scale."""
        marginal = replica_quota(self.problem, scales.imbalance).marginal
        graph = self._graph(picks, scales.cost)
        graph.descend(marginal)
        return graph.prices(marginal)

    def _scales(
        self, cheap: Sequence[set[int]], dear: Sequence[set[int]], scales: PaymentScales
    ) -> PaymentScales:
        """The scales at which both ends of the walk cost the same; the given ones if it made no step."""
        plain = replica_quota(self.problem, 1)
        imbalances, costs = zip(*(self._worth(plain, picks) for picks in (cheap, dear)), strict=True)
        more, even = costs[1] - costs[0], imbalances[0] - imbalances[1]
        return PaymentScales(more, even) if more > 0 and even > 0 else scales

    def _worth(self, plain: Quota, picks: Sequence[set[int]]) -> tuple[int, int]:
        """The imbalance of replicas, and the cost of their copies in the steering's units."""
        imbalance = sum(plain.cost(place, count) for place, count in enumerate(_counts(self.problem, picks)))
        new = [len(picked.difference(row)) for picked, row in zip(picks, self.current, strict=True)]
        return imbalance, sum(units * new[item] for units, items in self.steering.items() for item in items)


class _Purse:
    """The rest of the budget while replicas move."""

    def __init__(self, search: _Search, picks: Sequence[set[int]]) -> None:
        self._search, self._left = search, search.budget - search.cost(picks)

    def pays(self, changes: Sequence[Change]) -> bool:
        """Whether the budget covers these changes too; if so, they are paid."""
        search = self._search
        cost = sum(
            search.costs[item] * ((b not in search.current[item]) - (a not in search.current[item]))
            for item, a, b in changes
        )
        if cost > self._left:
            return False
        self._left -= cost
        return True


def _classes(costs: Sequence[int]) -> dict[int, Iterable[int]]:
    """The partitions by their steering cost: the mean cost of those of similar size, in a few classes."""
    order = sorted(range(len(costs)), key=costs.__getitem__)
    if len(set(costs)) <= _CLASSES:
        return {cost: [item for item in order if costs[item] == cost] for cost in sorted(set(costs))}
    size = -(-len(order) // _CLASSES)
    classes: dict[int, Iterable[int]] = {}
    for start in range(0, len(order), size):
        items = order[start : start + size]
        mean = sum(costs[item] for item in items) // len(items)
        while mean in classes:
            mean += 1
        classes[mean] = items
    return classes


def _counts(problem: PlacementProblem, picks: Iterable[set[int]]) -> list[int]:
    counts = [0] * len(problem.brokers)
    for picked in picks:
        for place in picked:
            counts[place] += 1
    return counts
