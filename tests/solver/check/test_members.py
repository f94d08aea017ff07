"""Instances with members inside processes as the checker poses them."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.check import pose
from kassay.solver.check.members import read_members, speaks_of_members
from kassay.solver.check.shapes import RefusedError
from tests.solver.streams import members_cases

GOOD: dict[str, Any] = {
    "family": "C",
    "clients": [{"id": "b", "members": ["b0"]}, {"id": "a", "members": ["a1", "a0"]}],
    "tasks": 2,
    "standbys": 1,
    "stateless": [1],
    "active": ["a0", "b0"],
    "standby": [["b"], []],
}


def test_an_instance_has_one_form_however_it_is_written() -> None:
    rng = random.Random(11)
    for _ in range(30):
        case = members_cases.small(rng)
        other = copy.deepcopy(case) | {"name": "other", "shape": "x"}
        rng.shuffle(other["clients"])
        for client in other["clients"]:
            client["members"].reverse()
        for row in other["standby"]:
            row.reverse()
        assert pose(other).digest == pose(case).digest
        assert pose(case | {"standbys": case["standbys"] + 1}).digest != pose(case).digest


def test_members_and_stateless_tasks_are_counted_in_its_size() -> None:
    assert pose(GOOD).size == "2 clients with 3 members, 2 tasks (1 stateless) with 1 standbys"
    assert not any(map(speaks_of_members, (3, {}, {"clients": None}, {"clients": [{"id": "a"}]})))


def test_who_has_what_is_read_by_position() -> None:
    given = {"assignment": {"a0": [0], "a1": [], "b0": [1]}, "standbys": {"a0": [], "a1": [], "b0": [0]}}
    case = read_members(pose(GOOD).form, given)
    assert (case.process, case.sizes, case.stateful, case.following) == ([0, 0, 1], [2, 1], [True, False], 1)
    assert (case.old, case.active, case.standby) == ([0, 2], [0, 2], [[2], []])
    assert case.state == [frozenset({0, 1}), frozenset()]
    assert (case.processes, case.copied) == (2, 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"clients": []}, "the instance has no members"),
        ({"clients": [{"id": "a", "members": ["x"], "threads": 1}]}, "threads: an unknown field"),
        ({"clients": [{"id": "a", "members": ["a0"]}, {"id": "b"}]}, r"clients\[1\].members: missing"),
        ({"stateless": [5]}, "a stateless task is none of the tasks"),
        ({"standby": [["z"], []]}, "task 0 is with a member that is not in the instance"),
        ({"standby": [[], ["a"]]}, "task 1 has no state, and there is a copy of it"),
    ],
)
def test_what_is_no_instance_is_unreadable(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        pose(GOOD | change)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"assignment": {"a0": [0], "a1": []}}, "the tasks are not given to exactly the members"),
        ({"assignment": {"a0": [0], "a1": [], "b0": []}}, "task 1 has 0 active members"),
        ({"assignment": {"a0": [0], "a1": [0], "b0": [1]}}, "task 0 has 2 active members"),
        ({"assignment": {"a0": [0, 2], "a1": [], "b0": [1]}}, "no task 2"),
        ({"standbys": {"a0": [], "a1": [], "b0": []}}, "task 0 has 0 standbys, expected 1"),
        ({"standbys": {"a0": [1], "a1": [], "b0": [0]}}, "task 1 has 1 standbys, expected 0"),
        ({"standbys": {"a0": [], "a1": [0], "b0": []}}, "task 0 has two copies in one process"),
    ],
)
def test_what_is_no_assignment_is_refused(changed: dict[str, Any], reason: str) -> None:
    given = {"assignment": {"a0": [0], "a1": [], "b0": [1]}, "standbys": {"a0": [], "a1": [], "b0": [0]}}
    with pytest.raises(RefusedError, match=reason):
        read_members(pose(GOOD).form, given | changed)


def test_no_more_standbys_follow_than_there_are_other_processes() -> None:
    given = {"assignment": {"a0": [0], "a1": [], "b0": [1]}, "standbys": {"a0": [], "a1": [], "b0": [0]}}
    assert read_members(pose(GOOD | {"standbys": 7}).form, given).following == 1
