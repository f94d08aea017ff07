"""Bars are as long as their numbers.

Histograms lose nothing, and stand on the same bins.

Lines go through their points in order.

Axes: every value has its place, in order, with round numbers beside it.

Strips show each figure in its place.
"""

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.pages.plots import (
    NEVER,
    BarOf,
    ColumnOf,
    StripOf,
    bar_chart,
    bins_of,
    column_chart,
    histograms,
    line_chart,
    plain,
    scale_of,
    series_of,
    strip_chart,
)
from tests.hostile import SOME


def test_a_name_has_the_same_colour_on_every_plot() -> None:
    bars = bar_chart("t", [BarOf("sticky", 1, ""), BarOf("uniform@4.0.1", 2, "")]).bars
    rows = histograms("t", {"uniform": Counter({0: 1}), "sticky": Counter({0: 1})}, "members").rows
    assert [bar.series for bar in bars] == [row.series for row in reversed(rows)]
    assert series_of("mine.py") in range(1, 7)


def test_columns_are_on_one_scale_with_their_marks() -> None:
    chart = column_chart("t", [ColumnOf("1", 4, 4, "ok", "a"), ColumnOf("2", 8, 2, "bad", "b")], "members")
    assert [(each.height, each.best) for each in chart.columns] == [(50, 50), (100, 75)]
    assert chart.top == "8"
    assert [tick.label for tick in chart.axis] == ["1", "2"]


def test_wide_bins_and_logarithmic_axes_are_stated() -> None:
    drawn = histograms("t", {"a": Counter({0: 3, 40: 1})}, "moves")
    assert "38–69" in {tick.label for tick in drawn.axis}
    assert drawn.unit == "moves; wider bins are labelled with their range; full height: 75 %"
    assert line_chart("t", {"a": [(1, 1), (500, 2)]}, across="members", up="gap").across.endswith(
        "logarithmic axis"
    )
    assert strip_chart("t", []).unit == "logarithmic axis"


NUMBERS = st.lists(st.none() | st.floats(0, 1e9), max_size=9)


@SOME
@given(NUMBERS)
def test_bars_keep_their_order_and_their_proportions(numbers: list[float | None]) -> None:
    chart = bar_chart("t", [BarOf(str(n), number, "x", str(n % 3)) for n, number in enumerate(numbers)])
    assert [bar.label for bar in chart.bars] == [str(n) for n in range(len(numbers))]
    top = max((number or 0 for number in numbers), default=0)
    for bar, number in zip(chart.bars, numbers, strict=True):
        assert abs(bar.width - (100 * (number or 0) / top if top else 0)) <= 0.01
    assert all(1 <= bar.series <= 8 for bar in chart.bars)


def test_shares_have_a_whole() -> None:
    (bar,) = bar_chart("t", [BarOf("a", 0.25, "25 %")], whole=1.0).bars
    assert bar.width == 25


COUNTS = st.dictionaries(st.integers(0, 3000) | st.just(NEVER), st.integers(1, 99), min_size=1).map(Counter)


@SOME
@given(st.lists(st.integers(0, 10**6) | st.just(NEVER)))
def test_every_value_is_in_one_bin(values: list[int]) -> None:
    bins = bins_of(values)
    assert all(sum(each.low <= value <= each.high for each in bins) == 1 for value in values)
    assert len(bins) <= 30


@SOME
@given(st.dictionaries(st.sampled_from("abc"), COUNTS, min_size=1))
def test_the_columns_count_all_on_one_scale(rows: dict[str, Counter[int]]) -> None:
    drawn = histograms("t", rows, "outcomes")
    heights: dict[float, float] = {}
    assert [row.label for row in drawn.rows] == list(rows)
    for row, counts in zip(drawn.rows, rows.values(), strict=True):
        told = [int(column.text.split(": ")[1].split(" of ")[0].replace(",", "")) for column in row.columns]
        assert sum(told) == sum(counts.values())
        assert all(column.at >= 0 and column.at + column.width <= 100.1 for column in row.columns)
        shares = [number / sum(told) for number in told]
        for column, share in zip(row.columns, shares, strict=True):
            heights[share] = column.height
    top = max(heights)
    assert all(abs(height - 100 * share / top) < 0.02 for share, height in heights.items())


