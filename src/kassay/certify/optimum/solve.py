"""The certified optimum of any instance: which method takes it, within what time, and what is said else."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from kassay.certify.optimum.instances import Located, at
from kassay.certify.targets.local import Deadline, Overdue
from kassay.model.errors import InputError
from kassay.reading.fields import shown
from kassay.solver.consumers.optimum import optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.documents import solve_document
from kassay.solver.packing.documents import solve_weighted_document
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem
from kassay.solver.streams.documents import solve_tasks_document
from kassay.solver.streams.problem import TaskProblem

SCHEMA: Final = "kassay/optimum/1"
SEARCH_S: Final = 10.0
"""How long the NP-hard variants are searched where nobody set a limit."""
GRACE_S: Final = 20.0
"""What a search that minds its time limit may take on top of it before it is given up."""

_FAMILIES: Final = {"A": Problem.parse, "B": PlacementProblem.parse, "C": TaskProblem.parse}


def read_instance(located: Located) -> None:
    """Raise `InputError`, naming the place and the field, for what is no instance.

    An instance that no placement can satisfy is one all the same.
    """
    with at(located.where):
        parse = _FAMILIES[_family(located.document)]
        try:
            parse(located.document)
        except InfeasiblePlacementError:
            return


def solve(
    located: Located, order: tuple[str, ...], solver: str = "flow", seconds: float | None = None
) -> dict[str, Any]:
    """The line of `kassay optimum --json` for one instance.

    `status` is `optimal` with an accepted certificate; `interval` with the bound named; `unknown` with
    the reason, where the time ran out or the solver does not take such an instance; `infeasible` with
    the witness. Raises `InputError`, naming the place and the field, for what cannot be read.
    """
    began = time.perf_counter()
    document = located.document
    with at(located.where):
        hard = _family(document) == "A" and _hard(document)
        try:
            with Deadline(_patience(seconds, hard)):
                found = _solve(document, order, solver, seconds, hard)
        except InfeasiblePlacementError as error:
            found = _nothing(document, "infeasible", str(error), began) | {"witness": list(error.witness)}
        except _NotTakenError as error:
            found = _nothing(document, "unknown", str(error), began)
        except Overdue:
            found = _nothing(document, "unknown", f"{solver} found no answer in {seconds:g} s", began)
    return {"schema": SCHEMA, **found, "solver": solver}


class _NotTakenError(Exception):
    """The solver that was asked for does not take such an instance."""


def _solve(
    document: Any, order: tuple[str, ...], solver: str, seconds: float | None, hard: bool
) -> dict[str, Any]:
    limit = SEARCH_S if seconds is None else seconds
    family = document["family"]
    if family in ("B", "C") and solver != "flow":
        kind = "placements" if family == "B" else "tasks"
        raise _NotTakenError(f"the solver {solver} does not take {kind}, --solver flow does")
    if family == "C":
        return solve_tasks_document(document, limit)
    if hard:
        return solve_weighted_document(document, order, limit, "z3" if solver == "z3" else "auto")
    return solve_document(document, order, solver, seconds)


def _family(document: Any) -> str:
    if not isinstance(document, dict):
        raise InputError(f"found {type(document).__name__}, expected an object with a family")
    family = document.get("family")
    if not isinstance(family, str) or family not in _FAMILIES:
        raise InputError(f"family: found {shown(family)}, expected one of {', '.join(_FAMILIES)}")
    return family


def _hard(document: dict[str, Any]) -> bool:
    """Whether a consumer instance is one with weights or with bundles of different sizes."""
    topics = document.get("topics")
    weights = isinstance(topics, list) and any(isinstance(t, dict) and t.get("weights") for t in topics)
    if not weights and not document.get("copartition"):
        return False
    problem = Problem.parse(document)
    return problem.weighted or len(problem.bundle_sizes) > 1


def _patience(seconds: float | None, hard: bool) -> float:
    """After how many seconds a method is interrupted, 0 for never; searches end by themselves."""
    if seconds is None:
        return 0.0
    return seconds + GRACE_S if hard else seconds


def _nothing(document: Any, status: str, why: str, began: float) -> dict[str, Any]:
    """A result without an assignment."""
    return {
        "name": str(document.get("name") or "unnamed"),
        "family": document.get("family"),
        "status": status,
        "why": why,
        "lower": None,
        "upper": None,
        "bound": None,
        "assignment": None,
        "certificate": None,
        "elapsed_s": round(time.perf_counter() - began, 6),
    }


def forced_by(located: Located, found: Mapping[str, Any]) -> list[str]:
    """Why the balance of an optimal consumer assignment cannot be better: one sentence a forcing set.

    Empty where nothing forces more than an even split, and for instances other than unweighted consumers.
    """
    if found["status"] != "optimal" or _family(located.document) != "A" or _hard(located.document):
        return []
    from kassay.solver.consumers.explain import explain_balance

    with at(located.where):
        problem = Problem.parse(located.document)
    return [each.sentence for each in explain_balance(optimum(problem))]
