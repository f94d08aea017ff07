"""`kassay fleet`: bad input is one line, said before Spark starts."""

from pathlib import Path

import pytest

from kassay.cli.main import main
from kassay.model.errors import InputError
from kassay.pipeline.fleet.fleet import exit_code

FILES = {"empty": "empty", "file": "g.txt", "subscriptions": "s.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["/no/such"], "/no/such: no such file or folder, expected snapshots"),
        (["{empty}"], "no files in it, expected snapshots of consumer groups"),
        (["{file}", "--to", "placement:striped"], "expected an assignor of consumer groups"),
        (["{subscriptions}"], "only subscriptions; expected snapshots"),
        (["{file}", "--config", "every=0"], "every=0: expected a number of seconds above 0"),
        (["{file}", "--config", "every=9"], "every=9: expected one folder of snapshots to follow"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "g.txt").write_text("some words\n", encoding="utf-8")
    (tmp_path / "s.jsonl").write_text('{"group": "g", "member": "*", "topics": ["t"]}\n', encoding="utf-8")
    places = {name: tmp_path / file for name, file in FILES.items()}
    with pytest.raises(SystemExit) as left:
        main(["fleet", *(argument.format_map(places) for argument in arguments)])
    told = capsys.readouterr().err
    assert left.value.code == 2
    assert said in told
    assert len(told.strip().splitlines()) == 1


@pytest.mark.parametrize(("replayed", "unknown", "code"), [(4, 0, 0), (4, 4, 3), (4, 1, 3), (0, 0, 3)])
def test_a_fleet_of_which_anything_is_unknown_exits_3(replayed: int, unknown: int, code: int) -> None:
    assignors = [{"assignor": "actual", "unknown": 0}, {"assignor": "range", "unknown": unknown}]
    summary = {
        "snapshots": 9,
        "groups_replayed": replayed,
        "rejected": {"odd": 3},
        "assignors": assignors[: 2 * bool(replayed)],
    }
    assert exit_code(summary, "g.txt") == code


@pytest.mark.parametrize(
    ("rejected", "said"),
    [
        (
            {"no header": 3, "odd": 1},
            r"g.txt: no snapshot so far \(4 lines rejected in all: no header\), expected",
        ),
        ({}, "no lines"),
    ],
)
def test_a_fleet_of_which_no_line_can_be_read_is_refused(rejected: dict[str, int], said: str) -> None:
    with pytest.raises(InputError, match=said):
        exit_code({"snapshots": 0, "groups_replayed": 0, "rejected": rejected}, "g.txt")