def test_what_never_ends_stands_last() -> None:
    drawn = histograms("rounds", {"a": Counter({1: 3, 2: 1, NEVER: 1})}, "changes", {"a": "words"})
    assert [tick.label for tick in drawn.axis] == ["1", "2", "never"]
    assert [column.text for column in drawn.rows[0].columns][-1] == "never: 1 of 5 (20 %)"
    assert drawn.rows[0].text == "words"


POINTS = st.lists(
    st.tuples(st.integers(0, 500), st.floats(0, 1e6)), unique_by=lambda point: point[0], max_size=6
)


@SOME
@given(st.dictionaries(st.sampled_from("abc"), POINTS))
def test_higher_numbers_stand_higher_and_strokes_join_the_points(
    series: dict[str, list[tuple[int, float]]],
) -> None:
    chart = line_chart("t", series, across="members", up="gap")
    assert [line.label for line in chart.lines] == list(series)
    for line, points in zip(chart.lines, series.values(), strict=True):
        assert len(line.strokes) == max(0, len(points) - 1)
        assert [(s.x1, s.y1) for s in line.strokes] == [(p.x, p.y) for p in line.points][:-1]
        for (_, y), mark in zip(sorted(points), line.points, strict=True):
            assert all(
                mark.y <= other.y for (_, lower), other in zip(sorted(points), line.points) if lower < y
            )
    assert line_chart("t", {}, across="a", up="b").lines == ()


VALUES = st.floats(0, 1e9, allow_nan=False, allow_subnormal=False).map(lambda value: round(value, 6))


@SOME
@given(st.lists(VALUES), st.booleans())
def test_places_are_in_the_order_of_the_values_and_within_the_axis(values: list[float], tailed: bool) -> None:
    scale = scale_of(values, tailed=tailed)
    places = [scale.at(value) for value in sorted(values)]
    assert places == sorted(places)
    assert all(0 <= place <= 100 for place in places)
    assert scale.at(0) == 0
    if values and max(values) > 1:
        assert tailed is False or scale.at(max(values)) == 100


@SOME
@given(st.lists(VALUES, min_size=1), st.booleans())
def test_ticks_are_few_begin_at_nothing_and_do_not_meet(values: list[float], tailed: bool) -> None:
    ticks = scale_of(values, tailed=tailed).ticks
    assert ticks[0].at == 0
    assert 2 <= len(ticks) <= 12
    assert all(before.at < after.at for before, after in itertools.pairwise(ticks))
    assert len({tick.label for tick in ticks}) == len(ticks)


def test_a_factor_of_ten_has_the_same_room() -> None:
    ticks = scale_of([1000], tailed=True).ticks
    assert [tick.label for tick in ticks] == ["0", "1", "10", "100", "1,000"]
    gaps = [after.at - before.at for before, after in itertools.pairwise(ticks[2:])]
    assert max(gaps) - min(gaps) < 1.5


def test_numbers_are_short() -> None:
    assert [plain(value) for value in (0, 7.0, 0.123456, 1234.5, 1e6)] == [
        "0",
        "7",
        "0.123",
        "1,234",
        "1,000,000",
    ]


FIGURES = st.lists(st.integers(0, 10**6), min_size=3, max_size=3).map(sorted)


@SOME
@given(st.lists(FIGURES, max_size=6))
def test_marks_are_in_the_order_of_the_figures_on_one_axis(rows: list[list[int]]) -> None:
    names = ("median", "p99", "worst")
    chart = strip_chart(
        "t", [StripOf(str(n), tuple(zip(names, row, strict=True))) for n, row in enumerate(rows)]
    )
    flat = sorted(
        (figure, mark.at)
        for row, strip in zip(rows, chart.strips, strict=True)
        for figure, mark in zip(row, strip.marks, strict=True)
    )
    assert [at for _, at in flat] == sorted(at for _, at in flat)
    assert all(0 <= at <= 100 for _, at in flat)


def test_what_is_not_known_has_no_mark_and_is_said() -> None:
    (strip,) = strip_chart("t", [StripOf("a", (("median", 0), ("worst", None)))]).strips
    assert (len(strip.marks), strip.text) == (1, "median 0, worst -")
