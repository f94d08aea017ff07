"""The result of tasks for members inside processes as JSON, and its certificate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

from kassay.solver.check.check import require_accepted
from kassay.solver.results import Solved
from kassay.solver.streams.members.actives import place_actives
from kassay.solver.streams.members.bound import standby_bound
from kassay.solver.streams.members.problem import MemberTaskProblem
from kassay.solver.streams.members.standbys import place_standbys

SCHEMA: Final = "kassay/tasks-certificate/3"
_SHARE_OF_ACTIVES: Final = 0.6
_SHARE_OF_STANDBYS: Final = 0.8


def solve_member_tasks(problem: MemberTaskProblem, time_limit_s: float = 10.0) -> Solved:
    """The optimum of active tasks, their standbys, and a bound on any standbys.

    `lower` and `upper` are the cost of active tasks: restores and changes of process.
    """
    certificate = member_certificate(problem, time_limit_s)
    return Solved(certificate, require_accepted(certificate, problem.name or "tasks"))


def member_certificate(problem: MemberTaskProblem, time_limit_s: float) -> dict[str, Any]:
    """The input of the checker: the instance, the assignment, and the prices that prove it."""
    began = time.monotonic()
    actives = place_actives(problem, began + _SHARE_OF_ACTIVES * time_limit_s)
    standbys, standby_prices = place_standbys(
        problem, actives.member, began + _SHARE_OF_STANDBYS * time_limit_s
    )
    copy_prices, lead_prices = standby_bound(problem, actives, standbys, began + time_limit_s)
    return {
        "schema": SCHEMA,
        "instance": problem.document(),
        "assignment": _by_member(problem, [(member,) for member in actives.member]),
        "standbys": _by_member(problem, standbys),
        "stateful_prices": list(actives.stateful_prices),
        "active_prices": list(actives.active_prices),
        "standby_prices": list(standby_prices),
        "copy_prices": list(copy_prices),
        "lead_prices": list(lead_prices),
    }


def _by_member(problem: MemberTaskProblem, members: Sequence[Sequence[int]]) -> dict[str, list[int]]:
    given: dict[str, list[int]] = {id_: [] for id_ in problem.member_ids}
    for task, row in enumerate(members):
        for member in row:
            given[problem.member_ids[member]].append(task)
    return given
