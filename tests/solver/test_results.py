"""The line of JSON for what a solver answered, and for what nobody could answer.

What the gaps of all families of instances have in common: a document that says each figure once.
"""

import time
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.solver.results import Gap, Least, Solved, no_result, result

CERTIFICATE = {"instance": {"family": "A"}, "assignment": {"a": {"t": [0]}}}


@pytest.mark.parametrize("status", ["optimal", "interval"])
def test_a_line_says_what_was_proven_of_which_assignment(status):
    solved = Solved(CERTIFICATE, {"status": status, "loads": [1, 3], "moved": 2, "standbys": 1})
    line = result("i", solved, time.perf_counter())
    assert line.pop("elapsed_s") >= 0
    assert line == {
        "name": "i",
        "family": "A",
        "status": status,
        "loads": [1, 3],
        "moved": 2,
        "standbys": 1,
        "assignment": {"a": {"t": [0]}},
        "certificate": CERTIFICATE,
    }


def test_a_line_without_an_assignment_says_why():
    line = no_result({"family": "B"}, "infeasible", "three racks of none", time.perf_counter())
    assert (line["name"], line["status"], line["why"]) == ("unnamed", "infeasible", "three racks of none")
    assert {line[name] for name in ("assignment", "certificate", "lower", "upper", "bound")} == {None}


FIGURES = st.none() | st.integers(0, 9)


class Problem(NamedTuple):
    name: str


@given(balance=FIGURES, spread=FIGURES, movement=FIGURES, rack=FIGURES)
def test_the_document_says_what_was_judged_and_leaves_what_was_not_null(balance, spread, movement, rack):
    gap = Gap(
        problem=Problem("p"),
        best=Least((1, 1), 2),
        loads=(0, 2),
        moved=3,
        missing=1,
        balance=balance,
        spread=spread,
        movement=movement,
        rack=rack,
    )
    assert gap.document() == {
        "name": "p",
        "loads": [0, 2],
        "optimal_loads": [1, 1],
        "moved": 3,
        "rack_mismatch": 0,
        "missing": 1,
        "balance": balance,
        "spread": spread,
        "movement": movement,
        "rack": rack,
    }
