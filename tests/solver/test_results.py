"""The line of JSON for what a solver answered, and for what nobody could answer."""

import time

import pytest

from kassay.solver.results import Solved, no_result, result

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
