"""Uneven bundles: the interval holds the best, and no packing pays less than its bound."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kassay.solver.check.balance import MOVEMENT_FIRST, RACK_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bundles import Costs, lowest_payment, pack_bundles
from kassay.solver.packing.items import Packing
from tests.solver.packing import cases


def _bundles_are_honest(case: dict[str, Any], order: tuple[str, ...]) -> bool:
    result = cases.solved(case, order=order)
    assert check_certificate(result).accepted
    values = [(squares, moved, mismatch) for _, squares, moved, mismatch in cases.every(case)]
    balance = min(squares for squares, *_ in values)
    assert result["lower"] <= balance <= result["upper"] == result["sum_squares"]
    assert result["moved_lower"] <= min(moved for squares, moved, _ in values if squares <= result["upper"])
    ranked = min(values if order == MOVEMENT_FIRST else ((s, r, m) for s, m, r in values))
    mine = (result["sum_squares"], result["moved"], result["rack_mismatch"])
    mine = mine if order == MOVEMENT_FIRST else (mine[0], mine[2], mine[1])
    proven = len(result["proven"])
    assert mine[:proven] == ranked[:proven]
    assert (result["status"] == "optimal") == (proven > 0)
    return mine == ranked


@pytest.mark.parametrize("order", [MOVEMENT_FIRST, RACK_FIRST])
def test_an_interval_of_bundles_holds_the_best(order: tuple[str, ...]) -> None:
    rng = random.Random(21)
    found = [_bundles_are_honest(cases.bundled(rng), order) for _ in range(300)]
    assert sum(found) > 240


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(22, 28))
def test_more_intervals_of_bundles_hold_the_best(seed: int) -> None:
    rng = random.Random(seed)
    assert sum(_bundles_are_honest(cases.bundled(rng), MOVEMENT_FIRST) for _ in range(1000)) > 800


def test_bundles_in_the_large() -> None:
    rng = random.Random(2)
    names = [f"t{i:02}" for i in range(30)]
    ids = [f"m{i:02}" for i in range(20)]
    counts = {name: 2 + i // 4 for i, name in enumerate(names)}
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for name in names:
        for number in range(counts[name]):
            owned[rng.choice(ids)].append([name, number])
    problem = Problem.parse(
        {
            "family": "A",
            "members": [{"id": id_, "topics": names, "owned": owned[id_]} for id_ in ids],
            "topics": [{"name": name, "partitions": counts[name]} for name in names],
            "copartition": [names[i : i + 3] for i in range(0, 24, 4)],
        }
    )
    packed = pack_bundles(problem)
    assert packed.lower == packed.upper
    assert packed.moves_lower <= packed.moved <= 1.3 * packed.moves_lower


@pytest.mark.parametrize("order", [MOVEMENT_FIRST, RACK_FIRST])
def test_whatever_the_prices_no_packing_pays_less(order: tuple[str, ...]) -> None:
    rng = random.Random(23)
    for _ in range(60):
        case = cases.bundled(rng)
        problem = Problem.parse(case)
        packing, costs = Packing.of(problem, weighted=False), Costs.of(problem, order)
        least = min(
            costs.balance * squares + costs.move * moved + costs.mismatch * mismatch
            for _, squares, moved, mismatch in cases.every(case)
        )
        best = pack_bundles(problem, order).prices
        for shaken in (0, costs.move, costs.balance, 12 * costs.balance):
            prices = [price + rng.randint(-shaken, shaken) for price in best]
            assert lowest_payment(packing, costs, prices) <= least


@pytest.mark.parametrize("order", [MOVEMENT_FIRST, RACK_FIRST])
def test_costs_go_by_the_order(order: tuple[str, ...]) -> None:
    rng = random.Random(24)
    for _ in range(40):
        case = cases.bundled(rng)
        costs = Costs.of(Problem.parse(case), order)
        values = sorted({value[1:] for value in cases.every(case)})
        first, second = (1, 2) if order == MOVEMENT_FIRST else (2, 1)
        ranked = sorted(values, key=lambda value: (value[0], value[first], value[second]))
        paid = [costs.balance * s + costs.move * m + costs.mismatch * r for s, m, r in ranked]
        assert paid == sorted(set(paid))
