"""The result of a placement problem as JSON, and its certificate."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from kassay.solver.check.check import require_accepted
from kassay.solver.placement.optimum import PlacementOptimum, best_placement
from kassay.solver.placement.problem import PlacementProblem
from kassay.solver.placement.within import PlacementWithin, best_within, evened
from kassay.solver.results import Solved

SCHEMA: Final = "kassay/placement-certificate/1"
BOUNDS_SCHEMA: Final = "kassay/placement-certificate/2"
"""The schema for a placement for which the time ran out."""
BUDGET_SCHEMA: Final = "kassay/placement-certificate/3"
"""The schema for a placement within a budget."""


def solve_placement(
    problem: PlacementProblem, time_limit_s: float | None = None, sizes: Sequence[int] | None = None
) -> Solved:
    """The certified optimum of a placement problem, or the best placement in time with bounds.

    With `sizes` (bytes of a copy, by partition) one of the optima with balanced bytes. Raises as
    `best_placement` does, `InfeasiblePlacementError` with the witness.
    """
    best = best_placement(problem, None if time_limit_s is None else time.monotonic() + time_limit_s)
    certificate = placement_certificate(best if sizes is None or best.late else evened(best, sizes))
    return Solved(certificate, require_accepted(certificate, problem.name or "a placement"))


def placement_certificate(best: PlacementOptimum) -> dict[str, Any]:
    """The input of `check_placement`: the instance, the placement and the prices."""
    certificate: dict[str, Any] = {
        "schema": BOUNDS_SCHEMA if best.late else SCHEMA,
        "instance": best.problem.document(),
        "assignment": rows_by_topic(best),
        "prices": list(best.prices),
        "leader_prices": list(best.leader_prices),
    }
    if best.witness is not None:
        certificate["witness"] = {
            "brokers": list(best.witness.brokers),
            "forced": best.witness.forced,
            "quota": best.witness.quota,
            "sentence": best.witness.sentence,
        }
    return certificate


def solve_within(
    problem: PlacementProblem,
    budget: int,
    costs: Sequence[int] | None = None,
    sizes: Sequence[int] | None = None,
) -> Solved:
    """The certified best placement within a budget of copies, or of the `costs` of each partition's copy.

    With `sizes` bytes are balanced as well, if the budget is one of copies. Raises as `best_within` does.
    """
    best = best_within(problem, budget, costs)
    if sizes is not None and costs is None:
        if isinstance(best, PlacementOptimum):
            best = best if best.late else evened(best, sizes)
        else:
            best = replace(best, best=evened(best.best, sizes))
    certificate = (
        placement_certificate(best) if isinstance(best, PlacementOptimum) else within_certificate(best)
    )
    return Solved(certificate, require_accepted(certificate, problem.name or "a placement"))


def within_certificate(within: PlacementWithin) -> dict[str, Any]:
    """The input of the checker of placements within a budget: the budget, its scales and the prices.

    The costs of copies are part of the instance.
    """
    return {
        "schema": BUDGET_SCHEMA,
        "instance": _costed(within.best.problem.document(), within.costs),
        "budget": within.budget,
        "scales": list(within.scales),
        "assignment": rows_by_topic(within.best),
        "prices": list(within.best.prices),
        "leader_prices": list(within.best.leader_prices),
    }


def _costed(instance: dict[str, Any], costs: Sequence[int]) -> dict[str, Any]:
    """The instance with the cost of a copy of each partition, if not all are 1."""
    if set(costs) <= {1}:
        return instance
    left = iter(costs)
    topics = [topic | {"copy_costs": [*islice(left, topic["partitions"])]} for topic in instance["topics"]]
    return instance | {"topics": topics}


def rows_by_topic(best: PlacementOptimum) -> dict[str, list[list[int]]]:
    """The placement as the instance format has it: broker ids by topic and partition, leader first."""
    rows: dict[str, list[list[int]]] = {topic.name: [] for topic in best.problem.topics}
    for (tp, _, _), row in zip(best.problem.partitions(), best.rows, strict=True):
        rows[tp.topic].append(list(row))
    return rows
