"""The detail levels of a world's network and time, by name; the design's short ids are accepted too."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeVar

from kassay.model.errors import InputError

Level = TypeVar("Level", bound=StrEnum)


def _by_short_id(levels: type[Level], option: str, letter: str, value: object) -> Level:
    """The level from a letter with its index: N0, T1. Raises InputError that names the option."""
    short = {f"{letter}{number}": level for number, level in enumerate(levels)}
    if isinstance(value, str) and value in short:
        return short[value]
    known = " or ".join(f"{level} ({name})" for name, level in short.items())
    raise InputError(f"{option}: unknown level {value!r}; expected {known}")


class NetworkLevel(StrEnum):
    """The handling of a request: one step, separate steps (sent, handled, answered), or going astray."""

    ATOMIC = "atomic"
    STEPS = "steps"
    ASTRAY = "astray"

    @classmethod
    def _missing_(cls, value: object) -> NetworkLevel:
        return _by_short_id(cls, "--network", "N", value)


class ClockLevel(StrEnum):
    """When a timer fires: once its guard allows, or when it is due on an integer clock."""

    TIMELESS = "timeless"
    TICKS = "ticks"

    @classmethod
    def _missing_(cls, value: object) -> ClockLevel:
        return _by_short_id(cls, "--clock", "T", value)
