"""The certified optimum, as the value that claims read."""

from __future__ import annotations

from functools import lru_cache

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Assignment, Group
from kassay.model.groups.step import Step
from kassay.properties.groups.balance import Best
from kassay.properties.groups.sharing import BestSharing
from kassay.solver.consumers.optimum import optimum, parse_order
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.bounds import weighted_lower_bound
from kassay.solver.sharing.optimum import best_sharing
from kassay.solver.sharing.problem import ShareProblem

CACHED = 4096
"""Outcomes whose optimum is remembered: many rounds ask for the same one."""


def best_of_group(step: Step, order: str) -> Best:
    """The certified best for the step's input, its goals in that order.

    Loads are partitions, whatever they weigh; the bound on the heaviest member goes by weight.
    """
    return _best(step.cluster, step.group, order)


def best_once(step: Step, order: str) -> Best:
    """`best_of_group` of a step that nobody will ask about again: it is not remembered."""
    return _best.__wrapped__(step.cluster, step.group, order)


@lru_cache(maxsize=CACHED)
def _best(cluster: Cluster, group: Group, order: str) -> Best:
    problem = Problem.of(cluster, group)
    best = optimum(problem.unweighted(), parse_order(order))
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
