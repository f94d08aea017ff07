"""The place of a value on an axis, in per cent, and round numbers as ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple

_TICKS_WANTED: Final = 4
_ROUND: Final = (1, 2, 5, 10)


class Tick(NamedTuple):
    """A round number on an axis; `at` is its place in per cent of the axis, from its start."""

    at: float
    label: str


class Axis(NamedTuple):
    """An axis from 0 to `top`; a `tailed` one gives each factor of ten the same length, and 0 a place too."""

    top: float
    tailed: bool = False

    def at(self, value: float) -> float:
        """The place of the value in per cent of the axis: 0 to 100, whatever the value."""
        if self.top <= 0:
            return 0.0
        part = math.log1p(max(value, 0)) / math.log1p(self.top) if self.tailed else value / self.top
        return round(100 * min(max(part, 0.0), 1.0), 2)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """Round numbers from 0 to the top."""
        values = _powers(self.top) if self.tailed else _steps(self.top)
        return tuple(Tick(self.at(value), plain(value)) for value in values)


def scale_of(values: Sequence[float], *, tailed: bool = False) -> Axis:
    """The axis that covers the values; without values or with zeros alone, one up to 1."""
    top = max(values, default=0.0)
    if top <= 0:
        top = 1.0
    if not tailed:
        step = _step(top)
        top = step * math.ceil(top / step - 1e-9)
    return Axis(top, tailed)


def plain(value: float) -> str:
    """A number in a few digits, with separators of thousands.

    >>> plain(0.25), plain(3.0), plain(12345.6)
    ('0.25', '3', '12,346')
    """
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:,.0f}"


def _step(top: float) -> float:
    rough = top / _TICKS_WANTED
    unit: float = 10.0 ** math.floor(math.log10(rough))
    return next(unit * factor for factor in _ROUND if unit * factor >= rough - 1e-12)


def _steps(top: float) -> list[float]:
    step = _step(top)
    return [round(step * number, 12) for number in range(math.floor(top / step + 1e-9) + 1)]


def _powers(top: float) -> list[float]:
    if top < 2:
        return _steps(top)
    if top < 10:
        return [float(value) for value in range(math.floor(top) + 1)]
    count = math.floor(math.log10(top) + 1e-9)
    return [0.0, *(10.0**power for power in range(count + 1))]
