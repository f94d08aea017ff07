"""What prices prove of tasks for members, and that they prove no more."""

from __future__ import annotations

import random

from kassay.solver.check.check import check_certificate, pose
from kassay.solver.check.kinds import member_tasks
from tests.solver.streams import members_cases

PRICES = ("stateful_prices", "active_prices", "standby_prices", "copy_prices", "lead_prices")


def test_whatever_the_prices_no_bound_is_above_the_best_of_all_assignments() -> None:
    rng, open_goals = random.Random(51), 0
    for _ in range(60):
        case = members_cases.small(rng)
        certificate = members_cases.solved(case)["certificate"]
        worths = [members_cases.worth(case, ways) for ways in members_cases.every(case)]
        for _ in range(6):
            step = rng.choice((1, 8, case["tasks"] + 1, 1000))
            changed = certificate | {
                name: [price + step * rng.choice((-1, 0, 0, 1)) for price in certificate[name]]
                for name in rng.sample(PRICES, rng.randint(1, 3))
            }
            figures = member_tasks.check(pose(case).form, changed).figures
            goals = figures["goals"]
            mine = members_cases.worth(case, members_cases.chosen_by(case, changed))
            for i, goal in enumerate(goals):
                assert goal["bound"] <= min(worth[i] for worth in worths if worth[:i] <= mine[:i])
                open_goals += not goal["proven"]
    assert open_goals > 100


def test_of_whatever_assignment_every_value_is_its_own_and_no_bound_is_above_what_is_as_good() -> None:
    """Also where active tasks are not balanced, and others that are as good cost less."""
    rng, unbalanced = random.Random(53), 0
    for _ in range(60):
        case = members_cases.small(rng)
        certificate = members_cases.solved(case)["certificate"]
        ways = list(members_cases.every(case))
        worths = [members_cases.worth(case, way) for way in ways]
        for _ in range(8):
            way = rng.choice(ways)
            step = rng.choice((0, 1, 8, case["tasks"] + 1))
            changed = certificate | members_cases.given(case, way)
            changed |= {
                name: [price + step * rng.choice((-1, 0, 1)) for price in certificate[name]]
                for name in PRICES
            }
            goals = member_tasks.check(pose(case).form, changed).figures["goals"]
            mine, before = members_cases.worth(case, way), True
            for i, goal in enumerate(goals):
                assert goal["value"] == mine[i]
                assert goal["bound"] <= min(worth[i] for worth in worths if worth[:i] <= mine[:i])
                before = before and goal["value"] == goal["bound"]
                assert goal["proven"] is before
            unbalanced += not goals[1]["proven"]
    assert unbalanced > 60


def test_no_prices_of_copies_and_active_tasks_prove_more_restores_than_some_standbys_need() -> None:
    """Beside active tasks that are proven the best, where these prices count."""
    rng, proven = random.Random(54), 0
    for _ in range(150):
        case = members_cases.small(rng)
        certificate = members_cases.solved(case)["certificate"]
        if not case["standbys"] or not members_cases.solved(case)["copies"]:
            continue
        worths = [members_cases.worth(case, way) for way in members_cases.every(case)]
        mine = members_cases.worth(case, members_cases.chosen_by(case, certificate))
        best = [min(worth[i] for worth in worths if worth[:i] <= mine[:i]) for i in range(6)]
        for _ in range(12):
            step = rng.choice((1, 4, 16))
            changed = certificate | {
                name: [price + step * rng.randint(-2, 2) for price in certificate[name]]
                for name in PRICES[3:]
            }
            goals = member_tasks.check(pose(case).form, changed).figures["goals"]
            assert all(goal["bound"] <= least for goal, least in zip(goals, best, strict=False))
            proven += len(goals) == 6 and goals[5]["bound"] > 0
    assert proven > 50


def test_prices_are_one_a_member_and_one_a_process() -> None:
    rng = random.Random(52)
    for _ in range(10):
        certificate = members_cases.solved(members_cases.small(rng))["certificate"]
        for name in PRICES:
            reason = check_certificate(certificate | {name: [*certificate[name], 0]}).reason
            assert reason.startswith("expected "), name


def test_a_standby_more_than_its_process_has_room_for_is_foreseen() -> None:
    case = {
        "family": "C",
        "clients": [{"id": "a", "members": ["a0", "a1", "a2"]}, {"id": "b", "members": ["b0"]}],
        "tasks": 4,
        "standbys": 1,
        "active": [None] * 4,
        "standby": [[]] * 4,
    }
    result = members_cases.solved(case)
    # Each process has all four tasks: b0 has four copies, and nobody can have it otherwise.
    assert (result["status"], result["totals"]) == ("optimal", [1, 1, 2, 4])
    assert result["goals"][4] == {"goal": "balance of copies", "value": 22, "bound": 22, "proven": True}


def test_unbalanced_active_tasks_prove_nothing_of_what_they_cost() -> None:
    case = {
        "family": "C",
        "clients": [{"id": "a", "members": ["a0", "a1"]}],
        "tasks": 2,
        "standbys": 0,
        "active": ["a0", "a0"],
        "standby": [[], []],
    }
    certificate = members_cases.solved(case)["certificate"] | {"assignment": {"a0": [0, 1], "a1": []}}
    figures = member_tasks.check(pose(case).form, certificate).figures
    assert [goal["proven"] for goal in figures["goals"]] == [False] * 4
    assert figures["goals"][0] == {"goal": "balance of stateful", "value": 4, "bound": 2, "proven": False}
    assert (figures["status"], figures["proven"]) == ("interval", [])
