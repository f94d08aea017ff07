"""Tables without lines."""

from io import StringIO

from rich.console import Console
from rich.text import Text

from kassay.report.screen.tables import plain_table


def shown(*arguments, width=60, **options):
    console = Console(width=width, file=StringIO())
    console.print(plain_table(*arguments, **options))
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def test_numbers_stand_to_the_right_and_words_to_the_left():
    assert shown(("name", "n"), [("a", 1), ("bcdef", 1000)], ("n",)) == [
        "name      n",
        "a         1",
        "bcdef  1000",
    ]


def test_without_a_header_the_names_are_not_shown():
    assert shown(("name", "n"), [("a", 1)], header=False) == ["a  1"]


def test_what_looks_like_markup_is_text_and_a_long_word_is_folded_not_cut():
    (line,) = shown(("name",), [("[red]x[/red]",)], header=False)
    assert line == "[red]x[/red]"
    lines = shown(("name",), [("x" * 25,)], width=10, header=False)
    assert "".join(lines) == "x" * 25
    assert shown(("name",), [(Text("styled", "red"),)], header=False) == ["styled"]
