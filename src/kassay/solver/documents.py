"""Documents in, documents out: what `kassay optimum` and `kassay check` do with one JSON object."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from kassay.model.errors import InputError
from kassay.reading.fields import wrong
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.check.balance_document import SCHEMA, certificate_document, check_optimum
from kassay.solver.consumers.optimum import Optimum, OutOfTimeError, optimum
from kassay.solver.consumers.problem import Problem

SOLVERS: Final = ("flow", "z3")
BOUND: Final = "levels prove the balance, member prices the rest"


def solve_document(
    document: Any,
    order: tuple[str, ...] = MOVEMENT_FIRST,
    solver: str = "flow",
    time_limit: float | None = None,
) -> dict[str, Any]:
    """The result of one instance in the shape of `kassay optimum --json`.

    The status is `optimal` with an accepted certificate, `interval` where bounds do not meet, or
    `unknown` where the time limit was spent. Raises `InputError` for what cannot be read.
    """
    if solver not in SOLVERS:
        raise InputError(f"--solver: found {solver!r}, expected {' or '.join(SOLVERS)}")
    family = document.get("family") if isinstance(document, dict) else None
    if family == "B":
        from kassay.solver.placement.documents import solve_placement_document

        return solve_placement_document(document)
    if family == "C":
        from kassay.solver.streams.documents import solve_tasks_document

        return solve_tasks_document(document, 10.0 if time_limit is None else time_limit)
    if family != "A":
        raise wrong("family", family, "A, B or C")
    problem = Problem.parse(document)
    if problem.weighted or len(problem.bundle_sizes) > 1:
        from kassay.solver.packing.documents import solve_weighted_document

        return solve_weighted_document(document, order, 10.0 if time_limit is None else time_limit)
    began = time.perf_counter()
    try:
        found = _solve(problem, order, solver, time_limit)
    except OutOfTimeError:
        return _unknown(problem, f"{solver} found no answer in {time_limit} s", began)
    return optimum_result(found, began)


def _solve(problem: Problem, order: tuple[str, ...], solver: str, time_limit: float | None) -> Optimum:
    if solver == "flow":
        return optimum(problem, order)
    from kassay.solver.consumers.z3_optimum import z3_optimum

    return z3_optimum(problem, order, time_limit)


def optimum_result(found: Optimum, began: float) -> dict[str, Any]:
    """The JSON form of a certified optimum."""
    certificate = certificate_document(found.problem.document(), found.certificate)
    return {
        "name": found.problem.name,
        "family": "A",
        "status": "optimal",
        "order": ",".join(found.order),
        "loads": list(found.loads),
        "sum_squares": found.sum_squares,
        "moved": found.moved,
        "rack_mismatch": found.rack_mismatch,
        "lower": found.sum_squares,
        "upper": found.sum_squares,
        "bound": BOUND,
        "assignment": certificate["assignment"],
        "certificate": certificate,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def _unknown(problem: Problem, reason: str, began: float) -> dict[str, Any]:
    return {
        "name": problem.name,
        "family": "A",
        "status": "unknown",
        "why": reason,
        "lower": None,
        "upper": None,
        "bound": None,
        "assignment": None,
        "certificate": None,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def check_document(document: Any) -> tuple[bool, str]:
    """Whether a certificate, or a result that carries one, proves what it says, and why (not)."""
    from kassay.solver.check import intervals as bounds_certificate
    from kassay.solver.check import placement as placement_certificate
    from kassay.solver.check import tasks as tasks_certificate

    checks: dict[str, Callable[[Any], tuple[bool, str]]] = {
        SCHEMA: check_optimum,
        placement_certificate.SCHEMA: placement_certificate.check_placement_document,
        tasks_certificate.SCHEMA: tasks_certificate.check_tasks_document,
        bounds_certificate.SCHEMA: bounds_certificate.check_interval_document,
    }
    carrier = document.get("certificate", document) if isinstance(document, dict) else None
    schema = carrier.get("schema") if isinstance(carrier, dict) else None
    check = checks.get(schema) if isinstance(schema, str) else None
    if check is None:
        return False, f"schema {schema!r}, expected one of {', '.join(checks)}"
    return check(document)
