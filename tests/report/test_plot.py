"""Plots as files of their own."""

import re
from xml.etree import ElementTree

from kassay.report.pages.layout import TEMPLATES
from kassay.report.pages.plots import BarOf, ColumnOf, bar_chart, column_chart
from kassay.report.plot import COLOURS, LIGHT, plot_of

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
