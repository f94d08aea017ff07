"""Bars: one row per item, as long as its number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


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
