"""The results of packings: figures and certificates say what the assignment is.

Balanced owners are packings as well: what the flow proved is proven, the rest is an interval.
"""

from __future__ import annotations

import random
import time
from collections import Counter

from kassay.solver.check.balance import ORDERS
from kassay.solver.check.check import check_certificate, require_accepted
from kassay.solver.consumers.optimum import best_balanced
from kassay.solver.consumers.problem import Problem
from kassay.solver.instances.consumers import consumer
from kassay.solver.packing.documents import packed_in_balance, packing_certificate
from tests.solver.instances import tiny
from tests.solver.packing import cases


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
