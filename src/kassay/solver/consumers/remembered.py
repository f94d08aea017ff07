"""A cache of optima for groups that come again soon: the same call, another order of members, a judge.

The key is the canonical instance, in which members and topics are in the order of their names: equal
instances have equal optima, however their groups were written. The checker has accepted each cached optimum
for exactly that instance, so a caller relies only on the certificate. The arguments are frozen values: the
same objects need not be examined again.
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeVar

from kassay.model.cluster import Cluster
from kassay.model.groups.group import Group
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.consumers.optimum import Optimum, certified, optimum
from kassay.solver.consumers.problem import NOBODY, Problem

REMEMBERED: Final = 64
"""Instances and calls kept: more than a rebalance needs, and few enough to keep."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class _Asked(NamedTuple):
    """A call, which keeps its objects alive so that no others get their ids."""

    cluster: Cluster
    group: Group
    best: Optimum


_by_call: dict[tuple[int, int, tuple[str, ...]], _Asked] = {}
_by_instance: dict[tuple[object, ...], Optimum] = {}
_at_rest: dict[tuple[object, ...], Optimum] = {}
"""By the instance that results when the owners report their assignment."""


def remembered_optimum(cluster: Cluster, group: Group, order: tuple[str, ...] = MOVEMENT_FIRST) -> Optimum:
    """The certified optimum of the group with equal weights: the same on every machine."""
    call = id(cluster), id(group), order
    known = _by_call.get(call)
    if known is None:
        problem = Problem.of(cluster, group)
        known = _Asked(
            cluster, group, _of_instance(problem.unweighted() if cluster.weighs else problem, order)
        )
        _keep(_by_call, call, known)
    return known.best


def _of_instance(problem: Problem, order: tuple[str, ...]) -> Optimum:
    # Topics come in the order of their names, and so do the rows of previous owners.
    instance = problem.members, problem.topics, tuple(problem.previous.values()), order
    best = _by_instance.get(instance)
    if best is None:
        before = _at_rest.pop(instance, None)
        best = optimum(problem, order, portable=True) if before is None else _kept(problem, before)
        _keep(_by_instance, instance, best)
        if order == MOVEMENT_FIRST:
            rows = tuple(
                [best.owners.get(topic.name, (NOBODY,) * topic.partitions) for topic in problem.topics]
            )
            if rows != instance[2]:
                _keep(_at_rest, (problem.members, problem.topics, rows, order), best)
    return best


def _kept(problem: Problem, before: Optimum) -> Optimum:
    """The optimum of a group that owns exactly the previous optimum: all stays, at no price.

    `optimum` would return the same; the checker checks it as any other.
    """
    free = (0,) * len(problem.members)
    return certified(problem, before.order, before.owners, before.levels, free)


def _keep(memory: dict[_Key, _Value], key: _Key, value: _Value) -> None:
    """Store the value in place of the oldest."""
    if len(memory) >= REMEMBERED:
        del memory[next(iter(memory))]
    memory[key] = value
