"""Faulty planners: the optimal plan with one thing done wrong."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.certify.faulty import registry
from kassay.model.kinds import Kind
from kassay.model.placement.plan import Move, Plan
from kassay.model.placement.planning import PlanRequest

control = partial(registry.control, kind=Kind.PLANNER)


@control("takes-from-anybody", breaks="plan-valid")
class TakesFromAnybody(OptimalPlan):
    """Replicas are taken from a broker that does not have them."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with its exchanges turned round."""
        sound = super().plan(request)
        turned = tuple(
            move._replace(source=move.target, target=move.source) if move.source is not None else move
            for move in sound.moves
            if move.target is not None
        )
        return replace(sound, moves=turned)


@control("goes-round-about", breaks="plan-minimal")
class GoesRoundAbout(OptimalPlan):
    """The first partition makes a trip to another broker and back before anything else moves."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with two copies too many where a broker is free."""
        sound = super().plan(request)
        partition, row = request.before[0]
        free = [broker.broker_id for broker in request.brokers if broker.broker_id not in row]
        if not free:
            return sound
        trip = (Move(partition, row[0], free[0]), Move(partition, free[0], row[0]))
        return replace(sound, moves=(*trip, *sound.moves))


@control("doubles-up", breaks="replicas-distinct")
class DoublesUp(OptimalPlan):
    """A replica goes to a broker that has one already."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with the first replica put beside the last."""
        sound = super().plan(request)
        partition, row = sound.after[0]
        return replace(sound, moves=(*sound.moves, Move(partition, row[0], row[-1])))
