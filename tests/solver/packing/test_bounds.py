"""What the heaviest member carries at least: bounds with a name, below every packing."""

from __future__ import annotations

import random
from math import gcd
from typing import Any

import pytest

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bounds import MEAN, lower_bound, weighted_lower_bound
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
