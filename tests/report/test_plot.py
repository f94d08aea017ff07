"""Plots as files of their own."""

import re
from xml.etree import ElementTree

from kassay.report.pages.layout import TEMPLATES
from kassay.report.pages.plots import (
    BarOf,
    ColumnOf,
    StripOf,
    bar_chart,
    column_chart,
    line_chart,
    strip_chart,
)
from kassay.report.plot import COLOURS, LIGHT, plot_of, plots_by_title

SVG = "{http://www.w3.org/2000/svg}"


def test_the_colours_are_those_of_the_pages():
    style = (TEMPLATES / "page.css").read_text(encoding="utf-8").partition("prefers-color-scheme")[0]
    page = dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6})", style))
    assert {name: page[name] for name in LIGHT} == LIGHT
    assert set(COLOURS.values()) == set(LIGHT)


def test_names_are_text():
    plot = plot_of(bar_chart("<b>moves</b>", [BarOf("a&b\x1b", 2, "2", best=1)], marked="the optimum"))
    texts = [each.text for each in ElementTree.fromstring(plot.svg).iter(f"{SVG}text")]
    assert texts == ["<b>moves</b>", "a&b\\x1b", "2", "line: the optimum"]


def test_columns_have_their_looks_and_marks():
    rows = [ColumnOf(str(n), n, n - 1, "ok now" if n == 2 else "bad", f"{n}") for n in (1, 2, 3)]
    root = ElementTree.fromstring(plot_of(column_chart("loads", rows, "members")).svg)
    _, *columns = root.iter(f"{SVG}rect")
    assert [each.get("fill") for each in columns] == [LIGHT["fault"], LIGHT["ok"], LIGHT["fault"]]
    assert [each.get("stroke") for each in columns] == [None, "#16191d", None]
    tops = [float(each.get("y")) for each in columns]
    assert tops == sorted(tops, reverse=True) and tops[-1] == 60
    marks = [each for each in root.iter(f"{SVG}line") if each.get("stroke") == LIGHT["best"]]
    assert len(marks) == 3


def titles(plot):
    return [each.text for each in ElementTree.fromstring(plot.svg).iter(f"{SVG}title")]


def test_strips_and_lines_name_their_points():
    strips = strip_chart("gap", [StripOf("a<b", (("median", 1), ("worst", 8)))])
    assert titles(plot_of(strips)) == ["gap", "median 1", "worst 8"]
    lines = line_chart("gap", {"a": [(1, 0), (3, 2)], "b": [(1, 1)]}, across="members", up="gap")
    root = ElementTree.fromstring(plot_of(lines).svg)
    points = [f"{line.label}, {each.text}" for line in lines.lines for each in line.points]
    assert titles(plot_of(lines)) == ["gap", "a", "b", *points]
    corners = {each.get("transform") for each in root.iter(f"{SVG}g")}
    assert {"translate(80.0 384.0)", "translate(740.0 104.0)"} <= corners


def test_plots_are_named_by_what_their_titles_begin_with():
    charts = [
        bar_chart(title, [BarOf("a", 1, "1")]) for title in ("Gap: median", "Needless, where least", "b")
    ]
    assert list(plots_by_title(charts)) == ["gap", "needless", "b"]
