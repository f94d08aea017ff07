"""The situations of placers and planners, each a predicate over a request or a plan."""

from __future__ import annotations

from typing import Final

from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.plan import Plan
from kassay.model.placement.request import PlacementRequest
from kassay.properties.registry import situation

_SPREADING: Final = ("rack-spread", "leaders-even", "no-fenced-leader")


@situation("uneven-racks", kinds=PLACER, required_by=_SPREADING, excluded_by=("no-racks",))
def has_uneven_racks(request: PlacementRequest) -> bool:
    """Racks have different sizes."""
    racks = [broker.rack for broker in request.brokers]
    return request.has_racks and len({racks.count(rack) for rack in racks}) > 1


@situation("fenced", kinds=PLACER, required_by=_SPREADING)
def has_fenced(request: PlacementRequest) -> bool:
    """There are fenced brokers."""
    return len(request.unfenced) < len(request.brokers)


@situation("rf-near-brokers", kinds=PLACER, required_by=_SPREADING)
def is_near_broker_count(request: PlacementRequest) -> bool:
    """RF = brokers or one less."""
    return len(request.brokers) - request.replication_factor in (0, 1)


@situation("partitions-added", kinds=PLACER, required_by=("leaders-even",))
def adds_partitions(request: PlacementRequest) -> bool:
    """An existing topic grows."""
    return bool(request.existing)


@situation("many-moves", kinds=PLANNER, required_by=("plan-valid",))
def has_many_moves(plan: Plan) -> bool:
    """Several replicas of one partition move in one plan."""
    return len({move.partition for move in plan.moves}) < len(plan.moves)
