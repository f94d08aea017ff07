"""What is said of tasks for members, against every assignment there is."""

from __future__ import annotations

import copy
import random

import pytest

from kassay.solver.check.check import check_certificate
from kassay.solver.streams.problem import MemberTaskProblem
from kassay.solver.streams.results import member_certificate, solve_member_tasks
from tests.solver.instances import tiny
from tests.solver.streams import members_cases


@pytest.mark.slow
def test_two_thousand_tiny_instances_agree_with_everything_tried() -> None:
    assert tiny.asked("members", 7, 2000)["optimal"] > 1700


def test_the_optimum_of_a_settled_group_moves_nothing() -> None:
    rng = random.Random(4)
    for _ in range(40):
        case = members_cases.small(rng)
        first = members_cases.solved(case)
        chosen = members_cases.chosen_by(case, first)
        again = members_cases.solved(
            case | {"active": [lead for lead, _ in chosen], "standby": [sorted(row) for _, row in chosen]}
        )
        goals = {goal["goal"]: goal for goal in again["goals"]}
        assert (goals["cost"]["value"], goals["moved"]["value"]) == (0, 0)
        if "standby restores" in goals and goals["balance of copies"]["proven"]:
            assert goals["standby restores"]["bound"] == 0


def test_without_time_there_is_an_assignment_and_no_false_bound() -> None:
    rng = random.Random(5)
    for _ in range(40):
        case = members_cases.small(rng)
        hasty, best = members_cases.solved(case, time_limit_s=0.0), members_cases.solved(case)
        assert check_certificate(hasty).accepted
        assert [goal["proven"] for goal in hasty["goals"][:2]] == [True, True]
        for own, other in zip(hasty["goals"][2:4], best["goals"][2:4], strict=True):
            assert not hasty["goals"][2]["proven"] or own["value"] >= other["bound"]
        assert hasty["goals"][2]["value"] >= best["goals"][2]["value"] >= hasty["goals"][2]["bound"]


def test_an_assignment_that_costs_more_is_no_optimum() -> None:
    rng, judged = random.Random(8), 0
    for _ in range(250):
        case = members_cases.small(rng)
        certificate = member_certificate(MemberTaskProblem.parse(case), 60.0)
        best = members_cases.worth(case, members_cases.chosen_by(case, certificate))
        other = copy.deepcopy(certificate)
        giver, taker = rng.choice(list(other["assignment"])), rng.choice(list(other["assignment"]))
        if case["standbys"] or giver == taker or not other["assignment"][giver]:
            continue
        other["assignment"][taker].append(other["assignment"][giver].pop())
        worth = members_cases.worth(case, members_cases.chosen_by(case, other))
        reason = check_certificate(other).reason
        assert reason.startswith("optimal") == (worth[:4] == best[:4]), (worth, best, reason)
        judged += worth[:4] != best[:4]
    assert judged > 15


def test_figures_are_those_that_the_checker_derives() -> None:
    solved = solve_member_tasks(MemberTaskProblem.parse(members_cases.small(random.Random(9))))
    assert solved.figures["lower"] == solved.figures["goals"][2]["bound"]
    assert solved.figures["status"] in ("optimal", "interval")
