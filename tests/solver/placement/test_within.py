"""Placements within a budget, against every placement of small cases."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.placement.documents import solve_within
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem
from tests.solver.placement import cases


def least_within(case: cases.Document, budget: int, costs: list[int]) -> int | None:
    """The least imbalance of all placements whose copies cost no more than the budget."""
    rows = list(cases.partitions(case))
    total = sum(rf for rf, _ in rows) + sum(host.get("base", 0) for host in case["brokers"])
    best: int | None = None
    for choice in itertools.product(*(cases.valid_rows(case, rf) for rf, _ in rows)):
        copied = zip(choice, rows, costs, strict=True)
        if sum(cost * len(set(new) - set(old)) for new, (_, old), cost in copied) <= budget:
            counts = Counter(broker for row in choice for broker in row)
            value = cases.imbalance(case, counts, total)
            best = value if best is None else min(best, value)
    return best


def crowded(rng: random.Random) -> cases.Document:
    """Up to 5 brokers and 5 partitions, most of which are on the first brokers, and now and then one goes."""
    hosts = cases.brokers(rng.randint(3, 5), rng.choice((0, 0, 2, 3)))
    rf = rng.randint(1, 2)
    for host in hosts:
        host["share"] = rng.choice((1, 1, 1, 2))
    ids = [0, 1, 1, 2, len(hosts) - 1, *([9] if rng.random() < 0.2 else [])]
    rows = [list(dict.fromkeys(rng.sample(ids, 4)))[:rf] for _ in range(rng.randint(2, 5))]
    return cases.document(hosts, rows, rf)


def tried(rng: random.Random, alike: bool) -> str:
    """What became of a random case, whose answer is held against all placements."""
    case = crowded(rng)
    count = len(list(cases.partitions(case)))
    costs = [1 if alike else rng.randint(0, 9) for _ in range(count)]
    budget = rng.randint(0, 2 if alike else 9)
    best = least_within(case, budget, costs)
    problem = PlacementProblem.parse(case)
    try:
        solved = solve_within(problem, budget, None if alike else costs)
    except InfeasiblePlacementError:
        assert best is None
        return "infeasible"
    figures: dict[str, Any] = dict(solved.figures)
    base = {host["id"]: host.get("base", 0) for host in case["brokers"]}
    counts = Counter({int(b): held - base[int(b)] for b, held in figures["replicas"].items()})
    value = cases.imbalance(case, counts, sum(figures["replicas"].values()))
    assert best is not None and value >= best
    if figures["status"] == "optimal":
        assert value == best
    else:
        assert figures["lower"] < figures["upper"]
    return f"{figures['status']}{'' if 'budget' in figures else ' without'}"


def test_within_a_budget_of_copies_small_placements_are_as_even_as_any() -> None:
    rng = random.Random(5)
    outcomes = Counter(tried(rng, alike=True) for _ in range(60))
    assert outcomes["optimal"] > 10 and outcomes["infeasible"] > 3 and outcomes["optimal without"] > 10
    assert not outcomes["interval"]


@pytest.mark.slow
def test_within_a_budget_of_bytes_the_bound_holds() -> None:
    rng = random.Random(6)
    outcomes = Counter(tried(rng, alike=False) for _ in range(40))
    assert outcomes["optimal"] > 4 and outcomes["infeasible"] > 2


def test_each_more_copy_buys_as_much_as_it_can() -> None:
    rows = [[number % 4, (number + 1) % 4, (number + 2) % 4] for number in range(40)]
    case = cases.document(cases.brokers(8, 0), rows, 3)
    problem = PlacementProblem.parse(case)
    values = []
    for budget in range(0, 70, 12):
        figures = solve_within(problem, budget).figures
        assert figures["status"] == "optimal" and figures["copies"] == min(budget, 60)
        values.append(figures["sum_squares"])
    assert values == sorted(values, reverse=True) and values[0] > values[-1] == 8 * 15**2


def test_limits_of_brokers_are_refused_beside_a_budget() -> None:
    case = cases.document(cases.brokers(3, 0, max_replicas=9), [[0, 1]], 2)
    with pytest.raises(InputError, match="max_replicas with a budget"):
        solve_within(PlacementProblem.parse(case), 1)


def test_sizes_of_every_magnitude_end_near_their_bound() -> None:
    rng = random.Random(4)
    rows = [rng.sample(range(6), 3) for _ in range(80)]
    problem = PlacementProblem.parse(cases.document(cases.brokers(8, 0), rows, 3))
    costs = [int(rng.paretovariate(0.6) * 2**20) for _ in rows]
    figures = solve_within(problem, sorted(costs)[20] * 24, costs).figures
    assert 0 < figures["cost"] <= figures["budget"]
    assert figures["upper"] - figures["lower"] <= figures["lower"] // 10
