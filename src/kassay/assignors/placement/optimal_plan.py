"""Optimal plan: the best placement on the target brokers, reached one valid exchange at a time.

Goals, in order: the rack rule; replicas of each broker within one of each other, or as balanced as racks
allow; the fewest copies; leaders as balanced as possible; the fewest changes of leader. On the way every
state keeps the rack rule if the start did, and no partition has fewer replicas than before.
Source: kassay.solver.placement.optimum (certified optimum), kassay.solver.placement.problem; KIP-455.
Cost: that of the solver; a plan has one step for each replica to copy and one for each leader to change.
"""

from __future__ import annotations

from math import inf

from kassay.assignors.registry import reference
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Plan, PlanRequest


@reference(
    "optimal",
    kind=PLANNER,
    claims=("plan-valid", "plan-minimal", "rack-spread", "deterministic"),
    source="kassay.solver.placement.problem",
)
class OptimalPlan:
    """Moves to the best balanced placement with the fewest copies through valid states only."""

    def plan(self, request: PlanRequest) -> Plan:
        """The moves, partition by partition."""
        # Imported here, so that users of other rules do not load the solver.
        from kassay.solver.placement.optimum import best_placement
        from kassay.solver.placement.problem import PlacementProblem, plan

        # With a deadline only kassay's own flow runs, so a plan does not depend on whether OR-tools is
        # installed.
        best = best_placement(PlacementProblem.of_plan(request), deadline=inf)
        before = dict(request.before)
        after = dict(zip(sorted(before), best.rows, strict=True))
        moves = plan(before, after, {b.broker_id: b.rack for b in request.brokers})
        return Plan(request.brokers, request.before, moves, request.replication_factor)
