"""The outcomes of Streams applications, compared with the certified best."""

from __future__ import annotations

from kassay.kinds.measures import Measure, MeasuredRest, measure_of
from kassay.model.errors import InputError
from kassay.model.streams.history import TaskRun
from kassay.solver.streams.problem import problem_of
from kassay.solver.streams.results import member_gap, runs_of


def rest_of_application(run: TaskRun) -> MeasuredRest | None:
    """The stable state after an application's last change, compared with the tasks before it."""
    if not run.answered:
        return None
    return MeasuredRest([_application(run)], run.settling) if run.at_rest else MeasuredRest([], None)


def _application(run: TaskRun) -> Measure | None:
    """Active tasks by thread; moves are counted as restores (3) and changes of process (1)."""
    before = run.steps[run.played - 1].request
    problem = problem_of(before)
    try:
        gap = member_gap(problem, runs_of(problem, before, run.steps[-1].given))
    except InputError:
        return None
    return measure_of(gap, equal=True)
