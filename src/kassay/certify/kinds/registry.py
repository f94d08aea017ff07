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


@cache
def driver_for(kind: str) -> Driver:
    """The driver of a kind letter; raises `InputError` for one that cannot be certified."""
    if kind in "CSH":
        return GroupDriver(kind)
    if kind == "P":
        return PlacementDriver()
    if kind == "K":
        return SendingDriver()
    if kind == "T":
        return TaskDriver()
    if kind == "L":
        return PlanDriver()
    raise InputError(f"targets of kind {kind} cannot be certified")
