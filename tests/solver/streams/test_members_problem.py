from __future__ import annotations

import random
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import pose
from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem, has_members
from tests.solver.streams import cases as clients
from tests.solver.streams import members_cases

GOOD: dict[str, Any] = {
    "family": "C",
    "clients": [{"id": "a", "members": ["a1", "a0"]}, {"id": "b", "members": ["b0"]}],
    "tasks": 2,
    "standbys": 1,
    "stateless": [1],
    "active": ["a0", "b0"],
    "standby": [["b"], []],
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"family": "B"}, "family: found 'B'"),
        ({"clients": []}, "clients: found"),
        ({"clients": [{"id": "a"}]}, r"clients\[0\].members"),
        ({"clients": [{"id": "a", "members": []}]}, r"clients\[0\].members: found .*expected at least one"),
        ({"clients": [{"id": "a", "members": ["x"], "threads": 2}]}, r"clients\[0\].threads: found 2"),
        ({"clients": [{"id": "a", "members": ["x"], "rack": "r"}]}, r"clients\[0\].rack: found 'r'"),
        (
            {"clients": [{"id": "a", "members": ["x"]}, {"id": "b", "members": ["x"]}]},
            r"clients\[1\].members\[0\]: member id 'x' is already",
        ),
        (
            {"clients": [{"id": "a", "members": ["x"]}, {"id": "a", "members": ["y"]}]},
            r"clients\[1\].id: client id 'a' is already",
        ),
        ({"active": ["a", "b0"]}, r"active\[0\]: found 'a', expected the id of a member"),
        ({"active": []}, "active: found 0 entries, expected 2"),
        ({"standby": [["b0"], []]}, r"standby\[0\]\[0\]: found 'b0', expected the id of a client"),
        ({"standby": [["b", "b"], []]}, r"standby\[0\]\[1\]: client 'b' is already"),
        ({"standby": [["a"], []]}, r"standby\[0\]: found \['a'\], expected no standby on 'a'"),
        ({"standby": [[], ["a"]]}, r"standby\[1\]: found \['a'\], expected none of a stateless task"),
        ({"stateless": [2]}, r"stateless\[0\]: found 2, expected a task below 2"),
        ({"stateless": [1, 1]}, r"stateless\[1\]: task 1 is already"),
        ({"stateless": [-1]}, r"stateless\[0\]: found -1"),
        ({"stateless": 1}, "stateless: found 1"),
    ],
)
def test_bad_input_is_one_line_that_names_the_field(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message) as raised:
        MemberTaskProblem.parse(GOOD | change)
    assert "\n" not in str(raised.value)


def test_members_are_numbered_process_by_process() -> None:
    problem = MemberTaskProblem.parse(GOOD)
    assert problem.member_ids == ("a0", "a1", "b0")
    assert problem.process_of == (0, 0, 1)
    assert problem.members_of == (range(2), range(2, 3))
    assert problem.active == (0, 2)
    assert [problem.state(task) for task in range(2)] == [frozenset({0, 1}), frozenset()]
    assert (problem.tasks, problem.stateful, problem.following) == (2, 1, 1)


def test_a_document_comes_back_as_it_went_and_poses_one_problem() -> None:
    rng = random.Random(2)
    for _ in range(60):
        case = members_cases.small(rng)
        problem = MemberTaskProblem.parse(case)
        assert MemberTaskProblem.parse(problem.document()) == problem
        assert pose(problem.document()).digest == pose(case).digest


def test_a_document_without_members_is_the_problem_that_it_was() -> None:
    rng = random.Random(3)
    for _ in range(20):
        case = clients.small(rng)
        assert not has_members(case)
        assert TaskProblem.parse(case).tasks == case["tasks"]
    assert not any(map(has_members, (None, [], {}, {"clients": 3}, {"clients": [3]})))
    assert has_members({"stateless": []})
