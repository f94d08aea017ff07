"""Active tasks on members: the flow against everything tried, against networkx, and out of time.

The bound on restores of standbys: its value holds for all that is as good, and mostly meets the best.

Standbys beside given active tasks, whatever these are, against everything tried.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import networkx

from kassay.solver.streams.members import (
    CHANGE,
    RESTORE,
    place_actives,
    place_standbys,
    restores,
    standby_bound,
)
from kassay.solver.streams.problem import MemberTaskProblem
from tests.solver.streams import members_cases


def test_an_active_goes_where_its_state_is_before_it_is_restored() -> None:
    case = {
        "family": "C",
        "clients": [{"id": "a", "members": ["a0", "a1"]}, {"id": "b", "members": ["b0"]}],
        "tasks": 3,
        "standbys": 0,
        "active": ["a0", "a0", "a0"],
        "standby": [[], ["b"], []],
    }
    placed = place_actives(MemberTaskProblem.parse(case))
    assert placed.proven
    assert placed.member[1] == 2
    assert sorted(placed.member) == [0, 1, 2]


def by_simplex(case: dict[str, Any]) -> tuple[int, int]:
    """The least cost and moves of balanced active tasks, task by task over networkx' network simplex."""
    home, tasks = members_cases.home_of(case), case["tasks"]
    graph = networkx.DiGraph()
    stateful = [task for task in range(tasks) if task not in case["stateless"]]
    graph.add_node("end", demand=tasks)
    for task in range(tasks):
        graph.add_node(task, demand=-1)
        for member, process in home.items():
            old = case["active"][task]
            cost = int(old is not None and old != member)
            if task in stateful:
                restores = RESTORE * (process not in members_cases.state(case, task))
                cost += (tasks + 1) * (restores + CHANGE * (old is not None and home[old] != process))
            graph.add_edge(task, ("own" if task in stateful else "any", member), weight=cost, capacity=1)
    dear = (tasks + 1) ** 3
    for member in home:
        ends = (("own", ("any", member), len(stateful)), ("any", "end", tasks))
        for side, head, number in ends:
            each = number // len(home)
            for name, capacity, weight in (("share", each, 0), ("more", 1, dear)):
                middle = (side, member, name)
                graph.add_edge((side, member), middle, capacity=capacity, weight=weight)
                graph.add_edge(middle, head, capacity=capacity, weight=0)
    paid = networkx.min_cost_flow_cost(graph) % dear
    cost, moved = divmod(paid, tasks + 1)
    return cost, moved


def test_another_solver_finds_no_less_and_no_more() -> None:
    rng = random.Random(31)
    for _ in range(60):
        case = members_cases.small(rng)
        placed = place_actives(problem := MemberTaskProblem.parse(case))
        leads = [problem.member_ids[member] for member in placed.member]
        assert members_cases.active_worth(case, leads)[2:] == by_simplex(case)


def test_past_the_deadline_tasks_are_balanced_and_nothing_is_proven() -> None:
    rng = random.Random(32)
    unproven = 0
    for _ in range(80):
        problem = MemberTaskProblem.parse(members_cases.small(rng))
        placed = place_actives(problem, deadline=0.0)
        own = Counter(m for task, m in enumerate(placed.member) if task not in problem.stateless)
        for counts in (own, Counter(placed.member)):
            numbers = [counts[m] for m in range(len(problem.member_ids))]
            assert max(numbers) - min(numbers) <= 1
        unproven += not placed.proven
    assert unproven > 10


def test_without_proven_active_tasks_there_is_no_bound() -> None:
    problem = MemberTaskProblem.parse(members_cases.small(random.Random(1)))
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
    result = members_cases.solved(case)
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


def test_beside_any_active_tasks_standbys_are_the_best() -> None:
    rng, judged = random.Random(21), 0
    for _ in range(250):
        case = members_cases.small(rng)
        problem = MemberTaskProblem.parse(case)
        members = range(len(problem.member_ids))
        active = [rng.choice(members) for _ in range(problem.tasks)]
        standbys, prices = place_standbys(problem, active)
        leads = [problem.member_ids[member] for member in active]
        rows = [frozenset(problem.processes[problem.process_of[m]].id for m in row) for row in standbys]
        chosen = tuple(zip(leads, rows, strict=True))
        beside = [ways for ways in members_cases.every(case) if [lead for lead, _ in ways] == leads]
        assert chosen in beside
        assert members_cases.copies_worth(case, chosen) == min(
            members_cases.copies_worth(case, ways) for ways in beside
        )
        assert len(prices) == len(problem.processes)
        judged += len(beside) > 1
    assert judged > 20
