"""Convex costs in windows against every flow tried, and prices against what they promise."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product

import pytest

from kassay.solver.algorithms.convex import Convex, Quota

Rows = list[dict[int, int]]
"""For each unit what it pays at each place that it may go to."""


def network(rows: Rows, most: list[int]) -> tuple[Convex, list[dict[int, int]]]:
    net = Convex(most)
    arcs = []
    for row in rows:
        node = net.node(1)
        arcs.append({place: net.arc(node, place, 1, cost) for place, cost in row.items()})
    return net, arcs


def paid(quota: Quota, rows: Rows, chosen: tuple[int, ...]) -> int:
    counts = Counter(chosen)
    return sum(quota.cost(place, count) for place, count in counts.items()) + sum(
        row[place] for row, place in zip(rows, chosen, strict=True)
    )


def case(rng: random.Random) -> tuple[Rows, list[int], Quota]:
    places, units = rng.randint(1, 4), rng.randint(1, 6)
    rows = [
        {place: rng.randint(0, 3) for place in rng.sample(range(places), rng.randint(1, places))}
        for _ in range(units)
    ]
    most = [units if rng.random() < 0.8 else rng.randint(0, units) for _ in range(places)]
    return rows, most, Quota.plain([rng.randint(1, 3) for _ in range(places)], units, rng.choice((1, 5)))


def test_no_flow_within_the_largest_counts_is_cheaper_wherever_the_windows_begin() -> None:
    rng = random.Random(17)
    for _ in range(150):
        rows, most, quota = case(rng)
        valid = [
            chosen
            for chosen in product(*rows)
            if all(count <= most[place] for place, count in Counter(chosen).items())
        ]
        net, arcs = network(rows, most)
        flows = net.cheapest(quota.marginal, [rng.randint(0, len(rows)) for _ in most])
        assert (flows is None) == (not valid)
        if flows is None:
            continue
        chosen = tuple(next(place for place, arc in row.items() if flows[arc]) for row in arcs)
        assert net.counts(flows) == [chosen.count(place) for place in range(len(most))]
        assert paid(quota, rows, chosen) == min(paid(quota, rows, each) for each in valid)


def test_within_one_unit_of_what_is_least_no_flow_is_cheaper() -> None:
    pytest.importorskip("ortools")
    rng = random.Random(19)
    without = 0
    for _ in range(150):
        rows, most, quota = case(rng)
        least = [rng.randint(0, min(most[place], 2)) for place in range(len(most))]
        valid = [
            chosen
            for chosen in product(*rows)
            if all(low <= chosen.count(b) <= min(low + 1, most[b]) for b, low in enumerate(least))
        ]
        net, arcs = network(rows, most)
        flows = net.within_one(quota.marginal, least)
        assert (flows is None) == (not valid)
        if flows is None:
            without += 1
            continue
        chosen = tuple(next(place for place, arc in row.items() if flows[arc]) for row in arcs)
        assert paid(quota, rows, chosen) == min(paid(quota, rows, each) for each in valid)
    assert 20 < without < 130


def test_prices_leave_nobody_a_reason_to_change_and_a_worse_flow_has_none() -> None:
    rng = random.Random(18)
    worse = 0
    for _ in range(150):
        rows, most, quota = case(rng)
        net, arcs = network(rows, most)
        flows = net.cheapest(quota.marginal, [1] * len(most))
        if flows is None:
            continue
        prices = net.prices(flows, quota.marginal)
        assert prices is not None
        counts = net.counts(flows)
        for row, ways in zip(rows, arcs, strict=True):
            at = next(place for place, arc in ways.items() if flows[arc])
            assert row[at] + prices[at] == min(cost + prices[place] for place, cost in row.items())
        for place, (count, limit) in enumerate(zip(counts, most, strict=True)):
            assert not count or quota.marginal(place, count - 1) <= prices[place]
            assert count == limit or prices[place] <= quota.marginal(place, count)
        dearer = [cost + (7 if flow else 0) for cost, flow in zip(net.costs, flows, strict=True)]
        worse += net.prices(flows, quota.marginal, dearer) is None
    assert worse > 50


def test_a_far_count_is_sought_in_wider_windows() -> None:
    """All units may go to one place alone, which is due next to none of them."""
    net = Convex([50, 50])
    node = net.node(40)
    net.arc(node, 0, 40)
    quota = Quota.plain([1, 9], 40, 3)
    flows = net.cheapest(quota.marginal, [4, 36])
    assert flows is not None
    assert net.counts(flows) == [40, 0]
    assert net.reachable(flows, [0]) == {0}


def test_units_are_handed_on_along_the_residual_graph() -> None:
    net, _ = network([{0: 0, 1: 0}, {1: 0, 2: 0}, {2: 0, 3: 9}], [3, 3, 3, 3])
    flows = [1, 0, 1, 0, 1, 0]
    assert net.reachable(flows, [0]) == {0, 1, 2, 3}
    assert net.reaching(flows, [3]) == {0, 1, 2, 3}
    assert net.reachable(flows, [3]) == {3}
    assert net.reaching(flows, [0]) == {0}


def test_after_the_deadline_there_is_no_flow() -> None:
    net, _ = network([{0: 0}], [1])
    assert net.cheapest(Quota.plain([1], 1, 1).marginal, [1], deadline=0.0) is None
