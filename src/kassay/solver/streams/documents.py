"""The result of tasks with standbys as JSON, and its certificate."""

from __future__ import annotations

from typing import Any, Final

from kassay.solver.check.check import require_accepted
from kassay.solver.results import Solved
from kassay.solver.streams.optimum import TaskOptimum, best_tasks
from kassay.solver.streams.problem import TaskProblem

SCHEMA: Final = "kassay/tasks-certificate/2"


def solve_tasks(problem: TaskProblem, time_limit_s: float = 10.0) -> Solved:
    """The interval of a problem of tasks.

    `lower` and `upper` are the cost of restores and changes at the best of both balances.
    """
    best = best_tasks(problem, time_limit_s)
    certificate = tasks_certificate(problem, best)
    figures = require_accepted(certificate, problem.name or "tasks")
    return Solved(certificate, figures)


def tasks_certificate(problem: TaskProblem, best: TaskOptimum) -> dict[str, Any]:
    """The input of the checker of tasks: the instance, the assignment, and the prices of clients."""
    ids = [client.id for client in problem.clients]
    assignment: dict[str, list[int]] = {id_: [] for id_ in ids}
    standbys: dict[str, list[int]] = {id_: [] for id_ in ids}
    for task, (lead, row) in enumerate(zip(best.placed.active, best.placed.standby, strict=True)):
        assignment[ids[lead]].append(task)
        for place in sorted(row):
            standbys[ids[place]].append(task)
    return {
        "schema": SCHEMA,
        "instance": problem.document(),
        "assignment": assignment,
        "standbys": standbys,
        "balanced": best.balanced,
        "lower": best.lower,
        "upper": best.upper,
        "moved": best.moved,
        "copy_prices": list(best.copy_prices),
        "active_prices": list(best.active_prices),
    }
