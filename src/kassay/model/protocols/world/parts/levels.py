"""How finely a world's network and its time are modelled, by name; the design's short ids are read too."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from kassay.model.errors import InputError


class NetworkLevel(StrEnum):
    """What becomes of a request: one step, steps of its own (sent, handled, answered), or it goes astray."""

    ATOMIC = "atomic"
    STEPS = "steps"
    ASTRAY = "astray"


class ClockLevel(StrEnum):
    """When a timer fires: once its guard lets it, or when it is due on an integer clock."""

    TIMELESS = "timeless"
    TICKS = "ticks"


L = TypeVar("L", NetworkLevel, ClockLevel)


def _level(kind: type[L], option: str, letter: str, spelled: str) -> L:
    """The level of a name, or of a letter with its place: N0, T1. Raises InputError."""
    for number, level in enumerate(kind):
        if spelled in (level.value, f"{letter}{number}"):
            return level
    known = " or ".join(f"{level} ({letter}{number})" for number, level in enumerate(kind))
    raise InputError(f"{option}: unknown level {spelled!r}; expected {known}")


def network_of(spelled: str) -> NetworkLevel:
    """The network of a name or short id (N0, N1, N2); raises InputError if there is none."""
    return _level(NetworkLevel, "--network", "N", spelled)


def time_of(spelled: str) -> ClockLevel:
    """The clock of a name or short id (T0, T1); raises InputError if there is none."""
    return _level(ClockLevel, "--clock", "T", spelled)
