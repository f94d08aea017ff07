"""The result of a share group says what its assignment is, and in no time an interval."""

from __future__ import annotations

import json

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.instances.families import NotTakenError, Wanted, solve_document
from kassay.solver.instances.shares import share_group
from tests.cli.runner import valid
from tests.solver.sharing import cases


def test_figures_are_those_of_the_assignment() -> None:
    for case in cases.drawn(11, 60):
        result = cases.solved(case)
        given = cases.copies(result["assignment"])
        held = [cases.held(case, part) for part in cases.parts(case)]
        assert result["moved"] == sum(len(had - given) for had in held) == result["upper"]
        assert result["loads"] == sorted(sum(c[0] == m["id"] for c in given) for m in case["members"])
    valid(json.loads(json.dumps({"schema": "kassay/optimum/2", "solver": "flow", **result})), "optimum-2")


def test_without_time_the_counts_are_even_all_the_same() -> None:
    document = share_group("scattered", 1, members=40, topics=3, partitions=5)
    result = solve_document(document, Wanted(time_limit_s=0.0))
    best = solve_document(document)
    assert result["status"] == "interval"
    assert check_certificate(result).accepted
    assert result["goals"][:2] == best["goals"][:2]
    assert result["lower"] <= best["moved"] <= result["moved"]


@pytest.mark.parametrize("wanted", [Wanted(solver="z3"), Wanted(budget=3)])
def test_what_only_consumer_groups_are_asked_is_not_taken(wanted: Wanted) -> None:
    with pytest.raises(NotTakenError, match="share groups"):
        solve_document(share_group("join"), wanted)
