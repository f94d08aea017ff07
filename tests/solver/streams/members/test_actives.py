"""Active tasks on members: the flow against everything tried, against networkx, and out of time."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import networkx

from kassay.solver.streams.members.actives import CHANGE, RESTORE, place_actives
from kassay.solver.streams.members.problem import MemberTaskProblem
from tests.solver.streams.members import cases


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
    home, tasks = cases.home_of(case), case["tasks"]
    graph = networkx.DiGraph()
    stateful = [task for task in range(tasks) if task not in case["stateless"]]
    graph.add_node("end", demand=tasks)
    for task in range(tasks):
        graph.add_node(task, demand=-1)
        for member, process in home.items():
            old = case["active"][task]
            cost = int(old is not None and old != member)
            if task in stateful:
                restores = RESTORE * (process not in cases.state(case, task))
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
        case = cases.small(rng)
        placed = place_actives(problem := MemberTaskProblem.parse(case))
        leads = [problem.member_ids[member] for member in placed.member]
        assert cases.active_worth(case, leads)[2:] == by_simplex(case)


def test_past_the_deadline_tasks_are_balanced_and_nothing_is_proven() -> None:
    rng = random.Random(32)
    unproven = 0
    for _ in range(80):
        problem = MemberTaskProblem.parse(cases.small(rng))
        placed = place_actives(problem, deadline=0.0)
        own = Counter(m for task, m in enumerate(placed.member) if task not in problem.stateless)
        for counts in (own, Counter(placed.member)):
            numbers = [counts[m] for m in range(len(problem.member_ids))]
            assert max(numbers) - min(numbers) <= 1
        unproven += not placed.proven
    assert unproven > 10
