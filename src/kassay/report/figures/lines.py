"""Lines: one number over another, one line per item, distinguished by dashes and by the shape of points."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from kassay.report.figures.scales import Axis, Tick, plain, scale_of


class Point(NamedTuple):
    """A point: its place in per cent from the left and from the top, and its two numbers in words."""

    x: float
    y: float
    text: str


class Stroke(NamedTuple):
    """A straight piece of a line, from one point to the next, in per cent."""

    x1: float
    y1: float
    x2: float
    y2: float


class Line(NamedTuple):
    """A line: its label, its points in order, the strokes between them, and its series."""

    label: str
    points: tuple[Point, ...]
    strokes: tuple[Stroke, ...]
    series: int


class LineChart(NamedTuple):
    """Lines on common axes; `across` and `up` name what the axes count."""

    title: str
    across: str
    up: str
    lines: tuple[Line, ...]
    x_axis: tuple[Tick, ...]
    y_axis: tuple[Tick, ...]


def line_chart(
    title: str, series: Mapping[str, Sequence[tuple[float, float]]], *, across: str, up: str
) -> LineChart:
    """One line per name through its points (x, y), in the order of x."""
    points = [point for line in series.values() for point in line]
    x_scale = _Across(sorted({x for x, _ in points}))
    y_scale = scale_of([y for _, y in points])
    lines = tuple(
        _line(label, sorted(line), number, x_scale, y_scale)
        for number, (label, line) in enumerate(series.items())
    )
    y_axis = tuple(Tick(round(100 - tick.at, 2), tick.label) for tick in y_scale.ticks)
    return LineChart(title, across, up, lines, x_scale.ticks, y_axis)


_TICKS_MAX: Final = 8
_APART: Final = 6
"""Ticks are at least this many per cent of the axis apart; others are left out."""


class _Across(NamedTuple):
    """The axis from the least to the greatest of these values; logarithmic for a wide range."""

    values: Sequence[float]

    def at(self, value: float) -> float:
        low, high = self.values[0], self.values[-1]
        if low == high:
            return 50.0
        far = low > 0 and high / low > 20
        part = math.log(value / low) / math.log(high / low) if far else (value - low) / (high - low)
        return round(100 * part, 2)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        kept: list[Tick] = []
        for value in self.values:
            place = self.at(value)
            if not kept or place - kept[-1].at >= _APART:
                kept.append(Tick(place, plain(value)))
        return tuple(kept[:: -(-len(kept) // _TICKS_MAX)] if kept else ())


def _line(
    label: str, points: Sequence[tuple[float, float]], number: int, x_scale: _Across, y_scale: Axis
) -> Line:
    marks = tuple(
        Point(x_scale.at(x), round(100 - y_scale.at(y), 2), f"{plain(x)}: {plain(y)}") for x, y in points
    )
    strokes = tuple(Stroke(a.x, a.y, b.x, b.y) for a, b in pairwise(marks))
    return Line(label, marks, strokes, number)
