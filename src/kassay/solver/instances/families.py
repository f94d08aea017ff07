"""The table of the families of instances: how documents are read and solved."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.model.errors import MISSING, InputError, KassayError
from kassay.reading.documents import shown, wrong
from kassay.reading.others import what_document
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import solve_consumers
from kassay.solver.results import Solved, result

if TYPE_CHECKING:
    from fractions import Fraction

    from kassay.solver.groups.shares import ShareProblem
    from kassay.solver.placement.problem import PlacementProblem
    from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem

SEARCH_S: Final = 10.0
"""The default time limit of a search for NP-hard variants, in seconds."""


class NotTakenError(KassayError):
    """The chosen solver does not solve such an instance."""


class Wanted(NamedTuple):
    """How to solve: the order of the goals, the solver, and a limit in seconds or none.

    For consumers also a tolerance for the heaviest member, or a budget for the cost of the moves.
    """

    order: tuple[str, ...] = MOVEMENT_FIRST
    solver: str = "flow"
    time_limit_s: float | None = None
    tolerance: Fraction | None = None
    budget: int | None = None

    @property
    def search_s(self) -> float:
        """The limit of a search."""
        return SEARCH_S if self.time_limit_s is None else self.time_limit_s

    @property
    def plain(self) -> bool:
        """Whether there is neither a tolerance nor a budget."""
        return self.tolerance is None and self.budget is None

    def flow_only(self, what: str) -> None:
        """Raise `NotTakenError` for another solver than the flow, and for options of consumers alone."""
        if not self.plain:
            raise NotTakenError(f"{what} have neither a tolerance nor a budget, consumer groups do")
        if self.solver != "flow":
            raise NotTakenError(f"the solver {self.solver} does not take {what}, flow does")


@dataclass(frozen=True)
class Family:
    """A family of instances: its name, the reader of its documents, the solver of its problems."""

    name: str
    parse: Callable[[Any], Any]
    solve: Callable[[Any, Wanted], Solved]


# A family's reader and solver are imported with its first instance.


def _consumers(problem: Problem, wanted: Wanted) -> Solved:
    if problem.exact and wanted.plain:
        solved = solve_consumers(problem, wanted.order, wanted.solver, wanted.time_limit_s)
        if isinstance(solved, Solved):
            return solved
        from kassay.solver.packing.optimum import solve_balanced

        return solve_balanced(problem, wanted.order, solved)
    if wanted.solver == "networkx":
        raise NotTakenError("the solver networkx takes neither weights nor a tolerance or budget, flow does")
    from kassay.solver.packing.items import Terms
    from kassay.solver.packing.optimum import solve_packing

    terms = Terms(wanted.order, wanted.tolerance, wanted.budget)
    return solve_packing(problem, terms, wanted.search_s, "z3" if wanted.solver == "z3" else "auto")


def _read_placement(document: Any) -> PlacementProblem:
    from kassay.solver.placement.problem import PlacementProblem

    return PlacementProblem.parse(document)


def _placement(problem: PlacementProblem, wanted: Wanted) -> Solved:
    from kassay.solver.placement.results import solve_placement

    wanted.flow_only("placements")
    return solve_placement(problem, wanted.time_limit_s)


def _read_tasks(document: Any) -> TaskProblem | MemberTaskProblem:
    from kassay.solver.streams.problem import MemberTaskProblem, TaskProblem, has_members

    return MemberTaskProblem.parse(document) if has_members(document) else TaskProblem.parse(document)


def _tasks(problem: TaskProblem | MemberTaskProblem, wanted: Wanted) -> Solved:
    from kassay.solver.streams.problem import TaskProblem
    from kassay.solver.streams.results import solve_member_tasks, solve_tasks

    wanted.flow_only("tasks")
    if isinstance(problem, TaskProblem):
        return solve_tasks(problem, wanted.search_s)
    return solve_member_tasks(problem, wanted.search_s)


def _read_sharing(document: Any) -> ShareProblem:
    from kassay.solver.groups.shares import ShareProblem

    return ShareProblem.parse(document)


def _sharing(problem: ShareProblem, wanted: Wanted) -> Solved:
    from kassay.solver.groups.shares import solve_sharing

    wanted.flow_only("share groups")
    return solve_sharing(problem, wanted.time_limit_s)


FAMILIES: Final = {
    "A": Family("consumers", Problem.parse, _consumers),
    "B": Family("placement", _read_placement, _placement),
    "C": Family("tasks", _read_tasks, _tasks),
    "D": Family("sharing", _read_sharing, _sharing),
}
"""The families by the letter that their documents have under `family`."""


def family_of(document: Any) -> Family:
    """The family of a document; raises `InputError` for a document of no family."""
    if not isinstance(document, dict):
        raise InputError(f"found {shown(document)}, expected an object with a family")
    letter = document.get("family", MISSING)
    if not isinstance(letter, str) or letter not in FAMILIES:
        known = ", ".join(f"{letter} ({family.name})" for letter, family in FAMILIES.items())
        what = "" if "family" in document else f"; this is {what_document(document)}"
        raise wrong("family", letter, f"one of {known}{what}")
    return FAMILIES[letter]


def solve_document(document: Any, wanted: Wanted = Wanted()) -> dict[str, Any]:  # noqa: B008
    """The result of an instance, in the shape of `kassay optimum --json`, with a checked certificate.

    Raises `InputError` for an unreadable document, `InfeasiblePlacementError`, `NotTakenError`, and
    `OutOfTimeError` when the limit passes without an answer.
    """
    began = time.perf_counter()
    family = family_of(document)
    problem = family.parse(document)
    return result(problem.name, family.solve(problem, wanted), began)
