"""Markdown shows every text as it is."""

from __future__ import annotations

import re

from hypothesis import given

from kassay.writing.markdown import Markdown, code, inline, joined, table
from kassay.writing.text import visible
from tests.hostile import TEXTS


def unescaped(text: str) -> str:
    """What a reader of Markdown makes of backslashes before punctuation."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


def columns(line: str) -> int:
    """The cells of a row: GitHub's parts are at bars without a backslash, inside code as well."""
    assert line.startswith("| ")
    assert line.endswith(" |")
    return len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) - 1


@given(TEXTS)
def test_nothing_that_is_syntax_stands_without_a_backslash(text: str) -> None:
    shown = inline(text)
    assert shown.isprintable()
    assert unescaped(shown) == visible(text)
    assert not re.search(r"(?<!\\)(?:\\\\)*[`*_\[\]<>|~#&]", re.sub(r"\\.", "", shown))
    assert not re.match(r"[-+=]|\d+[.)]", shown)


@given(TEXTS)
def test_a_code_span_holds_the_text_and_nothing_ends_it_early(text: str) -> None:
    shown = code(text)
    fence = re.match("`+", shown)
    assert fence is not None
    inside = shown[len(fence[0]) : -len(fence[0])]
    assert shown.endswith(fence[0])
    assert fence[0] not in inside
    assert inside.replace("\\|", "|").strip(" ") == visible(text).strip(" ")


@given(TEXTS, TEXTS)
def test_a_table_keeps_its_columns(text: str, other: str) -> None:
    lines = table((text, "b", "c"), [(other, text, other), (text, other, Markdown("**x**"))])
    assert [columns(line) for line in lines] == [3, 3, 3, 3]
    assert all("\n" not in line for line in lines)


@given(TEXTS)
def test_a_code_span_keeps_the_columns_of_its_table(text: str) -> None:
    # A backslash before a bar inside code: GitHub's table takes the pair for a bar in the cell.
    line = table(("a", "b"), [(code(text.replace("\\", "")), "x")])[-1]
    assert columns(line) == 2


def test_markdown_stays_what_it_is() -> None:
    assert joined(Markdown("## "), "a_b") == "## a\\_b"
