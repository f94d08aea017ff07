"""Histograms below each other on the same bins, for comparison at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from kassay.report.figures.scales import Tick, plain

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
                f"{each.label}: {count:,} of {total:,} ({count / total:.1%})",
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
