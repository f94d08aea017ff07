"""The bound on restores of standbys: its value holds for all that is as good, and mostly meets the best."""

from __future__ import annotations

import random

from kassay.solver.streams.members.actives import place_actives
from kassay.solver.streams.members.bound import restores, standby_bound
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.members.standbys import place_standbys
from tests.solver.streams.members import cases


def test_without_proven_active_tasks_there_is_no_bound() -> None:
    problem = MemberTaskProblem.parse(cases.small(random.Random(1)))
    hasty = place_actives(problem, deadline=0.0)
    standbys, _ = place_standbys(problem, hasty.member)
    assert (
        hasty.proven or standby_bound(problem, hasty, standbys, 0.0) == ((0,) * len(problem.processes),) * 2
    )


def test_a_new_process_takes_what_nobody_can_spare_it() -> None:
    case = {
        "family": "C",
        "clients": [{"id": id_, "members": [f"{id_}0"]} for id_ in "abc"],
        "tasks": 6,
        "standbys": 1,
        "active": ["a0", "a0", "a0", "b0", "b0", "b0"],
        "standby": [["b"], ["b"], ["b"], ["a"], ["a"], ["a"]],
    }
    result = cases.solved(case)
    assert result["status"] == "optimal"
    # Two active tasks and two standbys come to the new process, which had nothing.
    assert [goal["value"] for goal in result["goals"][2:]] == [8, 2, 48, 2]


def test_restores_are_of_standbys_alone() -> None:
    case = {
        "family": "C",
        "clients": [{"id": id_, "members": [f"{id_}0"]} for id_ in "ab"],
        "tasks": 2,
        "standbys": 1,
        "active": [None, "b0"],
        "standby": [[], []],
    }
    problem = MemberTaskProblem.parse(case)
    assert restores(problem, ((1,), (0,))) == 2
