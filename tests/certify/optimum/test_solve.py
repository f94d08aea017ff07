from __future__ import annotations

from typing import Any

import pytest

from kassay.certify.optimum.solve import read_instance, solve
from kassay.model.errors import InputError
from kassay.reading.documents import Located
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.check.check import check_certificate
from kassay.solver.instances.brokers import placement, tasks
from kassay.solver.instances.consumers import consumer

TOO_FEW: dict[str, Any] = {
    "family": "B",
    "name": "too few",
    "brokers": [{"id": 1}, {"id": 2}],
    "topics": [{"name": "t", "partitions": 1, "rf": 3}],
}


def line(document: dict[str, Any], solver: str = "flow", seconds: float | None = None) -> dict[str, Any]:
    return solve(Located(document, "here"), MOVEMENT_FIRST, solver, seconds)


@pytest.mark.parametrize(
    "document",
    [
        consumer("join", 3, members=4, partitions=12),
        consumer("copart", 3, members=3, partitions=9),
        placement("add", 3, brokers=6, partitions=9),
        tasks("leave", 3, clients=4, tasks=8),
    ],
    ids=lambda document: str(document["name"]),
)
def test_every_family_is_solved_and_its_line_is_accepted(document: dict[str, Any]) -> None:
    found = line(document, seconds=5.0)
    assert (found["name"], found["family"]) == (document["name"], document["family"])
    assert found["status"] == "optimal"
    assert check_certificate(found).accepted


def test_what_no_placement_satisfies_is_an_instance_and_infeasible_with_its_witness() -> None:
    read_instance(Located(TOO_FEW, "here"))
    found = line(TOO_FEW)
    assert (found["status"], found["witness"], found["certificate"]) == ("infeasible", [1, 2], None)


def test_a_solver_that_does_not_take_the_family_is_unknown_with_the_reason() -> None:
    found = line(placement("add", 1, brokers=6, partitions=6), "z3")
    assert found["status"] == "unknown"
    assert found["why"] == "the solver z3 does not take placements, --solver flow does"


def test_a_spent_time_limit_is_unknown() -> None:
    found = line(consumer("random", 1, members=100, partitions=5000), seconds=0.005)
    assert (found["status"], found["certificate"]) == ("unknown", None)
    assert found["why"] == "flow found no answer in 0.005 s"


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        (None, "here: found NoneType, expected an object with a family"),
        (
            {"family": "Q"},
            "here: family: found 'Q', expected one of A (consumers), B (placement), C (tasks)",
        ),
        (TOO_FEW | {"brokers": []}, "here: brokers: found [], expected at least one broker"),
    ],
)
def test_junk_is_named_with_the_place_and_the_field(document: Any, complaint: str) -> None:
    for read in (lambda: line(document), lambda: read_instance(Located(document, "here"))):
        with pytest.raises(InputError) as refused:
            read()
        assert str(refused.value) == complaint
