"""What RE2/J takes for a regular expression, and what it refuses: the answers are those of re2j 1.7 and 1.8."""

from __future__ import annotations

import pytest

from kassay.model.re2.syntax import InvalidExpression, Reader

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
