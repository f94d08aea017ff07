"""What the heaviest member carries at least: bounds with a name, below every packing.

What is paid at the least: never more than some packing within the limits pays, whatever the prices.

Steps go as far as the loads are the least, and never further.
"""

from __future__ import annotations

import random
import time
from math import gcd
from typing import Any

import pytest

from kassay.solver.groups.problem import Problem
from kassay.solver.packing.bounds import (
    BY_COUNT,
    BY_MEAN,
    MEAN,
    SCALE,
    LoadProof,
    cheapest_moves,
    cost_bound,
    lower_bound,
    weighted_lower_bound,
)
from kassay.solver.packing.items import Packing
from tests.solver.packing import cases


def test_the_bound_sees_who_alone_may_read_a_topic() -> None:
    document: dict[str, Any] = {
        "family": "A",
        "members": [{"id": "a", "topics": ["t"]}, {"id": "b", "topics": ["t", "u"]}],
        "topics": [
            {"name": "t", "partitions": 2, "weights": [1, 1]},
            {"name": "u", "partitions": 3, "weights": [5, 5, 5]},
        ],
    }
    bound = lower_bound(Packing.of(Problem.parse(document)))
    assert (bound.value, bound.members) == (15, (1,))
    assert weighted_lower_bound(Problem.parse(document)) == 15


@pytest.mark.parametrize(
    ("weights", "members", "value", "name"),
    [
        ([5, 5, 4], 2, 9, "pigeonhole"),
        ([9, 1, 1], 3, 9, "largest item"),
        ([3, 3, 2, 2], 2, 5, "mean"),
        ([6, 6, 4], 3, 6, "mean"),
        ([], 2, 0, "mean"),
    ],
)
def test_named_bounds(weights: list[int], members: int, value: int, name: str) -> None:
    bound = lower_bound(Packing.of(Problem.parse(cases.one_topic(weights, members))))
    assert (bound.value, bound.name) == (value, name)


def test_the_bound_is_below_every_packing_and_no_fraction_is_below_it() -> None:
    rng = random.Random(8)
    for _ in range(60):
        case = cases.weighted(rng)
        packing = Packing.of(Problem.parse(case))
        bound = lower_bound(packing)
        assert bound.value <= min(heaviest for heaviest, *_ in cases.every(case))
        for size in range(1 << packing.members):
            inside = {m for m in range(packing.members) if size >> m & 1}
            own = [item.weight for item in packing.items if inside.issuperset(item.able)]
            assert sum(own) <= bound.value * len(inside)


def test_the_heaviest_members_may_share_no_topic() -> None:
    document: dict[str, Any] = {
        "family": "A",
        "members": [{"id": id_, "topics": [*topics]} for id_, topics in zip("abcd", ("t", "tu", "u", "v"))],
        "topics": [{"name": name, "partitions": 6, "weights": [5] * 6} for name in "tu"]
        + [{"name": "v", "partitions": 1, "weights": [5]}],
    }
    assert lower_bound(Packing.of(Problem.parse(document))) == (20, MEAN, (0, 1, 2), 0)


def test_the_members_of_a_bound_have_what_it_counts() -> None:
    rng = random.Random(9)
    for _ in range(60):
        packing = Packing.of(Problem.parse(cases.weighted(rng)))
        bound = lower_bound(packing)
        if not packing.items:
            assert bound == (0, MEAN, (), 0)
            continue
        own = [item.weight for item in packing.items if set(item.able) <= set(bound.members)]
        own.sort(reverse=True)
        number = len(bound.members)
        if bound.name == MEAN:
            # Every load is a multiple of what divides all weights.
            unit = gcd(*packing.weights) or 1
            assert bound.value % unit == 0
            assert (bound.value - unit) * number < sum(own) <= bound.value * number
        else:
            assert bound.value == sum(own[bound.k * number - bound.k : bound.k * number + 1])


def test_no_prices_ask_for_more_than_some_packing_pays() -> None:
    rng = random.Random(41)
    late = time.monotonic() + 60
    needed = 0
    for _ in range(80):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        every = cases.values(case)
        limits, scales = rng.choice(every)[0], rng.choice(((1, 0), (9, 1), (1, 9)))
        within = [v for v in every if all(a <= b for a, b in zip(v[0], limits, strict=True))]
        least = min(scales[0] * moves + scales[1] * wrong for _, moves, wrong in within)
        # The limits are just what there is, so that prices below 0 prove something as well.
        prices = [rng.randint(-SCALE, SCALE) for _ in range(packing.members)]
        assert cost_bound(packing, limits, scales, prices) <= least
        above = [limit + 1 for limit in limits]
        fewer = min(
            scales[0] * moves + scales[1] * wrong
            for loads, moves, wrong in every
            if all(a <= b for a, b in zip(loads, above, strict=True))
        )
        assert cost_bound(packing, above, scales, [abs(price) for price in prices]) <= fewer
        best = cheapest_moves(packing, limits, scales, least, late)
        assert cost_bound(packing, limits, scales, best.prices) == best.cost <= least
        needed += best.cost > 0
    assert needed > 15


def test_steps_never_prove_loads_that_some_packing_undercuts() -> None:
    rng = random.Random(17)
    late = time.monotonic() + 60
    complete = 0
    for _ in range(120):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        budget = rng.choice((None, None, 2))
        allowed = [v for v in cases.values(case) if budget is None or v[1] <= budget]
        if not allowed:
            continue
        loads = rng.choice(allowed)[0]
        best = min(v[0] for v in allowed)
        steps = LoadProof(packing, budget, late).steps(loads)
        for step in steps:
            assert best >= [*loads[: step.position - 1], step.bound]
        proven = steps[-1].position if steps and loads[steps[-1].position - 1] == steps[-1].bound else 0
        if not any(loads[proven:]):
            assert loads == best
            complete += 1
    assert complete > 30


def test_a_mean_a_count_and_a_grain_each_prove_what_the_others_do_not() -> None:
    def heaviest(weights: list[int], members: int) -> tuple[int, str, int]:
        packing = Packing.of(cases.Problem.parse(cases.one_topic(weights, members)))
        step = LoadProof(packing, None, time.monotonic() + 60).heaviest()
        assert step is not None
        return step.bound, step.by, step.grain

    assert heaviest([3, 3, 2, 2], 2) == (5, BY_MEAN, 1)
    assert heaviest([7, 6, 5], 2)[:2] == (11, BY_COUNT)
    assert heaviest([9, 1, 1], 3)[:2] == (9, BY_COUNT)
    assert heaviest([6, 6, 6, 6, 1], 2) == (13, BY_MEAN, 1)
    # Only one of three members can have anything but a multiple of 4.
    assert heaviest([4] * 6 + [1], 3)[0] == 9


def test_nothing_that_weighs_anything_needs_no_step() -> None:
    packing = Packing.of(cases.Problem.parse(cases.one_topic([0, 0], 2)))
    assert LoadProof(packing, None, time.monotonic() + 60).heaviest() is None
    assert LoadProof(packing, None, time.monotonic() + 60).steps([0, 0]) == ()
