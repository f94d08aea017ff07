"""The certified optimum, as the value that claims read."""

from __future__ import annotations

from functools import lru_cache

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.step import Step
from kassay.properties.groups.balance import Best
from kassay.properties.groups.sharing import BestSharing
from kassay.solver.consumers.optimum import Optimum, optimum, parse_order
from kassay.solver.consumers.problem import Problem
from kassay.solver.consumers.remembered import remembered_optimum
from kassay.solver.packing.bounds import weighted_lower_bound
from kassay.solver.sharing.optimum import best_sharing
from kassay.solver.sharing.problem import ShareProblem

CACHED = 4096
"""Outcomes of share groups whose optimum is remembered: many rounds ask for the same one."""

_latest: list[tuple[Step, str, Best]] = []
"""The step that was asked about last, the order, and the answer: claim after claim asks for the same."""


def best_of_group(step: Step, order: str) -> Best:
    """The certified best for the step's input, its goals in that order.

    Loads are partitions, whatever they weigh; the bound on the heaviest member goes by weight.
    """
    for latest, by, best in _latest:
        if latest is step and by == order:
            return best
    best = _best(step, remembered_optimum(step.cluster, step.group, parse_order(order)))
    _latest[:] = [(step, order, best)]
    return best


def best_once(step: Step, order: str) -> Best:
    """`best_of_group` of a step that nobody will ask about again: it is not remembered."""
    return _best(step, optimum(Problem.of(step.cluster, step.group).unweighted(), parse_order(order)))


def _best(step: Step, best: Optimum) -> Best:
    problem = best.problem
    if any(topic.weights is not None for topic in step.cluster.topics):
        problem = Problem.of(step.cluster, step.group)
    return Best(
        loads=best.loads,
        moved=best.moved,
        mismatched=best.rack_mismatch,
        assignment=Assignment(best.assignment),
        weight_bound=weighted_lower_bound(problem) if problem.weighted else None,
    )


@lru_cache(maxsize=CACHED)
def best_of_share_group(cluster: Cluster, group: Group) -> BestSharing:
    """The fewest copies that are taken back from a share group with this past."""
    return BestSharing(best_sharing(ShareProblem.of(cluster, group)).taken_back)
