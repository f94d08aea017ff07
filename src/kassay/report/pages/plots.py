"""Plots as frozen values: where each mark stands, in per cent of the width; templates draw them.

Axes with round numbers; bars, a row for each thing; strips, with the median, a high quantile and the worst
value; histograms one below the other on the same bins; and lines, distinguished by dashes and by the shape of
their points.
"""

from __future__ import annotations

import math
import zlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from kassay.writing.text import percent

_SERIES: Final = {
    "range": 1,
    "roundrobin": 2,
    "sticky": 3,
    "cooperative-sticky": 4,
    "uniform": 5,
    "server-range": 6,
    "today": 7,
    "actual": 7,
    "optimum": 8,
    "certified optimum": 8,
}
"""The colours of names that most pages show: what is now, the rules of Kafka, and the optimum."""
_FREE: Final = 6
_TICKS_WANTED: Final = 4
_ROUND: Final = (1, 2, 5, 10)


def series_of(name: str) -> int:
    """The number of the colour of a name, the same on every page and for every release.

    >>> series_of("uniform"), series_of("uniform@4.0.1"), series_of("optimum")
    (5, 5, 8)
    """
    rule = name.partition("@")[0]
    return _SERIES.get(rule) or zlib.crc32(rule.encode("utf-8", "surrogatepass")) % _FREE + 1


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
    """A row: its label, its number as text, its bar in per cent, its colour, and its mark."""

    label: str
    text: str
    width: float
    series: int
    best: float | None = None


class BarChart(NamedTuple):
    """Bars on a common scale; `title` says what their length means, `marked` what the marks in them are."""

    title: str
    bars: tuple[Bar, ...]
    marked: str = ""


class BarOf(NamedTuple):
    """A number of the input; None has no bar. `group` names its colour; `best` has the mark."""

    label: str
    value: float | None
    text: str
    group: str = ""
    best: float | None = None


def bar_chart(title: str, rows: Iterable[BarOf], *, whole: float | None = None, marked: str = "") -> BarChart:
    """The bars of the rows in order; the longest, or `whole` if given, has the full width."""
    rows = tuple(rows)
    top = whole or max((each or 0.0 for row in rows for each in (row.value, row.best)), default=0.0) or 1.0

    def at(value: float) -> float:
        return round(100 * min(value / top, 1), 2)

    bars = (
        Bar(
            row.label,
            row.text,
            at(row.value or 0.0),
            series_of(row.group or row.label),
            None if row.best is None else at(row.best),
        )
        for row in rows
    )
    return BarChart(title, tuple(bars), marked)


class PlotColumn(NamedTuple):
    """A column: its place, width and height in per cent, its mark or None, its style, its words."""

    at: float
    width: float
    height: float
    best: float | None
    look: str
    text: str


class ColumnChart(NamedTuple):
    """A number for each place of an axis, such as a number of members, as columns from 0 to `top`."""

    title: str
    columns: tuple[PlotColumn, ...]
    axis: tuple[Tick, ...]
    top: str
    across: str


class ColumnOf(NamedTuple):
    """A number of the input at a place of the axis, its style, and its words."""

    label: str
    value: float
    best: float | None
    look: str
    text: str


