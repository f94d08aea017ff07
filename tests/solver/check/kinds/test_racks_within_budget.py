"""Racks before moves within a budget: the truth with every packing tried, and nothing else accepted."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.balance import RACK_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.packing import optimum
from kassay.solver.packing.items import Terms
from tests.solver.packing import cases


def _agree(seed: int, number: int) -> Counter[str]:
    """How many random groups end with which status, held against all packings within the budget."""
    rng = random.Random(seed)
    statuses = Counter[str]()
    for _ in range(number):
        case = cases.any_case(rng)
        terms = Terms(RACK_FIRST, budget=rng.choice((0, 1, 2, 3, 50)))
        every = cases.values(case)
        try:
            result = cases.solved(case, terms, engine="own")
        except InputError:
            assert terms.budget is not None and min(moves for _, moves, _ in every) > terms.budget
            continue
        assert result["certificate"]["schema"] == "kassay/packing-certificate/2"
        checked = check_certificate(result)
        assert checked.accepted, checked.reason
        lie = cases.lie_in(result["goals"], terms, every, cases.measured_from(case))
        assert lie is None, (lie, case, terms)
        statuses[result["status"]] += 1
    return statuses


@pytest.mark.slow
def test_few_units_are_proven_by_looking_at_all_packings() -> None:
    statuses = _agree(1, 120)
    assert statuses["optimal"] > 100
    assert not statuses["interval"]


def test_prices_and_what_a_move_counts_prove_most_of_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(optimum, "best_of_all", lambda *_: None)
    statuses = _agree(2, 120)
    assert statuses["optimal"] > 80
    assert statuses["interval"] > 0


def swapped(pairs: int) -> cases.Document:
    """Two members in two racks, each with as many partitions whose replicas are where the other is."""
    near = [["b"]] * pairs + [["a"]] * pairs
    numbers = range(2 * pairs)
    return {
        "family": "A",
        "members": [
            {
                "id": id_,
                "rack": id_,
                "topics": ["t"],
                "owned": [["t", p] for p in numbers if p // pairs == own],
            }
            for own, id_ in enumerate(("a", "b"))
        ],
        "topics": [{"name": "t", "partitions": 2 * pairs, "racks": near}],
    }


@pytest.mark.parametrize(("budget", "left"), [(0, 60), (2, 58), (3, 58), (41, 20), (60, 0), (99, 0)])
def test_a_budget_between_two_corners_is_spent_by_exchanges(budget: int, left: int) -> None:
    result = cases.solved(swapped(30), Terms(RACK_FIRST, budget=budget), engine="own")
    assert check_certificate(result).accepted
    _, rack, movement = result["goals"]
    assert (rack["value"], movement["value"]) == (left, 60 - left)
    assert rack["bound"] == max(0, 60 - budget)
    assert result["status"] == ("optimal" if rack["bound"] == left else "interval")


def test_what_a_move_counts_must_prove_what_is_said() -> None:
    result = cases.solved(swapped(30), Terms(RACK_FIRST, budget=40), engine="own")
    assert result["status"] == "optimal"
    certificate = result["certificate"]
    for scales, accepted in (([0, 1], True), ([1, 10**6], True), ([1, 0], False), ([-1, 1], False)):
        forged = result | {"certificate": certificate | {"scales": scales}}
        try:
            checked = check_certificate(forged["certificate"])
            assert checked.accepted is accepted
            assert not check_certificate(forged).accepted
        except InputError:
            assert not accepted
