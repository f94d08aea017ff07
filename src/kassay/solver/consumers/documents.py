"""The certified optimum of a consumer problem as JSON, and its certificate."""

from __future__ import annotations

import time
from typing import Any, Final

from kassay.solver.consumers.optimum import (
    Balanced,
    Optimum,
    best_balanced,
    optimum,
    proven,
)
from kassay.solver.consumers.problem import Problem
from kassay.solver.results import OutOfTimeError, Solved

SCHEMA: Final = "kassay/optimum-certificate/1"


def solve_consumers(
    problem: Problem, order: tuple[str, ...], solver: str, time_limit_s: float | None
) -> Solved | Balanced:
    """The optimum of a problem that the exact methods solve, by the solver `flow`, `networkx` or `z3`.

    If the time runs out, owners with the best balance, whose cost is as low as the search got.
    """
    deadline = None if time_limit_s is None else time.monotonic() + time_limit_s
    if solver != "flow":
        try:
            best = best_by(solver, problem, order, time_limit_s)
        except OutOfTimeError:
            return best_balanced(problem, order, deadline)
    else:
        balanced = best_balanced(problem, order, deadline)
        if balanced.late:
            return balanced
        best = proven(problem, order, balanced)
    return solution(best)


def solution(best: Optimum) -> Solved:
    """The optimum with its certificate and the other fields of a result."""
    squares = best.sum_squares
    values = {"balance": list(best.loads[::-1]), "movement": best.moved, "rack": best.rack_mismatch}
    return Solved(
        optimum_certificate(best),
        {
            "status": "optimal",
            "goals": [
                {"goal": goal, "value": values[goal], "bound": values[goal], "proven": True}
                for goal in best.order
            ],
            "loads": list(best.loads),
            "sum_squares": squares,
            "moved": best.moved,
            "rack_mismatch": best.rack_mismatch,
            "lower": squares,
            "upper": squares,
            "bound": "levels prove the balance, member prices the rest",
            "order": ",".join(best.order),
        },
    )


def best_by(solver: str, problem: Problem, order: tuple[str, ...], time_limit_s: float | None) -> Optimum:
    """The certified optimum by `flow`, `networkx`, or `z3`, which alone raises `OutOfTimeError`."""
    if solver == "flow":
        return optimum(problem, order)
    if solver == "networkx":
        from kassay.solver.consumers.networkx_optimum import networkx_optimum

        return networkx_optimum(problem, order)
    from kassay.solver.consumers.z3_optimum import z3_optimum

    return z3_optimum(problem, order, time_limit_s)


def optimum_certificate(best: Optimum) -> dict[str, Any]:
    """The input of the checker of balances: the instance, the assignment, its levels and prices."""
    ids = [member.member_id for member in best.problem.members]
    return {
        "schema": SCHEMA,
        "instance": best.problem.document(),
        "order": ",".join(best.order),
        "assignment": best.problem.partitions_by_member(best.owners),
        "levels": dict(zip(ids, best.levels, strict=True)),
        "prices": dict(zip(ids, best.prices, strict=True)),
        "loads": list(best.loads),
        "moved": best.moved,
        "rack_mismatch": best.rack_mismatch,
    }
