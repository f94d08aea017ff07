"""Strips show each figure in its place."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.figures.strips import StripOf, strip_chart
from tests.hostile import SOME

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
