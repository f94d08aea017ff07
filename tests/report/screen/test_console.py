"""What reaches a terminal: every character shown, nothing obeyed, nothing cut."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from kassay.report.screen.console import (
    Drawing,
    View,
    bar,
    console,
    line,
    lines,
    plain_table,
    stack,
    whole_line,
)
from kassay.writing.text import visible
from tests.hostile import ALL, SOME, TEXTS

COMMAND = "kassay replay " + "'" + "a b " * 60 + "'"


def shown(view: View, width: int) -> str:
    """The view as `Screen.show` shows it on a screen so wide."""
    file = io.StringIO()
    Console(file=file, width=width, highlight=False).print(view, crop=False)
    return file.getvalue()


def ink(text: str) -> list[str]:
    """The characters that leave a mark, wherever they stand."""
    return sorted(c for c in text if c not in " \n")


@SOME
@given(TEXTS, st.sampled_from([2, 7, 30, 400]))
def test_a_line_shows_every_character_at_any_width(text: str, width: int) -> None:
    for view in (line(text, ("!", "bold"), text), whole_line(text, text, "!")):
        screen = shown(view, width)
        assert ink(screen) == ink(visible(text) * 2 + "!")
        assert all(c.isprintable() for c in screen if c != "\n")


@SOME
@given(st.lists(TEXTS, min_size=3, max_size=3), st.sampled_from([1, 20, 60, 2000]))
def test_a_table_loses_no_cell_at_any_width(names: list[str], width: int) -> None:
    first, second, third = names
    table = plain_table((first, "number"), [(second, 1234), (line(third, style="red"), 5)], ("number",))
    assert ink(shown(table, width)) == ink("number12345" + "".join(map(visible, names)))


@given(st.integers(min_value=2, max_value=14), st.sampled_from([4, 20, 40, 110]))
def test_a_table_of_many_columns_loses_no_cell(columns: int, width: int) -> None:
    head = [f"column-{number}" for number in range(columns)]
    table = plain_table(head, [[f"a longer value {number}" for number in range(columns)]])
    expected = "".join(head) + "".join(f"a longer value {number}" for number in range(columns))
    assert ink(shown(table, width)) == ink(expected)


@pytest.mark.parametrize("width", [1, 20, 110])
def test_a_command_stays_one_line(width: int) -> None:
    view = stack(line("above"), whole_line(COMMAND, style="cyan"), Drawing(lambda wide: [f"{wide}" * 50]))
    text = shown(view, width).splitlines()
    assert COMMAND in text
    assert text[-1] == f"{width}" * 50


def test_a_line_end_of_ours_is_a_line_and_of_others_is_not() -> None:
    assert shown(lines("a\nb[red]\n\nc"), 80) == "a\nb[red]\n\nc\n"
    assert shown(line("a\nb"), 80) == "a\\nb\n"


def test_a_file_takes_what_a_terminal_would_show_without_its_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    file = io.StringIO()
    screen = console(file=file)
    assert not screen.is_terminal
    screen.say("[red]", ("x", "bold red"), style="cyan")
    screen.show(plain_table(("a[b]",), [("[/]",)]))
    assert [each.rstrip() for each in file.getvalue().splitlines()] == ["[red]x", "a[b]", "[/]"]


def test_a_progress_bar_shows_names_as_they_are() -> None:
    code = (
        "import sys\n"
        "from kassay.report.screen.console import bar\n"
        "with bar(sys.argv[1], 2) as show: show(1, sys.argv[1])\n"
    )
    name = ALL.replace("\x00", "").encode("utf-8", "ignore").decode()[:60]
    leader, follower = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", code, name],
        stderr=follower,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "400", "NO_COLOR": "1"},
        check=False,
    )
    os.close(follower)
    drawn = os.read(leader, 100_000).decode()
    os.close(leader)
    assert done.returncode == 0, drawn
    assert drawn.count(visible(name)) >= 2
    assert "\x07" not in drawn
    assert not re.search("\x1b\\](?!8;)", drawn)


SCRIPT = """
import time
from kassay.report.screen.console import bar
with bar("measuring things", 2) as show:
    show(1)
    show(2, "half of it")
    time.sleep(0.2)
print("done")
"""


def test_a_bar_shows_nothing_without_a_terminal(capsys):
    with bar("measuring", 3) as show:
        show(1)
        show(2, "words")
    assert capsys.readouterr() == ("", "")


def test_an_error_under_a_bar_goes_on():
    with pytest.raises(KeyError), bar("measuring"):
        raise KeyError


def test_a_bar_on_a_terminal_shows_the_words_beside_the_name():
    ours, theirs = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
        timeout=60,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.stdout == b"done\n"
    assert "measuring things" in shown
    assert "half of it" in shown


def table_of(*arguments, width=60, **options):
    console = Console(width=width, file=StringIO())
    console.print(plain_table(*arguments, **options), crop=False)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_in_a_table_numbers_stand_to_the_right_and_words_to_the_left():
    assert table_of(("name", "n"), [("a", 1), ("bcdef", 1000)], ("n",)) == [
        "name      n",
        "a         1",
        "bcdef  1000",
    ]


def test_without_a_header_the_names_are_not_table_of():
    assert table_of(("name", "n"), [("a", 1)], header=False) == ["a  1"]


def test_what_looks_like_markup_is_text_and_a_long_word_is_folded_not_cut():
    (line,) = table_of(("name",), [("[red]x[/red]",)], header=False)
    assert line == "[red]x[/red]"
    lines = table_of(("name",), [("x" * 125,)], width=10, header=False)
    assert "".join(lines) == "x" * 125
    assert len(lines) > 1
    assert table_of(("name",), [(Text("styled", "red"),)], header=False) == ["styled"]


def test_what_is_said_is_one_line_however_long(capsys):
    console().say("word " * 100)
    assert capsys.readouterr().out == " ".join(["word"] * 100) + "\n"


@pytest.mark.parametrize("width", [20, 40, 80])
def test_no_id_in_a_table_is_folded(width: int) -> None:
    ids = ["uniform@4.0.1", "cons-11111111-48d5-459f-8317-2c71d077c001"]
    console = Console(file=StringIO(), width=width)
    console.print(plain_table(("member", "spread", "moves"), [(each, 1, 2) for each in ids]), crop=False)
    assert isinstance(console.file, StringIO)
    assert all(each in console.file.getvalue() for each in ids)
