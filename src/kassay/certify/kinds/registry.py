"""Which driver serves which kind of target."""

from __future__ import annotations

from functools import cache

from kassay.certify.kinds.driver import Driver
from kassay.certify.kinds.groups import GroupDriver
from kassay.certify.kinds.partitioners import SendingDriver
from kassay.certify.kinds.placements import PlacementDriver
from kassay.certify.kinds.plans import PlanDriver
from kassay.certify.kinds.streams import TaskDriver
from kassay.model.errors import InputError
from kassay.model.kinds import GROUPS, Kind


@cache
def driver_for(kind: Kind) -> Driver:
    """The driver of a kind; raises `InputError` for one that cannot be certified."""
    if kind in GROUPS:
        return GroupDriver(kind)
    if kind == Kind.PLACER:
        return PlacementDriver()
    if kind == Kind.PARTITIONER:
        return SendingDriver()
    if kind == Kind.STREAMS:
        return TaskDriver()
    if kind == Kind.PLANNER:
        return PlanDriver()
    raise InputError(f"targets of kind {kind} cannot be certified")
