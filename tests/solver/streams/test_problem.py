from __future__ import annotations

import random
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.streams.problem import TaskProblem
from tests.solver.streams import cases

GOOD: dict[str, Any] = {
    "family": "C",
    "clients": [{"id": "a"}, {"id": "b"}],
    "tasks": 1,
    "standbys": 1,
    "active": ["a"],
    "standby": [["b"]],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "B"}, "family: found 'B'"),
        ({"clients": []}, "clients: found"),
        ({"clients": [{"id": "a"}, {"id": "a"}]}, r"clients\[1\].id: client id 'a' is already"),
        ({"clients": [{"id": "a", "threads": 0}, {"id": "b"}]}, r"clients\[0\].threads: found 0"),
        ({"active": ["x"]}, r"active\[0\]: found 'x', expected the id of a client"),
        ({"active": []}, "active: found 0 entries, expected 1"),
        ({"standby": [["x"]]}, r"standby\[0\]\[0\]: found 'x'"),
        ({"standby": [["b", "b"]]}, r"standby\[0\]\[1\]: client 'b' is already"),
        ({"standby": [["a"]]}, r"standby\[0\]: found \['a'\], expected no standby on 'a'"),
        ({"standbys": -1}, "standbys: found -1"),
        ({"tasks": "1"}, "tasks: found '1'"),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        TaskProblem.parse(GOOD | change)


def test_a_document_comes_back_as_it_went() -> None:
    rng = random.Random(2)
    for _ in range(100):
        problem = TaskProblem.parse(cases.small(rng))
        assert TaskProblem.parse(problem.document()) == problem
