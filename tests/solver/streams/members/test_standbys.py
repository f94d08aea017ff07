"""Standbys beside given active tasks, whatever these are, against everything tried."""

from __future__ import annotations

import random

from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.members.standbys import place_standbys
from tests.solver.streams.members import cases


def test_beside_any_active_tasks_standbys_are_the_best() -> None:
    rng, judged = random.Random(21), 0
    for _ in range(250):
        case = cases.small(rng)
        problem = MemberTaskProblem.parse(case)
        members = range(len(problem.member_ids))
        active = [rng.choice(members) for _ in range(problem.tasks)]
        standbys, prices = place_standbys(problem, active)
        leads = [problem.member_ids[member] for member in active]
        rows = [frozenset(problem.processes[problem.process_of[m]].id for m in row) for row in standbys]
        chosen = tuple(zip(leads, rows, strict=True))
        beside = [ways for ways in cases.every(case) if [lead for lead, _ in ways] == leads]
        assert chosen in beside
        assert cases.copies_worth(case, chosen) == min(cases.copies_worth(case, ways) for ways in beside)
        assert len(prices) == len(problem.processes)
        judged += len(beside) > 1
    assert judged > 20
