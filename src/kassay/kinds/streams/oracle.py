"""The certified best of a Streams application's tasks, as the value that claims read."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import Final

from kassay.model.errors import InputError
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import TaskRequest
from kassay.properties.streams.copies import BestStandbys
from kassay.properties.streams.stickiness import BestMembers, spent
from kassay.solver.streams.members import (
    dearest_actives,
    dearest_standbys,
    place_actives,
    place_standbys,
    restores,
)
from kassay.solver.streams.problem import problem_of
from kassay.solver.streams.results import runs_of

MEMBERS_MAX: Final = 128
"""Up to so many members the certified best is found for a claim: it takes the square of their number."""
OPTIMA_CACHED: Final = 1024
"""Requests whose optimum is cached."""


def best_of_members(step: TaskStep) -> BestMembers | None:
    """The certified best of active tasks; None where the answer does not name members."""
    if step.given.members is None or not _is_solved(step.request):
        return None
    return _best(step.request)


def is_proven(request: TaskRequest) -> bool:
    """Whether the solver proves that the optimum's active tasks are the best."""
    return bool(request.clients) and _best(request) is not None


def best_of_standbys(step: TaskStep) -> BestStandbys | None:
    """The certified best of standbys for the answer's active tasks; None where these are no assignment."""
    if not _is_solved(step.request):
        return None
    problem = _problem(step.request)
    try:
        active = [member for member in runs_of(problem, step.request, step.given) if member is not None]
    except InputError:
        return None
    return _standbys(step.request, tuple(active)) if len(active) == problem.tasks else None


def _is_solved(request: TaskRequest) -> bool:
    """Whether there are processes, and not more members than the best is found for."""
    return 0 < sum(client.capacity for client in request.clients) <= MEMBERS_MAX


_problem = lru_cache(maxsize=OPTIMA_CACHED)(problem_of)


@lru_cache(maxsize=OPTIMA_CACHED)
def _best(request: TaskRequest) -> BestMembers | None:
    tasks = sorted(request.tasks)
    problem = _problem(request)
    placed = place_actives(problem)
    best, most = (
        spent(request, {task: problem.member_ids[m] for task, m in zip(tasks, members, strict=True)})
        for members in (placed.member, dearest_actives(problem))
    )
    return BestMembers(best, most) if placed.proven else None


@lru_cache(maxsize=OPTIMA_CACHED)
def _standbys(request: TaskRequest, active: tuple[int, ...]) -> BestStandbys:
    problem = _problem(request)
    best, _ = place_standbys(problem, active)
    counts = Counter([*active, *(member for row in best for member in row)])
    most = restores(problem, dearest_standbys(problem, active))
    return BestStandbys(sum(count**2 for count in counts.values()), restores(problem, best), most)
