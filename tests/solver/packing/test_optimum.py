"""Packings against all packings: what is proven is so, whoever finds it and whatever is asked.

The results of packings: figures and certificates say what the assignment is.

Balanced owners are packings as well: what the flow proved is proven, the rest is an interval.

The enumeration finds the best of all packings, and gives up where there are too many.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from fractions import Fraction

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.balance import ORDERS
from kassay.solver.check.check import check_certificate, require_accepted
from kassay.solver.groups.optimum import best_balanced
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer
from kassay.solver.packing import optimum
from kassay.solver.packing.items import Packing, Terms
from kassay.solver.packing.optimum import best_of_all, pack, packed_in_balance, packing_certificate
from kassay.solver.packing.search import at_home, longest_first
from tests.solver.instances import tiny
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


def test_the_figures_of_a_result_are_those_of_its_assignment() -> None:
    rng = random.Random(51)
    for _ in range(60):
        case = cases.any_case(rng)
        result = cases.solved(case)
        heaviest, squares, moved, mismatch = cases.value(case, cases.owners(case, result["assignment"]))
        assert (result["moved"], result["rack_mismatch"]) == (moved, mismatch)
        assert result["sum_squares"] == squares == sum(load * load for load in result["loads"])
        assert result["upper"] == heaviest
        assert (result["status"] == "optimal") == all(goal["proven"] for goal in result["goals"])
        assert result["certificate"]["assignment"] == result["assignment"]
        assert check_certificate(result["certificate"]).accepted
        assert check_certificate(result).accepted


def _exact(rng: random.Random) -> Problem:
    while True:
        problem = Problem.parse(tiny.group(rng))
        if problem.exact:
            return problem


def test_prices_and_levels_of_the_flow_prove_every_goal_of_the_packing_too() -> None:
    rng = random.Random(31)
    problems = [_exact(rng) for _ in range(60)]
    problems += [Problem.parse(consumer(shape, 2)) for shape in ("nested", "racks", "random", "shuffle")]
    for problem in problems:
        for order in ORDERS:
            packed = packed_in_balance(problem, order, best_balanced(problem, order))
            figures = require_accepted(packing_certificate(problem, packed), "a group")
            assert figures["status"] == "optimal", figures["goals"]


def test_without_time_the_balance_is_proven_and_the_rest_is_bounded() -> None:
    rng = random.Random(32)
    statuses = Counter[str]()
    for problem in [
        *(_exact(rng) for _ in range(60)),
        *(Problem.parse(consumer(shape, 3)) for shape in ("nested", "racks", "random", "shuffle")),
    ]:
        for order in ORDERS:
            balanced = best_balanced(problem, order, time.monotonic() - 1)
            packed = packed_in_balance(problem, order, balanced)
            figures = require_accepted(packing_certificate(problem, packed), "a group")
            assert figures["goals"][0]["proven"]
            statuses[figures["status"]] += 1
    assert min(statuses["optimal"], statuses["interval"]) > 5


def test_the_best_of_all_has_the_least_loads_and_the_least_cost_with_them() -> None:
    rng = random.Random(12)
    for _ in range(80):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        for terms in (Terms(), Terms(budget=10**9)):
            owner = best_of_all(packing, terms, longest_first(packing, at_home(packing)))
            assert owner is not None
            assert cases.value_of(packing, owner) == min(cases.values(case))


def test_members_that_nothing_tells_apart_do_not_multiply() -> None:
    packing, _ = cases.packed(random.Random(2), cases.one_topic([9, 7, 5, 4, 2, 1], 40))
    owner = best_of_all(packing, Terms(), longest_first(packing))
    assert owner is not None
    assert sorted(packing.loads(owner), reverse=True)[:7] == [9, 7, 5, 4, 2, 1, 0]


def test_too_many_packings_are_not_looked_at() -> None:
    packing = Packing.of(cases.large(1))
    assert best_of_all(packing, Terms(), longest_first(packing)) is None
