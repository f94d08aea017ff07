"""Plots by themselves: the plots of pages as SVG that any program draws."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kassay.report.pages.layout import fragment
from kassay.report.pages.plots import BarChart, Chart, ColumnChart, Histograms, LineChart, StripChart

COLOURS: Final = {
    **{f"s{n}": f"data-{n}" for n in range(1, 7)},
    "s7": "edge",
    "s8": "best",
    "ok": "ok",
    "bad": "fault",
}
"""The names of the colours of pages by the series and styles of plots."""
LIGHT: Final = {
    "data-1": "#b4510b",
    "data-2": "#22753a",
    "data-3": "#7b3fa0",
    "data-4": "#b3265f",
    "data-5": "#0c7481",
    "data-6": "#6d5d00",
    "edge": "#6b7682",
    "best": "#1f62b5",
    "ok": "#0b5424",
    "fault": "#b3261e",
}
"""The colours of pages on white paper."""
_MACROS: Final = {
    BarChart: "bars",
    ColumnChart: "columns",
    Histograms: "histograms",
    LineChart: "lines",
    StripChart: "strips",
}


@dataclass(frozen=True)
class Plot:
    """A plot: its title, and the whole file as text."""

    title: str
    svg: str

    def __repr__(self) -> str:
        return f"<Plot: {self.title}>"

    def _repr_svg_(self) -> str:
        return self.svg


def plot_of(chart: Chart) -> Plot:
    """The chart as a file of its own."""
    fills = {look: LIGHT[name] for look, name in COLOURS.items()}
    return Plot(chart.title, f"{str(fragment('svg', _MACROS[type(chart)], chart, fills)).strip()}\n")


def plots_by_title(charts: Iterable[Chart]) -> dict[str, Plot]:
    """The charts as files of their own, by the words of their titles before a colon or a condition."""
    plots: dict[str, Plot] = {}
    for chart in charts:
        about = re.split(r":|, where", chart.title)[0]
        plots["-".join(re.findall(r"\w+", about.lower()))] = plot_of(chart)
    return plots
