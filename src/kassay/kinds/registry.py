"""Which driver serves which kind of target."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

from kassay.kinds.judging import Driver
from kassay.model.connect.kinds import CONNECT
from kassay.model.errors import InputError
from kassay.model.groups.kinds import GROUPS
from kassay.model.kinds import Kind
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.streams.kinds import STREAMS

_DRIVERS: Final = {
    **dict.fromkeys(GROUPS, ("groups", "GroupDriver")),
    PLACER: ("placements", "PlacementDriver"),
    PARTITIONER: ("partitioners", "SendsDriver"),
    STREAMS: ("streams", "TaskDriver"),
    PLANNER: ("plans", "PlanDriver"),
    CONNECT: ("connect", "ConnectDriver"),
}
"""The file beside this one, and the class in it: a run of one kind waits for no other's solvers."""


@cache
def driver_for(kind: Kind) -> Driver[Any]:
    """The driver of a kind; raises `InputError` for one that cannot be certified."""
    if kind not in _DRIVERS:
        raise InputError(f"targets of kind {kind} cannot be certified")
    file, name = _DRIVERS[kind]
    driver: Driver[Any] = getattr(import_module(f"kassay.certify.kinds.{file}"), name)(kind)
    return driver
