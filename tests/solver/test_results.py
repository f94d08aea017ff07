"""The line of JSON for what a solver answered, and for what nobody could answer."""

import time

import pytest

from kassay.solver.results import Solved, no_result, result

CERTIFICATE = {"instance": {"family": "A"}, "assignment": {"a": {"t": [0]}}}


@pytest.mark.parametrize(("optimal", "status"), [(True, "optimal"), (False, "interval")])
def test_a_line_says_what_was_proven_of_which_assignment(optimal, status):
    solved = Solved(
        CERTIFICATE, optimal, (3, 1), {"moved": 2, "lower": 9, "upper": 10}, "cut", {"standbys": 1}
    )
    line = result("i", solved, time.perf_counter())
    assert line.pop("elapsed_s") >= 0
    assert line == {
        "name": "i",
        "family": "A",
        "status": status,
        "loads": [1, 3],
        "sum_squares": 10,
        "moved": 2,
        "lower": 9,
        "upper": 10,
        "bound": "cut",
        "standbys": 1,
        "assignment": {"a": {"t": [0]}},
        "certificate": CERTIFICATE,
    }


def test_a_line_without_an_assignment_says_why():
    line = no_result({"family": "B"}, "infeasible", "three racks of none", time.perf_counter())
    assert (line["name"], line["status"], line["why"]) == ("unnamed", "infeasible", "three racks of none")
    assert {line[name] for name in ("assignment", "certificate", "lower", "upper", "bound")} == {None}
