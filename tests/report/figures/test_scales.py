"""Axes: every value has its place, in order, with round numbers beside it."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.figures.scales import plain, scale_of
from tests.hostile import SOME

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
