"""Optimal plan: the best placement on the brokers of tomorrow, reached one valid exchange at a time.

Goals, in order: the rack rule; replicas a broker within one of each other, or as even as racks allow;
the fewest copies; leaders as even as they can be; the fewest changes of leader. On the way every state
keeps the rack rule where the start did, and no partition has fewer replicas than before.
Source: kassay.solver.placement.optimum (certified optimum), kassay.solver.placement.plan; KIP-455.
Cost: that of the solver; a plan has as many steps as replicas to copy, and one for a leader to change.
"""

from __future__ import annotations

from math import inf

from kassay.assignors.registry import reference
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Plan
from kassay.model.placement.planning import PlanRequest


@reference(
    "optimal",
    kind=PLANNER,
    claims=("plan-valid", "plan-minimal", "rack-spread", "deterministic"),
    source="kassay.solver.placement.plan",
)
class OptimalPlan:
    """Moves to the most even placement with the fewest copies, each state on the way a valid one."""

    def plan(self, request: PlanRequest) -> Plan:
        """The moves, partition by partition."""
        # Here, so that whoever looks for another rule waits for no solver.
        from kassay.solver.placement.optimum import best_placement
        from kassay.solver.placement.plan import plan
        from kassay.solver.placement.problem import PlacementProblem

        # With a deadline only our own flow is asked: a plan is the same whether OR-tools is installed or not.
        best = best_placement(PlacementProblem.of_plan(request), deadline=inf)
        before = dict(request.before)
        after = dict(zip(sorted(before), best.rows, strict=True))
        moves = plan(before, after, {b.broker_id: b.rack for b in request.brokers})
        return Plan(request.brokers, request.before, moves, request.replication_factor)
