"""Placements within a budget, against every placement of small cases.

Bytes that are evened out: nothing that goes before them is touched, and no placement gets below the bound.
"""

from __future__ import annotations

import itertools
import random
from collections import Counter
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.solver.check.check import require_accepted
from kassay.solver.placement.optimum import best_placement
from kassay.solver.placement.problem import Broker, InfeasiblePlacementError, PlacedTopic, PlacementProblem
from kassay.solver.placement.results import solve_placement, solve_within
from kassay.solver.placement.within import even_sizes, evened, least_busiest
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


@st.composite
def problems(draw, brokers=5, partitions=6):
    racks = draw(st.sampled_from([(None,), ("a", "b"), ("a", "b", "c")]))
    count = draw(st.integers(3, brokers))
    cordoned = draw(st.sets(st.integers(3, brokers - 1), max_size=1))
    members = tuple(Broker(n, racks[n % len(racks)], cordoned=n in cordoned) for n in range(count))
    rf = draw(st.integers(1, min(3, count - len(cordoned))))
    rows = draw(
        st.lists(
            st.permutations(range(count)).map(lambda row: tuple(row[:rf])), min_size=1, max_size=partitions
        )
    )
    problem = PlacementProblem(members, (PlacedTopic("t", len(rows), rf),), {"t": tuple(rows)})
    return problem, draw(st.lists(st.integers(0, 50), min_size=len(rows), max_size=len(rows)))


def bytes_by_broker(rows, sizes):
    held = Counter()
    for row, size in zip(rows, sizes, strict=True):
        held.update(dict.fromkeys(row, size))
    return held


@settings(max_examples=40)
@given(problems())
def test_counts_copies_and_racks_stay_as_they_were_and_the_proof_accepts_it(posed):
    problem, sizes = posed
    best = best_placement(problem)
    mine = evened(best, sizes)
    assert (mine.replicas, mine.copies) == (best.replicas, best.copies)
    before, after = (sum(v * v for v in bytes_by_broker(each.rows, sizes).values()) for each in (best, mine))
    assert after <= before
    solved = solve_placement(problem, sizes=sizes)
    assert require_accepted(solved.certificate, "mine")["status"] == "optimal"
    within = solve_within(problem, best.copies, None, sizes)
    assert require_accepted(within.certificate, "mine")


@settings(max_examples=25)
@given(problems(brokers=4, partitions=3))
def test_no_placement_has_its_busiest_broker_below_the_bound(posed):
    problem, sizes = posed
    racks = problem.racks or (0,) * len(problem.brokers)
    rf = problem.topics[0].rf
    spread = problem.spread(rf)
    able = [
        row
        for row in combinations(range(len(problem.brokers)), rf)
        if all(spread.least <= Counter(racks[b] for b in row)[rack] <= spread.most for rack in set(racks))
    ]
    busiest = min(
        max(bytes_by_broker(rows, sizes).values(), default=0) for rows in product(able, repeat=len(sizes))
    )
    assert least_busiest(problem, sizes) <= busiest


def test_sizes_that_lie_badly_are_put_right_without_a_copy_more():
    brokers = tuple(Broker(n) for n in range(4))
    rows = ((0,), (0,), (0,), (0,), (1,), (1,), (1,), (1,))
    problem = PlacementProblem(brokers, (PlacedTopic("t", 8, 1),), {"t": rows})
    sizes = [100, 100, 1, 1, 100, 100, 1, 1]
    picks = [{0}, {0}, {2}, {2}, {1}, {1}, {3}, {3}]
    mine = bytes_by_broker(even_sizes(problem, picks, sizes), sizes)
    assert sorted(mine.values()) == [101, 101, 101, 101]
    assert least_busiest(problem, sizes) == 101
