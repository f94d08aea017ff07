"""A campaign's outcome on a terminal."""

from __future__ import annotations

from io import StringIO

from hypothesis import given

from kassay.report.screen.campaign import shown, terminal
from kassay.report.screen.console import console
from kassay.writing.text import visible
from tests.hostile import SOME, TEXTS
from tests.report.campaigns import outcome


def printed(document: dict[str, object]) -> str:
    file = StringIO()
    console(file=file).show(terminal(document))
    return file.getvalue()


def test_the_leaderboard_and_the_findings_are_told() -> None:
    text = printed(outcome("nightly", "range", "topic-even"))
    assert text.startswith(
        "nightly  seed 7, 1,200 histories, unfinished: all figures are of these, 2,000 planned\n"
    )
    assert (
        "1.5 s in 1 batches and 2 tasks, 800 histories/s, slots idle 10.0%, at most 3 MiB at a time" in text
    )
    assert ["range", "1,200", "5", "1", "0", "4", "25.00%", "1.5", "-", "1"] in [
        line.split() for line in text.splitlines()
    ]
    assert "range topic-even on ordinary input, in 3 histories; smallest: shape:topic-even history 5" in text


@SOME
@given(TEXTS, TEXTS)
def test_every_name_shows(target: str, message: str) -> None:
    text = printed(outcome(target, target, message))
    assert all(c.isprintable() or c == "\n" for c in text)
    ink = "".join(text.split())
    assert "".join(visible(target).split()) in ink
    assert "".join(visible(message).split()) in ink


def test_cells_are_told_by_what_they_are() -> None:
    assert [shown(value) for value in (None, 1.25, 12345, 2.5e6, "x")] == [
        "-",
        "1.25",
        "12,345",
        "2,500,000",
        "x",
    ]
    assert shown(0.256, "rack_share") == "25.60%"
