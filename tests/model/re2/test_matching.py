"""Which names a regular expression matches as a whole; the answers are those of re2j."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.re2.matching import compiled
from kassay.model.re2.syntax import InvalidExpression

NAMES = ("foo", "bar", "baz", "food", "a-b", "x.y", "t_1", "", "K")


@pytest.mark.parametrize(
    ("text", "matched"),
    [
        ("fo.*", ("foo", "food")),
        ("b.r", ("bar",)),
        ("(foo|bar)", ("foo", "bar")),
        ("(?i)FOOD?", ("foo", "food")),
        ("", ("",)),
        ("[^a-f].+", ("x.y", "t_1")),
        ("\\w+", ("foo", "bar", "baz", "food", "t_1", "K")),
        (".*\\b.\\b.*", ("a-b", "x.y", "K")),
        ("\\Qx.y\\E|^t\\B_1$", ("x.y", "t_1")),
        ("[[:lower:]]{3}", ("foo", "bar", "baz")),
        ("(?i)\\x{212a}", ("K",)),
        ("(?:.o?){2,3}", ("foo", "bar", "baz", "food", "a-b", "x.y", "t_1")),
    ],
)
def test_matches_whole_names(text: str, matched: tuple[str, ...]) -> None:
    assert tuple(name for name in NAMES if compiled(text).matches(name)) == matched


_PARTS = st.sampled_from(
    ["a", "b", ".", "(a|b)", "(?:ab)", "[ab]", "[^a]", "a*", "b+", "a?", "(a|)*", "a{1,2}"]
)


@given(st.lists(_PARTS, max_size=6).map("".join), st.text("ab", max_size=6))
def test_agrees_with_python_where_both_mean_the_same(text: str, name: str) -> None:
    assert compiled(text).matches(name) == (re.fullmatch(text, name) is not None)


def test_no_name_takes_long() -> None:
    assert not compiled("(a*)*(a|aa)*b").matches("a" * 249)


@pytest.mark.slow
def test_an_expression_that_is_written_out_too_large_is_refused() -> None:
    with pytest.raises(InvalidExpression, match="too large"):
        compiled("(abcdefghij{1000}){1}" * 250)
