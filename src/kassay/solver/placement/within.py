"""The most even placement within a budget of copies, or of bytes.

The weight of a copy relative to imbalance is a price: the higher it is, the fewer copies pay. The placements
that are cheapest at some price lie on a convex curve of imbalance over cost (the counts of brokers are an
M-convex set, see `exchange`). The search halves prices until the one at which the budget is exceeded, and at
that price, where both ends of an edge of the curve cost the same, walks along the edge as far as the budget
allows. The prices of brokers there prove a bound for every placement within the budget, by Lagrange.

With bytes, partitions of similar size form classes that steer the search, but payment and proof use their own
sizes; the remaining gap between value and bound is reported as an interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.model.errors import InputError
from kassay.solver.algorithms.exchange import Change, Exchange
from kassay.solver.algorithms.quota import Quota
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
