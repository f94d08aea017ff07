"""How finely a world's network and its time are modelled, by name; the design's short ids are read too."""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from kassay.model.errors import InputError


class _Level(StrEnum):
    """A level of its name, or of a letter with its place: N0, T1. Raises InputError if there is none."""

    @classmethod
    def short(cls) -> tuple[str, str]:
        """The option that the level is given by, and the letter of its short ids."""
        raise NotImplementedError

    @classmethod
    def _missing_(cls, value: object) -> Self:
        option, letter = cls.short()
        for number, level in enumerate(cls):
            if value == f"{letter}{number}":
                return level
        known = " or ".join(f"{level} ({letter}{number})" for number, level in enumerate(cls))
        raise InputError(f"{option}: unknown level {value!r}; expected {known}")


class NetworkLevel(_Level):
    """What becomes of a request: one step, steps of its own (sent, handled, answered), or it goes astray."""

    ATOMIC = "atomic"
    STEPS = "steps"
    ASTRAY = "astray"

    @classmethod
    def short(cls) -> tuple[str, str]:
        """N0, N1, N2."""
        return "--network", "N"


class ClockLevel(_Level):
    """When a timer fires: once its guard lets it, or when it is due on an integer clock."""

    TIMELESS = "timeless"
    TICKS = "ticks"

    @classmethod
    def short(cls) -> tuple[str, str]:
        """T0, T1."""
        return "--clock", "T"
