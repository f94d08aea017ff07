"""Bars are as long as their numbers."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.figures.bars import BarOf, bar_chart
from tests.hostile import SOME

NUMBERS = st.lists(st.none() | st.floats(0, 1e9), max_size=9)


@SOME
@given(NUMBERS)
def test_bars_keep_their_order_and_their_proportions(numbers: list[float | None]) -> None:
    chart = bar_chart("t", [BarOf(str(n), number, "x", str(n % 3)) for n, number in enumerate(numbers)])
    assert [bar.label for bar in chart.bars] == [str(n) for n in range(len(numbers))]
    top = max((number or 0 for number in numbers), default=0)
    for bar, number in zip(chart.bars, numbers, strict=True):
        assert abs(bar.width - (100 * (number or 0) / top if top else 0)) <= 0.01
    assert [bar.series for bar in chart.bars] == [n % 3 for n in range(len(numbers))]


def test_shares_have_a_whole() -> None:
    (bar,) = bar_chart("t", [BarOf("a", 0.25, "25 %")], whole=1.0).bars
    assert bar.width == 25
