"""What a field may hold, and how a complaint about one reads."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.shape.codec import MOST
from kassay.reading.fields import (
    Bound,
    Count,
    Name,
    Positive,
    Seconds,
    at_least,
    difference,
    shown,
    within,
    wrong,
)


def bound_of(narrowed: Any) -> Bound:
    """The bound in an annotated type."""
    (_, bound) = get_args(narrowed)
    assert isinstance(bound, Bound)
    return bound


@pytest.mark.parametrize(
    ("narrowed", "inside", "outside"),
    [
        (Name, ["a", " "], [""]),
        (Count, [0, 7], [-1]),
        (Positive, [1, 7], [0, -1]),
        (Seconds, [0.001, 3], [0, -0.5]),
    ],
)
def test_a_bound_holds_up_to_its_edge(narrowed: Any, inside: list[Any], outside: list[Any]) -> None:
    holds = bound_of(narrowed).holds
    assert [bool(holds(value)) for value in (*inside, *outside)] == [True] * len(inside) + [False] * len(
        outside
    )


@given(st.integers(), st.integers())
def test_at_least_is_not_below(least: int, value: int) -> None:
    bound = at_least(least)
    assert bound.holds(value) is (value >= least)
    assert bound.expected == f"a whole number from {least} on"


@given(st.one_of(st.text(max_size=80), st.lists(st.integers(), max_size=30), st.none()))
def test_a_quoted_value_is_one_short_line(value: object) -> None:
    text = shown(value)
    assert "\n" not in text
    assert len(text) <= 60
    assert text == repr(value) or (text.endswith("...") and len(text) == 60)
    assert repr(value).startswith(text.removesuffix("..."))


def test_a_value_is_cut_where_it_is_longer_than_a_line_can_hold() -> None:
    assert shown("x" * 58) == repr("x" * 58)
    assert shown("x" * 59) == "'" + "x" * 56 + "..."


def test_a_total_is_told_with_what_it_counts() -> None:
    within([MOST, 0], "topics")
    with pytest.raises(
        InputError, match=f"^topics: found {MOST + 1} partitions in all, expected at most {MOST}$"
    ):
        within([MOST, 1], "topics")
    with pytest.raises(
        InputError, match=f"^clients: found {MOST + 1} threads in all, expected at most {MOST}$"
    ):
        within([1, MOST], "clients", "threads")


def test_a_complaint_says_where_what_and_what_else() -> None:
    assert difference(-1, "a count") == "found -1, expected a count"
    assert str(wrong("topics[0].rf", "x", "a count")) == "topics[0].rf: found 'x', expected a count"
