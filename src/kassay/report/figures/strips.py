"""Strips: one row per item, with its median, its high quantile and its worst value on one axis."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from kassay.report.figures.scales import Tick, plain, scale_of


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
