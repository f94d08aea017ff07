"""What `kassay fleet` says to people: the tables on a terminal, and one line for bad input, before Spark starts."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from kassay.cli.main import main
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["replay", "/no/such"], "/no/such: no such file or folder, expected snapshots"),
        (["replay", "{empty}"], "no files in it, expected snapshots of consumer groups"),
        (["replay", "{file}", "--assignors", "placement:striped"], "expected an assignor of consumer groups"),
        (["replay", "{file}", "--subscriptions", "{file}"], "g.txt:1: not JSON"),
        (["generate", "--out", "{full}"], "not empty, expected a new folder"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "g.txt").write_text("some words\n", encoding="utf-8")
    places = {"empty": tmp_path / "empty", "file": tmp_path / "g.txt", "full": tmp_path}
    with pytest.raises(SystemExit) as left:
        main(["fleet", *(argument.format_map(places) for argument in arguments)])
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert said in told
    assert len(told.strip().splitlines()) == 1
