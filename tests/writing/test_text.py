"""What is shown of a text, and what a shell and a URI make of it.

Markdown shows every text as it is.
"""

from __future__ import annotations

import os
import re
import subprocess
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given

from kassay.writing.text import (
    Markdown,
    code,
    inline,
    joined,
    shell_command,
    storable,
    table,
    uri_of,
    visible,
)
from tests.hostile import ALL, PIECES, TEXTS


def is_path(text: str) -> bool:
    """Whether a file may have the name: bytes that are no UTF-8 have their own halves of pairs."""
    try:
        return bool(os.fsencode(text))
    except UnicodeEncodeError:
        return False


def without(text: str, characters: str) -> str:
    return "".join(c for c in text if c not in characters)


@given(TEXTS)
def test_what_is_shown_is_printable_and_keeps_every_printable_character(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert visible(shown) == shown
    kept = [c for c in text if c.isprintable()]
    rest = iter(shown)
    assert all(c in rest for c in kept)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a-z [b] é日本", "a-z [b] é日本"),
        ("\x1b[31m", "\\x1b[31m"),
        ("\n\t", "\\n\\t"),
        ("\u202e\ud800\xa0", "\\u202e\\ud800\\xa0"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_what_cannot_be_seen_shows_as_its_escape(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(TEXTS)
def test_what_a_table_stores_is_the_text_with_its_halves_escaped(text: str) -> None:
    stored = storable(text)
    assert stored.encode().decode() == stored
    assert visible(stored) == visible(text)
    assert (stored == text) is not any("\ud800" <= c <= "\udfff" for c in text)


def test_a_shell_gives_the_words_back_and_the_line_shows() -> None:
    words = [word for piece in (*PIECES, ALL) if is_path(word := without(piece, "\x00\ud800\udfff"))]
    line = shell_command(words)
    assert line.isprintable()
    done = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {line}"],
        capture_output=True,
        check=True,
        env={"LC_ALL": "C.UTF-8", "PATH": "/usr/bin:/bin"},
    )
    assert done.stdout.decode("utf-8", "surrogateescape").split("\0")[:-1] == words


@given(TEXTS)
def test_a_path_is_a_uri_and_comes_back(path: str) -> None:
    parts = urlsplit(uri_of(path))
    assert uri_of(path).isascii()
    assert parts.scheme == ("file" if path.startswith("/") else "")
    assert not parts.netloc
    assert not parts.query
    assert not parts.fragment
    if is_path(path):
        assert unquote_to_bytes(parts.path).decode("utf-8", "surrogateescape") == path


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
