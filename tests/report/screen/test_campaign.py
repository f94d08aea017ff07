"""The results of a campaign and of a fleet's replay, on a terminal."""

from __future__ import annotations

from io import StringIO
from typing import Any

from hypothesis import given
from rich.console import Console

from kassay.report.screen.campaign import campaign_terminal, fleet_terminal, shown
from kassay.report.screen.console import console
from kassay.writing.text import visible
from tests.hostile import SOME, TEXTS
from tests.report.campaigns import outcome


def printed(document: dict[str, object]) -> str:
    file = StringIO()
    console(file=file).show(campaign_terminal(document))
    return file.getvalue()


def test_the_leaderboard_and_the_findings_are_told() -> None:
    text = printed(outcome("nightly", "range", "topic-even"))
    assert text.startswith(
        "VIOLATED  nightly: 1 claim violated; 1 target, 1,200 histories, seed 7, unfinished: "
    )
    assert "1.5 s in 1 batches and 2 tasks, 800 histories/s, slots idle 10 %, at most 3 MiB at a time" in text
    assert ["range", "1,200", "5", "1", "0", "4", "25", "%", "1.5", "-", "1"] in [
        line.split() for line in text.splitlines()
    ]
    assert (
        "range breaks topic-even on ordinary input, in 3 histories; smallest: shape:topic-even history 5"
        in text
    )


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
    assert shown(0.256, "rack_share") == "26 %"


FIGURES = {
    "groups": 3, "to_switch": 1, "moved": 4, "moved_least": 2, "balance": 6, "spread_worst": 2,
    "better": 1, "same": 1, "worse": 1, "unknown": 0,
}  # fmt: skip
CHANGE = {"group": "g-1", "balance_more": -6, "moved_more": 3, "place": 1}
MADE: dict[str, Any] = {
    "groups": 4,
    "groups_replayed": 3,
    "snapshots": 1234,
    "events": {"join": 5, "move": 1200},
    "assignors": [{"assignor": "actual", **FIGURES}, {"assignor": "range", **FIGURES}],
    "changes": [{"assignor": "range", "against_actual": "better", **CHANGE}],
    "rejected": {"a row before any header": 2},
}


def fleet_shown(made: dict[str, Any]) -> str:
    console = Console(width=140, record=True, file=StringIO())
    console.print(fleet_terminal(made))
    return console.export_text()


def test_the_terminal_tells_what_changes_by_how_much_and_what_was_left_out() -> None:
    text = fleet_shown(MADE)
    assert "4 groups, 1,234 snapshots; inferred: join 5, move 1,200" in text
    assert "no members in any snapshot, not replayed: 1 group" in text
    assert ["range", "better", "g-1", "balance", "gap", "-6", "moves", "+3"] in [
        line.split() for line in text.splitlines()
    ]
    assert "rejected (table `rejected`): 2 lines: a row before any header" in text
    assert "changed most" not in fleet_shown({**MADE, "changes": []})


def test_the_terminal_says_for_whom_it_is_unknown_and_why() -> None:
    row = {**MADE["assignors"][0], "assignor": "range", "groups": 4, "unknown": 3}
    assert (
        "unknown groups: range 3 of 4: an assignment, of the candidate or of the group itself"
        in fleet_shown({**MADE, "assignors": [row]})
    )
    known = {**row, "unknown": 0}
    assert "unknown groups" not in fleet_shown({**MADE, "assignors": [known]})
