"""Which driver serves which kind of target."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from kassay.certify.kinds.connect import ConnectDriver
from kassay.certify.kinds.groups import GroupDriver
from kassay.certify.kinds.judging import Driver
from kassay.certify.kinds.partitioners import SendsDriver
from kassay.certify.kinds.placements import PlacementDriver
from kassay.certify.kinds.plans import PlanDriver
from kassay.certify.kinds.streams import TaskDriver
from kassay.model.errors import InputError
from kassay.model.kinds import GROUPS, Kind

_DRIVERS: Final[dict[Kind, type[Driver[Any]]]] = {
    **dict.fromkeys(GROUPS, GroupDriver),
    Kind.PLACER: PlacementDriver,
    Kind.PARTITIONER: SendsDriver,
    Kind.STREAMS: TaskDriver,
    Kind.PLANNER: PlanDriver,
    Kind.CONNECT: ConnectDriver,
}


@cache
def driver_for(kind: Kind) -> Driver[Any]:
    """The driver of a kind; raises `InputError` for one that cannot be certified."""
    if kind not in _DRIVERS:
        raise InputError(f"targets of kind {kind} cannot be certified")
    return _DRIVERS[kind](kind)
