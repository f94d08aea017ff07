"""Weighted partitions: never a wrong "optimal", and the interval holds the best."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.weighted import pack_weighted
from tests.solver.packing import cases


def _weighted_is_honest(case: dict[str, Any], engine: str) -> bool:
    result = cases.solved(case, engine=engine, time_limit_s=20)
    assert check_certificate(result).accepted
    values = list(cases.every(case))
    best = min(heaviest for heaviest, *_ in values)
    assert result["lower"] <= best <= result["upper"] == result["max_weight"]
    if result["status"] == "optimal":
        assert result["upper"] == best
    fewest = min(moved for heaviest, _, moved, _ in values if heaviest <= result["upper"])
    assert result["moved_lower"] <= fewest <= result["moved"]
    return result["upper"] == best


def test_a_weighted_interval_holds_the_best() -> None:
    rng = random.Random(1)
    found = [_weighted_is_honest(cases.weighted(rng), "own") for _ in range(300)]
    assert sum(found) > 285  # the search alone finds nearly every optimum of this size


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_more_weighted_intervals_hold_the_best(seed: int) -> None:
    rng = random.Random(seed)
    assert sum(_weighted_is_honest(cases.weighted(rng), "own") for _ in range(1000)) > 950


def test_no_time_gives_an_interval_and_never_a_wrong_optimum() -> None:
    packed = pack_weighted(cases.large(3, 12, 40), time_limit_s=0)
    assert packed.lower < packed.upper


def test_great_weights_are_packed_by_moves_and_swaps() -> None:
    rng = random.Random(9)
    document = cases.large(1).document()
    document["topics"][0]["weights"] = [rng.randint(1, 10**12) for _ in range(60)]
    packed = pack_weighted(Problem.parse(document), engine="own")
    assert packed.lower <= packed.upper <= packed.lower * 1.1


def test_the_same_answer_each_time() -> None:
    assert pack_weighted(cases.large(5), engine="own") == pack_weighted(cases.large(5), engine="own")


def test_nothing_to_pack() -> None:
    packed = pack_weighted(Problem.parse(cases.one_topic([], 2)))
    assert (packed.lower, packed.upper, packed.moved, packed.optimal) == (0, 0, 0, True)
