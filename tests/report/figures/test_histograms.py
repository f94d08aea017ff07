"""Histograms lose nothing, and stand on the same bins."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.figures.histograms import NEVER, bins_of, histograms
from tests.hostile import SOME

COUNTS = st.dictionaries(st.integers(0, 3000) | st.just(NEVER), st.integers(1, 99), min_size=1).map(Counter)


@SOME
@given(st.lists(st.integers(0, 10**6) | st.just(NEVER)))
def test_every_value_is_in_one_bin(values: list[int]) -> None:
    bins = bins_of(values)
    assert all(sum(each.low <= value <= each.high for each in bins) == 1 for value in values)
    assert len(bins) <= 30


@SOME
@given(st.dictionaries(st.sampled_from("abc"), COUNTS, min_size=1))
def test_the_columns_count_all_and_the_tallest_is_whole(rows: dict[str, Counter[int]]) -> None:
    drawn = histograms("t", rows, "outcomes")
    assert [row.label for row in drawn.rows] == list(rows)
    for row, counts in zip(drawn.rows, rows.values(), strict=True):
        told = [int(column.text.split(": ")[1].split(" of ")[0].replace(",", "")) for column in row.columns]
        assert sum(told) == sum(counts.values())
        assert max(column.height for column in row.columns) == 100
        assert all(column.at >= 0 and column.at + column.width <= 100.1 for column in row.columns)


def test_what_never_ends_stands_last() -> None:
    drawn = histograms("rounds", {"a": Counter({1: 3, 2: 1, NEVER: 1})}, "changes", {"a": "words"})
    assert [tick.label for tick in drawn.axis] == ["1", "2", "never"]
    assert [column.text for column in drawn.rows[0].columns][-1] == "never: 1 of 5 (20.0%)"
    assert drawn.rows[0].text == "words"
