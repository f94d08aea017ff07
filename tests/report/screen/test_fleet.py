"""What `kassay fleet` says to people: the tables on a terminal."""

from io import StringIO
from typing import Any

from rich.console import Console

from kassay.report.screen.fleet import terminal

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


def shown(made: dict[str, Any]) -> str:
    console = Console(width=140, record=True, file=StringIO())
    console.print(terminal(made))
    return console.export_text()


def test_the_terminal_tells_what_changes_by_how_much_and_what_was_left_out() -> None:
    text = shown(MADE)
    assert "4 groups, 1,234 snapshots; inferred: 5 join, 1,200 move" in text
    assert "1 groups had no members in any snapshot and were not replayed" in text
    assert ["range", "better", "g-1", "balance", "gap", "-6", "moves", "+3"] in [
        line.split() for line in text.splitlines()
    ]
    assert "rejected: 2 lines: a row before any header" in text
    assert "changed most" not in shown({**MADE, "changes": []})


def test_the_terminal_says_for_whom_it_is_unknown_and_why() -> None:
    row = {**MADE["assignors"][0], "assignor": "range", "groups": 4, "unknown": 3}
    assert "range: unknown for 3 of 4 groups: there, or of the group itself" in shown(
        {**MADE, "assignors": [row]}
    )
    known = {**row, "unknown": 0}
    assert "unknown for" not in shown({**MADE, "assignors": [known]})
