"""Packings against all packings: what is proven is so, whoever finds it and whatever is asked."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import check_certificate
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.consumers import consumer
from kassay.solver.packing import optimum
from kassay.solver.packing.optimum import pack
from kassay.solver.packing.terms import Terms
from tests.solver.packing import cases


def _agree(seed: int, number: int) -> Counter[str]:
    """How many random packings end with which status, all of them held against brute force."""
    rng = random.Random(seed)
    statuses = Counter[str]()
    for _ in range(number):
        case, terms = cases.any_case(rng), cases.any_terms(rng)
        every = cases.values(case)
        try:
            result = cases.solved(case, terms, engine="own")
        except InputError as error:
            assert "--budget: found" in str(error)
            assert terms.budget is not None and min(moves for _, moves, _ in every) > terms.budget
            statuses["refused"] += 1
            continue
        checked = check_certificate(result)
        assert checked.accepted, checked.reason
        lie = cases.lie_in(result["goals"], terms, every, cases.measured_from(case))
        assert lie is None, (lie, case, terms)
        statuses[result["status"]] += 1
    return statuses


def test_few_items_are_packed_best_whatever_is_asked() -> None:
    statuses = _agree(1, 300)
    assert statuses["optimal"] > 280
    assert not statuses["interval"]


@pytest.mark.slow
def test_flows_steps_and_prices_say_the_truth_where_nothing_is_enumerated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(optimum, "best_of_all", lambda *_: None)
    statuses = _agree(2, 150)
    assert statuses["optimal"] > 120
    assert statuses["interval"] > 0


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.deep
def test_no_disagreement_with_brute_force(seed: int) -> None:
    statuses = _agree(100 + seed, 2000)
    assert not statuses["interval"]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.deep
def test_no_disagreement_with_brute_force_where_nothing_is_enumerated(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(optimum, "best_of_all", lambda *_: None)
    statuses = _agree(200 + seed, 600)
    assert statuses["optimal"] > 420


def test_balance_is_that_of_all_members_not_of_the_heaviest_alone() -> None:
    packed = pack(Problem.parse(cases.one_topic([100, 32, 32, 32], 4)))
    assert sorted(packed.packing.loads(packed.owner)) == [32, 32, 32, 100]


def test_no_time_gives_an_interval_and_never_a_wrong_optimum() -> None:
    result = cases.solved(cases.large(3, 12, 40).document(), time_limit_s=0.0)
    assert result["status"] == "interval"
    assert result["lower"] < result["upper"]
    assert check_certificate(result).accepted


@pytest.mark.slow
def test_the_same_answer_each_time() -> None:
    assert pack(cases.large(5), engine="own") == pack(cases.large(5), engine="own")


@pytest.mark.parametrize("seed", range(3))
def test_a_tolerance_takes_few_moves(seed: int) -> None:
    document = consumer("weighted", seed, members=20, partitions=200)
    result = cases.solved(document, Terms(tolerance=Fraction(1, 20)), time_limit_s=60.0)
    heaviest, movement, _ = result["goals"]
    assert heaviest["proven"]
    assert heaviest["value"] <= heaviest["limit"]
    assert movement["bound"] <= movement["value"] <= 1.25 * movement["bound"]
    assert check_certificate(result).accepted


def test_great_weights_are_packed_by_moves_and_swaps() -> None:
    rng = random.Random(9)
    document = cases.large(1).document()
    document["topics"][0]["weights"] = [rng.randint(1, 10**12) for _ in range(60)]
    result = cases.solved(document, engine="own", time_limit_s=2.0)
    assert result["lower"] <= result["upper"] <= result["lower"] * 1.1


def test_nothing_to_pack() -> None:
    result = cases.solved(cases.one_topic([], 2))
    assert (result["status"], result["upper"], result["moved"]) == ("optimal", 0, 0)
