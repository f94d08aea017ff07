"""The result of tasks with standbys as JSON, and the certificate that goes with it."""

from __future__ import annotations

import time
from collections import Counter
from typing import Any

from kassay.solver.check.tasks import SCHEMA, check_tasks
from kassay.solver.placement.documents import RefusedCertificateError
from kassay.solver.streams.optimum import TaskOptimum, best_tasks
from kassay.solver.streams.problem import TaskProblem


def solve_tasks_document(document: Any, time_limit_s: float = 10.0) -> dict[str, Any]:
    """The interval of a document of family "C", in the shape of `kassay optimum --json`.

    `lower` and `upper` are the cost of restores and changes at the best of both balances. Raises
    `InputError` for a document that cannot be read, `RefusedCertificateError` if the proof fails.
    """
    began = time.perf_counter()
    problem = TaskProblem.parse(document)
    result = _result(problem, best_tasks(problem, time_limit_s))
    accepted, reason = check_tasks(result["certificate"])
    if not accepted:
        raise RefusedCertificateError(f"{problem.name or 'tasks'}: {reason}")
    return result | {"elapsed_s": round(time.perf_counter() - began, 6)}


def _result(problem: TaskProblem, found: TaskOptimum) -> dict[str, Any]:
    ids = [client.client_id for client in problem.clients]
    assignment: dict[str, list[int]] = {id_: [] for id_ in ids}
    standbys: dict[str, list[int]] = {id_: [] for id_ in ids}
    for task, (lead, row) in enumerate(zip(found.placed.active, found.placed.standby, strict=True)):
        assignment[ids[lead]].append(task)
        for place in sorted(row):
            standbys[ids[place]].append(task)
    actives = Counter(found.placed.active)
    loads = sorted(actives[place] for place in range(len(ids)))
    figures = {"lower": found.lower, "upper": found.upper, "moved": found.moved}
    return {
        "name": problem.name,
        "family": "C",
        "status": "optimal" if found.optimal else "interval",
        "loads": loads,
        "sum_squares": sum(load * load for load in loads),
        **figures,
        "rack_mismatch": 0,
        "bound": "client prices for copies and actives, both balances first",
        "proven": [
            *(["balance of actives", "balance of copies"] if found.balanced else []),
            *(["cost"] if found.optimal else []),
        ],
        "copies": found.restores,
        "totals": sorted(len(assignment[id_]) + len(standbys[id_]) for id_ in ids),
        "actives_first": found.actives_first,
        "assignment": assignment,
        "standbys": standbys,
        "certificate": {
            "schema": SCHEMA,
            "instance": problem.document(),
            "assignment": assignment,
            "standbys": standbys,
            "balanced": found.balanced,
            **figures,
            "copy_prices": list(found.copy_prices),
            "active_prices": list(found.active_prices),
        },
    }
