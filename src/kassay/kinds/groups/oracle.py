"""The certified optimum of groups, as the value that claims read."""

from __future__ import annotations

from functools import cache, lru_cache

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.step import Step
from kassay.properties.groups.balance import Best
from kassay.properties.groups.sharing import BestSharing
from kassay.solver.groups.optimum import Optimum, best_assignment, remembered_optimum
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.shares import ShareProblem, best_sharing
from kassay.solver.packing.bounds import weighted_lower_bound
from kassay.solver.results import parse_order

CACHED = 4096
"""Outcomes of share groups whose optimum is cached: many rounds need the same one."""

_order = cache(parse_order)

_latest: list[tuple[Step, str, bool, Best]] = []
"""The latest step, its parameters and the result: consecutive claims need the same one."""


def best_of_group(step: Step, order: str, *, weigh: bool = True) -> Best:
    """The certified best for the step's input, its goals in that order.

    Loads count partitions, whatever they weigh; the bound on the heaviest member uses weights, and is
    computed only with `weigh`.
    """
    for latest, by, weighed, best in _latest:
        if latest is step and by == order and weighed is weigh:
            return best
    best = _best(step, remembered_optimum(step.cluster, step.group, _order(order)), weigh)
    _latest[:] = [(step, order, weigh, best)]
    return best


def best_once(step: Step, order: str) -> Best:
    """`best_of_group` of a step that is evaluated only once: the result is not cached."""
    best = best_assignment(Problem.of(step.cluster, step.group).unweighted(), parse_order(order))
    return _best(step, best, weigh=True)


def _best(step: Step, best: Optimum, weigh: bool) -> Best:
    bound = None
    if weigh and step.cluster.weighs:
        problem = Problem.of(step.cluster, step.group)
        bound = weighted_lower_bound(problem) if problem.weighted else None
    return Best(best.loads, best.moved, best.rack_mismatch, Assignment(best.assignment), bound)


@lru_cache(maxsize=CACHED)
def best_of_share_group(cluster: Cluster, group: Group) -> BestSharing:
    """The fewest copies that can be taken back from a share group with this past."""
    return BestSharing(best_sharing(ShareProblem.of(cluster, group)).taken_back)
