"""The certified optimum of any instance: its limit of time, and what is reported where it is not solved.

The instances of a suite, each with its place in error messages.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from kassay.kinds.alarm import Overdue, deadline
from kassay.reading.documents import Located, at, no_collection
from kassay.solver.check.check import derived
from kassay.solver.instances.families import Family, NotTakenError, Wanted, family_of
from kassay.solver.instances.suites import suite
from kassay.solver.results import InfeasibleError, OutOfTimeError, Solved, no_result, result


def located_in_suite(name: str) -> Iterator[Located]:
    """The instances of a suite, made one at a time; raises `InputError` for an unknown suite."""
    return (Located(document, document["name"]) for document in suite(name))


SCHEMA: Final = "kassay/optimum/2"
_OF_MEMBERS: Final = ("A", "D")
"""Families of instances whose results assign partitions to members."""
_GRACE_S: Final = 1.0
_GRACE_SHARE: Final = 0.1
"""The grace of a method that exceeds its limit: in seconds, and as a share of the limit."""
_FINISHING: Final = 8.0
"""Writing and checking a proof takes at most this many times as long as reading the instance."""
_FINISHING_SHARE: Final = 0.5
"""The maximum share of a limit that is reserved for that."""


class GoalLine(NamedTuple):
    """A goal of a result, and what is proven of it; `parts_at`: where loads part from their bound."""

    goal: str
    value: int | Sequence[int]
    bound: int | Sequence[int] | None
    proven: bool
    parts_at: int | None


class OptimumLine(NamedTuple):
    """The readable part of one result; the figures and the bound are empty if there is no assignment.

    `assignment` has the partitions of each member by topic, if the instance assigns partitions to members.
    """

    name: str
    status: str
    why: str
    seconds: float
    loads: Sequence[int] = ()
    moved: int = 0
    rack_mismatch: int = 0
    lower: int | None = None
    upper: int | None = None
    bound: str = ""
    goals: tuple[GoalLine, ...] = ()
    assignment: Mapping[str, Mapping[str, Sequence[int]]] = MappingProxyType({})

    @property
    def answered(self) -> bool:
        """Whether there is an assignment."""
        return self.status in ("optimal", "interval")


def line_of(result: Mapping[str, Any]) -> OptimumLine:
    """The readable part of a result of `solve`."""
    line = OptimumLine(result["name"], result["status"], result.get("why", ""), result["elapsed_s"])
    if not line.answered:
        return line
    goals = (
        GoalLine(each["goal"], each["value"], each.get("bound"), each["proven"], each.get("parts_at"))
        for each in result["goals"]
    )
    return line._replace(
        loads=result["loads"],
        moved=result["moved"],
        rack_mismatch=result["rack_mismatch"],
        lower=result["lower"],
        upper=result["upper"],
        bound=result["bound"],
        goals=tuple(goals),
        assignment=result["assignment"] if result["family"] in _OF_MEMBERS else line.assignment,
    )


def read_instance(located: Located) -> None:
    """Raise `InputError`, naming the place and the field, for an invalid instance.

    An instance that no placement can satisfy is valid.
    """
    with at(located.where):
        try:
            family_of(located.document).parse(located.document)
        except InfeasibleError:
            return


def solve(
    located: Located,
    order: tuple[str, ...],
    solver: str = "flow",
    seconds: float | None = None,
    *,
    tolerance: Fraction | None = None,
    budget: int | None = None,
) -> dict[str, Any]:
    """The line of `kassay optimum --json` for one instance.

    `status` is `optimal` with an accepted certificate for every goal; `interval` with bounds for the goals
    without a proof; `unknown` with the reason if the time ran out or the solver does not accept such an
    instance; `infeasible` with the witness. Raises `InputError`, naming the place and the field, for
    unreadable input.
    """
    began = time.perf_counter()
    document = located.document
    with at(located.where), no_collection():
        family = family_of(document)
        try:
            problem = family.parse(document)
            wanted = Wanted(order, solver, seconds, tolerance, budget)
            solved = _solved(family, wanted, problem, time.perf_counter() - began)
            line = result(problem.name, solved, began)
        except InfeasibleError as error:
            witness = {"witness": list(error.witness)}
            line = no_result(document, "infeasible", str(error), began) | witness
        except NotTakenError as error:
            line = no_result(document, "unknown", str(error), began)
        except OutOfTimeError:
            limit = "" if seconds is None else f" in {seconds:g} s"
            line = no_result(document, "unknown", f"{solver} found no answer{limit}", began)
    return {"schema": SCHEMA, **line, "solver": solver}


def _solved(family: Family, wanted: Wanted, problem: Any, reading_s: float) -> Solved:
    """The family's result within the limit, less the time already spent on reading the instance.

    An alarm ends a method that ignores its limit; the method is then called again for its immediate result.
    """
    limit = wanted.time_limit_s
    if limit is None:
        return family.solve(problem, wanted)
    finishing_s = _FINISHING * reading_s
    left = max(0.0, limit - reading_s - min(finishing_s, limit * _FINISHING_SHARE))
    try:
        with deadline(left + 3 * finishing_s + _GRACE_S + _GRACE_SHARE * limit):
            return family.solve(problem, wanted._replace(time_limit_s=left))
    except Overdue:
        return family.solve(problem, wanted._replace(time_limit_s=0.0))


def forced_by(line: Mapping[str, Any]) -> list[str] | None:
    """Why the balance of a result cannot be better: a sentence for each set that forces it.

    Empty if nothing forces more than an even split; None if no certificate proves such a sentence.
    """
    if line["certificate"] is None:
        return None
    forced: list[str] | None = derived(line["certificate"], "why_not_better")
    return forced
