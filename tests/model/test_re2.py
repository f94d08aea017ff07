"""Which names a regular expression matches as a whole; the answers are those of re2j.

Sets of characters.

What RE2/J takes for a regular expression, and what it refuses: the answers are those of re2j 1.7 and 1.8.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.re2 import Chars, InvalidExpression, Reader, compiled, ranges_of

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


def test_case_is_ignored_where_it_shall_be_before_the_set_is_turned_round() -> None:
    letters = Chars(ranges_of("ac"), folded=True)
    assert letters.holds("B") and not letters._replace(folded=False).holds("B")
    assert not letters._replace(negated=True).holds("B")
    assert Chars(ranges_of("\u017f"), folded=True).holds("s"), "the long s is an s"


def test_categories_and_parts_are_in_the_set() -> None:
    assert Chars((), categories=("L",)).holds("x") and not Chars((), categories=("Lu",)).holds("x")
    assert Chars((), parts=(Chars(ranges_of("09"), negated=True),)).holds("x")


INVALID = """
(broken|missing closing )
a)|unexpected )
a**|invalid nested repetition *
a{2}{3}|invalid nested repetition {3}
*a|missing argument to *
(|+)|missing argument to +
{2}|missing argument to {2}
{?|invalid nested repetition ?
a{1001}|invalid repeat count {1001}
a{3,2}|invalid repeat count {3,2}
a{999999999999}|invalid repeat count {999999999999}
(a{100}){11}|repetitions nest to more than 1000
(?=a)|invalid group (?=a
(?<!a)|invalid group (?<!
(?-)|invalid group (?-)
(?P<n>a)(?P<n>b)|duplicate group name n
[a|missing closing ] of [a
[b-a]|invalid range b-a
[[:foo:]]|unknown character class [:foo:]
\\p{Foo}|unknown character class 'Foo'
\\p{Lu|invalid character class
\\1|invalid escape \\1
\\C|invalid escape \\C
\\Z|invalid escape \\Z
[\\b]|invalid escape \\b
\\x{110000}|invalid escape \\x
a\\|trailing backslash
""".strip().splitlines()

VALID = (
    "|",
    "()",
    "a||b",
    "x*?y",
    "a{,2}",
    "a{02}",
    "[]a]",
    "[a-]",
    "(?i)a(?-i:b)",
    "(?)",
    "(?<n>a)",
    "\\Qa*",
    "\\_",
    "^*",
    "a(?i)*",
)


@pytest.mark.parametrize("line", INVALID)
def test_refused(line: str) -> None:
    text, _, why = line.partition("|") if not line.startswith("(|") else ("(|+)", "|", line[5:])
    with pytest.raises(InvalidExpression) as problem:
        Reader(text).read()
    assert str(problem.value) == why


@pytest.mark.parametrize("text", VALID)
def test_taken(text: str) -> None:
    Reader(text).read()


def test_groups_that_nest_too_deep_are_refused_and_not_followed() -> None:
    with pytest.raises(InvalidExpression, match="too deep"):
        Reader("(" * 100_000).read()
