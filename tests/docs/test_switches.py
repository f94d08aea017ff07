"""The page of switches says what the walks find, and its commands walk the same bounds."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from kassay.certify.protocols.switch_runs import SwitchRow, command, hunt, row
from kassay.certify.protocols.switches import DEAD_END, LIVELOCK, SWITCHES
from kassay.cli.main import run
from tests.certify.protocols.test_switch_runs import HEAVY, SLOWER
from tests.docs.markdown import fenced, flat, rows, section
from tests.paths import DOCS
from writers.switches import REMARKS, page

PAGE = (DOCS / "switches.md").read_text(encoding="utf-8")
ROWS = {row["switch"]: row for row in rows(PAGE)}
QUICK = [name for name in SWITCHES if name not in HEAVY | SLOWER]
WHOLE = {"static_replace_stable_only"}
"""Found by a walk that does not end at the first breach, and whose command goes all the way."""
AGAIN = "regenerate it: python docs/writers/switches.py > docs/switches.md"


def test_every_switch_has_its_line_its_command_and_its_remark() -> None:
    assert list(ROWS) == list(SWITCHES)
    shown = fenced(section(PAGE, "The commands"))[0].splitlines()
    assert shown == [f"$ {command(switch)}" for switch in SWITCHES.values()]
    assert set(REMARKS) <= set(SWITCHES)
    remarks = re.split(r"^\* ", section(PAGE, "Remarks"), flags=re.M)[1:]
    assert [*map(flat, remarks)] == [flat(f"{name}: {remark}") for name, remark in REMARKS.items()]


def holds_what_was_walked(name: str) -> None:
    """Asserts that the line of a switch says what its walks find."""
    walked, line = row(name), ROWS[name]
    assert walked.on.caught
    kinds, steps = line["found by"].split(", "), line["steps"].split(", ")
    assert [*zip(kinds, steps, strict=True)] == [(seen.kind, str(seen.length)) for seen in walked.on.shown], (
        AGAIN
    )
    assert (int(line["states"]), line["all off"]) == (
        walked.on.states,
        f"holds, {walked.off.states} states",
    ), AGAIN
    switch = SWITCHES[name]
    assert (line["bug"], line["wrong rule"], line["model"]) == (switch.bug, switch.effect, switch.model), (
        AGAIN
    )


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_lines_are_as_walked(name: str) -> None:
    holds_what_was_walked(name)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(HEAVY | SLOWER))
def test_the_other_lines_are_as_walked(name: str) -> None:
    holds_what_was_walked(name)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.exhaustive) if name in WHOLE else name for name in QUICK]
)
def test_a_command_shows_what_the_line_says(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run([*shlex.split(command(SWITCHES[name]))[1:], "--json", str(tmp_path / "walk.json")])
    output = capsys.readouterr().out
    document = json.loads((tmp_path / "walk.json").read_text())
    nearest = {
        DEAD_END: min(
            (len(stuck["trace"]) for stuck in document["dead_ends"] if stuck["trace"]), default=None
        ),
        LIVELOCK: min((len(stuck["trace"]) for stuck in document["livelocks"]), default=None),
    } | {v["invariant"]: v["length"] for v in reversed(document["violations"]) if v["severity"] != "zombie"}
    shown = hunt(name).shown
    assert {seen.kind for seen in shown} == set(SWITCHES[name].shows)
    for seen in shown:
        assert nearest[seen.kind] == seen.length
        title = f"{seen.kind}s: [1-9]" if seen.kind in (DEAD_END, LIVELOCK) else f"{seen.kind} violated"
        assert re.search(rf"^{title}", output, re.M), output


def test_a_switch_that_is_not_found_is_told() -> None:
    lost = hunt("zk_no_owner_guard", on=False)
    (line,) = rows(page([SwitchRow(SWITCHES["zk_no_owner_guard"], lost, lost, None)]))
    assert (line["found by"], line["steps"]) == ("not found", "-")