def column_chart(title: str, rows: Sequence[ColumnOf], across: str) -> ColumnChart:
    """The columns of the rows in order; the tallest has the full height."""
    top = max((each or 0.0 for row in rows for each in (row.value, row.best)), default=0.0) or 1.0
    width = 100 / max(1, len(rows))
    columns = tuple(
        PlotColumn(
            round(place * width, 2),
            round(width, 2),
            round(100 * row.value / top, 2),
            None if row.best is None else round(100 - 100 * row.best / top, 2),
            row.look,
            row.text,
        )
        for place, row in enumerate(rows)
    )
    apart = -(-len(rows) // _LABELS_MAX)
    axis = tuple(
        Tick(round((place + 0.5) * width, 2), row.label)
        for place, row in enumerate(rows)
        if place % apart == 0
    )
    return ColumnChart(title, columns, axis, plain(top), across)


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
    unit: str = "logarithmic axis"


def strip_chart(title: str, rows: Iterable[StripOf]) -> StripChart:
    """The strips of the rows in order."""
    rows = tuple(rows)
    scale = scale_of([value or 0.0 for row in rows for _, value in row.marks], tailed=True)
    strips = []
    for row in rows:
        words = ", ".join(f"{name} {'-' if value is None else plain(value)}" for name, value in row.marks)
        marks = tuple(
            StripMark(scale.at(value), name, plain(value)) for name, value in row.marks if value is not None
        )
        strips.append(Strip(row.label, words, marks, series_of(row.group or row.label)))
    return StripChart(title, tuple(strips), scale.ticks)


NEVER: Final = -1
"""The value of an item without one: it has its own bin, the last."""
_APART_MAX: Final = 8
"""This many values have a bin each; after them each bin is twice as wide as the one before."""


_LABELS_MAX: Final = 9
"""This many bins or columns are labelled."""


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
    """Histograms with common bins and one scale; `unit` says which share the full height is."""

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
        return plain(self.low) if self.low == self.high else f"{plain(self.low)}–{plain(self.high)}"


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
    counted = {label: _counts(counts, bins) for label, counts in rows.items()}
    shares = {label: [each / (sum(binned) or 1) for each in binned] for label, binned in counted.items()}
    top = max((share for each in shares.values() for share in each), default=0.0) or 1.0
    finished = []
    for label, binned in counted.items():
        total = sum(binned)
        columns = tuple(
            HistogramColumn(
                round(place * width, 2),
                round(width, 2),
                round(100 * share / top, 2),
                f"{each.label}: {count:,} of {total:,} ({percent(share)})",
            )
            for place, (each, count, share) in enumerate(zip(bins, binned, shares[label], strict=True))
            if count
        )
        text = (texts or {}).get(label, f"{total:,} {unit}")
        finished.append(HistogramRow(label, text, columns, series_of(label)))
    apart = -(-len(bins) // _LABELS_MAX)
    axis = tuple(
        Tick(round((place + 0.5) * width, 2), each.label)
        for place, each in enumerate(bins)
        if place % apart == 0 or each.low == NEVER
    )
    wide = "; wider bins are labelled with their range" if any(each.low != each.high for each in bins) else ""
    return Histograms(title, tuple(finished), axis, f"{unit}{wide}; full height: {percent(top)}")


def _counts(counts: Counter[int], bins: Sequence[Bin]) -> list[int]:
    return [sum(n for value, n in counts.items() if each.low <= value <= each.high) for each in bins]


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
    """A line: its label, its points in order, the strokes between them, its colour, its dashes."""

    label: str
    points: tuple[Point, ...]
    strokes: tuple[Stroke, ...]
    series: int
    shape: int


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
    stated = f"{across}, logarithmic axis" if x_scale.is_logarithmic else across
    return LineChart(title, stated, up, lines, x_scale.ticks, y_axis)


Chart = BarChart | ColumnChart | Histograms | LineChart | StripChart

_TICKS_MAX: Final = 8
_FAR: Final = 20
"""An axis is logarithmic if its greatest value is more than this many times its least."""
_APART: Final = 6
"""Ticks are at least this many per cent of the axis apart; others are left out."""


class _Across(NamedTuple):
    """The axis from the least to the greatest of these values; logarithmic for a wide range."""

    values: Sequence[float]

    @property
    def is_logarithmic(self) -> bool:
        return bool(self.values) and self.values[0] > 0 and self.values[-1] / self.values[0] > _FAR

    def at(self, value: float) -> float:
        low, high = self.values[0], self.values[-1]
        if low == high:
            return 50.0
        if self.is_logarithmic:
            return round(100 * math.log(value / low) / math.log(high / low), 2)
        return round(100 * (value - low) / (high - low), 2)

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
    return Line(label, marks, strokes, series_of(label), number)
