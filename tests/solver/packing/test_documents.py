"""The results of packings: figures, words and certificates say what the assignment is."""

from __future__ import annotations

import random

import pytest

from kassay.solver.check.check import check_certificate
from tests.solver.packing import cases


@pytest.mark.parametrize("make", [cases.weighted, cases.bundled])
def test_the_figures_of_a_result_are_those_of_its_assignment(make: cases.Maker) -> None:
    rng = random.Random(51)
    for _ in range(60):
        case = make(rng)
        result = cases.solved(case, engine="own")
        heaviest, squares, moved, mismatch = cases.value(case, cases.owners(case, result["assignment"]))
        assert (result["moved"], result["rack_mismatch"]) == (moved, mismatch)
        assert result["sum_squares"] == squares == sum(load * load for load in result["loads"])
        assert result["upper"] == (heaviest if make is cases.weighted else squares)
        assert (result["status"] == "optimal") == (result["lower"] == result["upper"])
        assert result["certificate"]["assignment"] == result["assignment"]
        assert check_certificate(result["certificate"]).accepted


@pytest.mark.parametrize(
    ("weights", "members", "words"),
    [
        ([5, 5, 4], 2, "pigeonhole of 3 items over all members"),
        ([3, 3, 2, 2], 2, "mean over all members"),
        ([9, 1, 1], 3, "largest item over all members"),
    ],
)
def test_the_bound_is_said_in_words(weights: list[int], members: int, words: str) -> None:
    assert cases.solved(cases.one_topic(weights, members))["bound"] == words


def test_a_bound_on_some_members_says_on_how_many() -> None:
    case = cases.one_topic([1, 2], 3)
    case["members"][0]["topics"] = ["t", "u"]
    case["topics"].append({"name": "u", "partitions": 2, "weights": [9, 8]})
    assert cases.solved(case)["bound"] == "mean over 1 of 3 members"
