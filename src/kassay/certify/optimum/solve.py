"""The certified optimum of any instance: within what time it is solved, and what is said where it is not."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

from kassay.certify.optimum.instances import Located, at
from kassay.certify.targets.local import Deadline, Overdue
from kassay.solver.consumers.optimum import OutOfTimeError, optimum
from kassay.solver.consumers.problem import Problem
from kassay.solver.documents import NotTakenError, Wanted, family_of
from kassay.solver.placement.problem import InfeasiblePlacementError
from kassay.solver.results import no_result

SCHEMA: Final = "kassay/optimum/1"
GRACE_S: Final = 20.0
"""What a search that minds its time limit may take on top of it before it is given up."""


def read_instance(located: Located) -> None:
    """Raise `InputError`, naming the place and the field, for what is no instance.

    An instance that no placement can satisfy is one all the same.
    """
    with at(located.where):
        try:
            family_of(located.document).parse(located.document)
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
        family = family_of(document)
        try:
            problem = family.parse(document)
            with Deadline(_patience(seconds, problem)):
                result = family.solve(problem, Wanted(order, solver, seconds))
        except InfeasiblePlacementError as error:
            witness = {"witness": list(error.witness)}
            result = no_result(document, "infeasible", str(error), began) | witness
        except NotTakenError as error:
            result = no_result(document, "unknown", str(error), began)
        except (OutOfTimeError, Overdue):
            limit = "" if seconds is None else f" in {seconds:g} s"
            result = no_result(document, "unknown", f"{solver} found no answer{limit}", began)
    return {"schema": SCHEMA, **result, "solver": solver}


def _patience(seconds: float | None, problem: Any) -> float:
    """After how many seconds a method is interrupted, 0 for never; packings end by themselves."""
    if seconds is None:
        return 0.0
    packed = isinstance(problem, Problem) and not problem.exact
    return seconds + GRACE_S if packed else seconds


def forced_by(located: Located, result: Mapping[str, Any]) -> list[str]:
    """Why the balance of an optimal consumer assignment cannot be better: one sentence a forcing set.

    Empty where nothing forces more than an even split, and for instances other than unweighted consumers.
    """
    if result["status"] != "optimal":
        return []
    with at(located.where):
        problem = family_of(located.document).parse(located.document)
    if not isinstance(problem, Problem) or not problem.exact:
        return []
    from kassay.solver.consumers.explain import explain_balance

    return [each.sentence for each in explain_balance(optimum(problem))]
