"""The results of packings: figures and certificates say what the assignment is."""

from __future__ import annotations

import random

from kassay.solver.check.check import check_certificate
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
