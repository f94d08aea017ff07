"""Faulty planners: the optimal plan with one fault."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import partial

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.kinds import controls
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Move, Plan, PlanRequest

control = partial(controls.control, kinds=PLANNER)


@control("takes-from-anybody", breaks="plan-valid", like="plan:optimal")
class TakesFromAnybody(OptimalPlan):
    """Replicas are taken from a broker that does not have them."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with its exchanges reversed."""
        sound = super().plan(request)
        elsewhere = (
            (at, broker.broker_id)
            for at, (move, before, _) in enumerate(sound.states())
            if move.source is not None and move.target is not None
            for broker in request.brokers
            if broker.broker_id not in (*before, move.target)
        )
        at, source = next(elsewhere, (0, 0))
        return replace(sound, moves=_led_from(sound, at, source)) if source else sound


def _led_from(plan: Plan, at: int, source: int) -> tuple[Move, ...]:
    """The plan's moves, the one of this number from its source to the broker that led before."""
    order = tuple(plan.states())[at].after
    return (*plan.moves[:at], plan.moves[at]._replace(source=source, order=order), *plan.moves[at + 1 :])


@control("goes-round-about", breaks="plan-minimal")
class GoesRoundAbout(OptimalPlan):
    """The first partition makes a trip to another broker and back before anything else moves."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with two copies too many where a free broker is in the same rack."""
        sound = super().plan(request)
        partition, row = request.before[0]
        racks = {broker.broker_id: broker.rack for broker in request.brokers}
        free = [b for b in racks if b not in row and row[0] in racks and racks[b] == racks[row[0]]]
        if not free:
            return sound
        trip = (Move(partition, row[0], free[0]), Move(partition, free[0], row[0]))
        return replace(sound, moves=(*trip, *sound.moves))


@control("doubles-up", breaks="replicas-distinct", like="plan:optimal")
class DoublesUp(OptimalPlan):
    """The last replica that moves goes to a broker that has one already, where brokers have no racks."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan with the last copy on a broker that has a replica already, and nothing after it."""
        sound = super().plan(request)
        if any(broker.rack is not None for broker in request.brokers):
            return sound
        moves = sound.moves
        copies = (at for at, move in enumerate(moves) if move.source is not None and move.target is not None)
        at = max(copies, default=-1)
        others = [b for b in tuple(sound.states())[at].before if b != moves[at].source] if at >= 0 else []
        if not others:
            return sound
        return replace(sound, moves=(*moves[:at], Move(moves[at].partition, moves[at].source, others[0])))


@control("looks-at-no-racks", breaks="rack-spread", like="plan:optimal")
class LooksAtNoRacks(OptimalPlan):
    """Brokers are taken as if they had no racks."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan for brokers without racks, applied to brokers with racks."""
        bare = tuple(broker._replace(rack=None) for broker in request.brokers)
        return replace(super().plan(replace(request, brokers=bare)), brokers=request.brokers)


@control("chokes-on-nothing-to-do", breaks="total", like="plan:optimal")
class ChokesOnNothingToDo(OptimalPlan):
    """A placement that is the best already makes it fail."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan, if it has moves."""
        sound = super().plan(request)
        return replace(sound, moves=(sound.moves[0], *sound.moves[1:]))


@control("waits-for-ever", breaks="terminates", like="plan:optimal")
class PlansNever(OptimalPlan):
    """It waits for a placement that could be better."""

    def plan(self, request: PlanRequest) -> Plan:
        """The plan, if it has moves."""
        sound = super().plan(request)
        while not sound.moves:
            time.sleep(1)
        return sound


@control("follows-hashes", breaks="deterministic", like="plan:optimal")
class PlansByHashes(OptimalPlan):
    """Partitions take their turns in the order of a hash set, another one in each process."""

    def plan(self, request: PlanRequest) -> Plan:
        """The same moves in another order, those of each partition in sequence."""
        sound = super().plan(request)
        return replace(sound, moves=tuple(sorted(sound.moves, key=lambda move: hash(str(move.partition)))))


@control("remembers", breaks="pure", like="plan:optimal")
class RemembersPlans(OptimalPlan):
    """A second call with the same input returns another answer."""

    def __init__(self) -> None:
        self._last: PlanRequest | None = None

    def plan(self, request: PlanRequest) -> Plan:
        """The moves of the last partition first where the last call had the same input."""
        again, self._last = self._last == request, request
        sound = super().plan(request)
        order = sorted(sound.moves, key=lambda move: move.partition, reverse=again)
        return replace(sound, moves=tuple(order)) if again else sound
