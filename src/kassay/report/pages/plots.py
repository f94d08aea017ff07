"""Plots as frozen values: where each mark stands, in per cent of the width; templates draw them.

Axes with round numbers; bars, a row for each thing; strips, with the median, a high quantile and the worst
value; histograms one below the other on the same bins; and lines, distinguished by dashes and by the shape of
their points.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from kassay.writing.text import percent

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


class Bar(NamedTuple):
    """A row: its label, its number as text, the length of its bar in per cent, and its series."""

    label: str
    text: str
    width: float
    series: int


class BarChart(NamedTuple):
    """Bars on a common scale; `title` says what their length means."""

    title: str
    bars: tuple[Bar, ...]


class BarOf(NamedTuple):
    """A number of the input; None has no bar. Bars of one `group` have the same style."""

    label: str
    value: float | None
    text: str
    group: str = ""


def bar_chart(title: str, rows: Iterable[BarOf], *, whole: float | None = None) -> BarChart:
    """The bars of the rows in order; the longest, or `whole` if given, has the full width."""
    rows = tuple(rows)
    top = whole or max((row.value or 0.0 for row in rows), default=0.0) or 1.0
    groups = list(dict.fromkeys(row.group for row in rows))
    bars = (
        Bar(row.label, row.text, round(100 * min((row.value or 0.0) / top, 1), 2), groups.index(row.group))
        for row in rows
    )
    return BarChart(title, tuple(bars))


class StripOf(NamedTuple):
    """A row of the input: figures by name in order, the smallest first; None for a missing one."""

    label: str
    marks: tuple[tuple[str, float | None], ...]
    group: str = ""


class StripMark(NamedTuple):
    """A figure of a row: its place in per cent, its name, its value as text. The last one is the worst."""

    at: float
    name: str
    text: str


class Strip(NamedTuple):
    """A row: its label, its figures in words, their marks, and its series."""

    label: str
    text: str
    marks: tuple[StripMark, ...]
    series: int


class StripChart(NamedTuple):
    """Strips on a common axis that gives each factor of ten the same length."""

    title: str
    strips: tuple[Strip, ...]
    axis: tuple[Tick, ...]


def strip_chart(title: str, rows: Iterable[StripOf]) -> StripChart:
    """The strips of the rows in order."""
    rows = tuple(rows)
    scale = scale_of([value or 0.0 for row in rows for _, value in row.marks], tailed=True)
    groups = list(dict.fromkeys(row.group for row in rows))
    strips = []
    for row in rows:
        words = ", ".join(f"{name} {'-' if value is None else plain(value)}" for name, value in row.marks)
        marks = tuple(
            StripMark(scale.at(value), name, plain(value)) for name, value in row.marks if value is not None
        )
        strips.append(Strip(row.label, words, marks, groups.index(row.group)))
    return StripChart(title, tuple(strips), scale.ticks)


NEVER: Final = -1
"""The value of an item without one: it has its own bin, the last."""
_APART_MAX: Final = 8
"""This many values have a bin each; after them each bin is twice as wide as the one before."""


_LABELS_MAX: Final = 9
"""This many bins are labelled, by their first number."""


class HistogramColumn(NamedTuple):
    """A bar of a histogram: its place and width in per cent, its height in per cent of the row, its words."""

    at: float
    width: float
    height: float
    text: str


class HistogramRow(NamedTuple):
    """One histogram: its label, its figures in words, its columns, and its series."""

    label: str
    text: str
    columns: tuple[HistogramColumn, ...]
    series: int


class Histograms(NamedTuple):
    """Histograms with common bins; the tallest column of each has the full height of its row."""

    title: str
    rows: tuple[HistogramRow, ...]
    axis: tuple[Tick, ...]
    unit: str


class Bin(NamedTuple):
    """The whole numbers from `low` to `high`, both included."""

    low: int
    high: int

    @property
    def label(self) -> str:
        """The numbers of the bin."""
        if self.low == NEVER:
            return "never"
        return plain(self.low) if self.low == self.high else f"{plain(self.low)} to {plain(self.high)}"


def bins_of(values: Sequence[int]) -> tuple[Bin, ...]:
    """Bins that cover all the values: one for each small number, then each twice as wide as the last."""
    proper = [value for value in values if value != NEVER]
    low, top = min(proper, default=0), max(proper, default=0)
    bins = [Bin(value, value) for value in range(low, min(top, low + _APART_MAX - 1) + 1)]
    width = 2
    while bins[-1].high < top:
        start = bins[-1].high + 1
        bins.append(Bin(start, start + width - 1))
        width *= 2
    return (*bins, Bin(NEVER, NEVER)) if NEVER in values else tuple(bins)


def histograms(
    title: str, rows: Mapping[str, Counter[int]], unit: str, texts: Mapping[str, str] | None = None
) -> Histograms:
    """One histogram per name, of whole numbers with their counts. `unit` names what is counted.

    `texts` has the words on each; the default is the total count.
    """
    bins = bins_of([value for counts in rows.values() for value in counts])
    width = 100 / len(bins)
    finished = []
    for series, (label, counts) in enumerate(rows.items()):
        total = sum(counts.values())
        heights = [sum(n for value, n in counts.items() if each.low <= value <= each.high) for each in bins]
        top = max(heights, default=0) or 1
        columns = tuple(
            HistogramColumn(
                round(place * width, 2),
                round(width, 2),
                round(100 * count / top, 2),
                f"{each.label}: {count:,} of {total:,} ({percent(count / total)})",
            )
            for place, (each, count) in enumerate(zip(bins, heights, strict=True))
            if count
        )
        finished.append(HistogramRow(label, (texts or {}).get(label, f"{total:,} {unit}"), columns, series))
    apart = -(-len(bins) // _LABELS_MAX)
    axis = tuple(
        Tick(round((place + 0.5) * width, 2), each.label if each.low == NEVER else plain(each.low))
        for place, each in enumerate(bins)
        if place % apart == 0 or each.low == NEVER
    )
    return Histograms(title, tuple(finished), axis, unit)


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
