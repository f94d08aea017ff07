"""The page of switches is what the walks find, and its commands walk the same bounds."""

from __future__ import annotations

import re
import shlex

import pytest
from click.testing import CliRunner
from rich.console import Console

from kassay.certify.protocols.switch_runs import SwitchRow, command, hunt, row
from kassay.certify.protocols.switches import SWITCHES
from kassay.cli.commands.explore import command as explore_command
from kassay.report.screen.switches import REMARKS, page, switches_view
from tests.certify.protocols.test_switches import HEAVY, SLOWER
from tests.paths import DOCS

PAGE = (DOCS / "switches.md").read_text(encoding="utf-8")
ROWS = dict(re.findall(r"^\| (\w+) (\|.*)$", PAGE, re.M))
QUICK = [name for name in SWITCHES if name not in HEAVY | SLOWER]


def line(name: str) -> str:
    """The line that the page should have for a switch."""
    return dict(re.findall(r"^\| (\w+) (\|.*)$", page([row(name)]), re.M))[name]


def test_every_switch_has_its_line_and_its_command() -> None:
    assert [name for name in ROWS if name != "switch"] == list(SWITCHES)
    for switch in SWITCHES.values():
        assert f"\n{command(switch)}\n" in PAGE
    assert set(REMARKS) <= set(SWITCHES)
    assert all(remark in PAGE for remark in REMARKS.values())
    assert "not found" not in PAGE


@pytest.mark.parametrize("name", QUICK)
def test_the_quick_lines_are_fresh(name: str) -> None:
    assert ROWS[name] == line(name), (
        "regenerate it: python -m kassay.report.screen.switches > docs/switches.md"
    )


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(HEAVY | SLOWER))
def test_the_other_lines_are_fresh(name: str) -> None:
    assert ROWS[name] == line(name), (
        "regenerate it: python -m kassay.report.screen.switches > docs/switches.md"
    )


@pytest.mark.parametrize("name", [name for name in QUICK if SWITCHES[name].model != "zookeeper"][:12])
def test_a_command_shows_what_the_line_says(name: str) -> None:
    done = CliRunner().invoke(
        explore_command, shlex.split(command(SWITCHES[name]))[2:], standalone_mode=False
    )
    for seen in hunt(name).shown:
        if seen.kind.startswith("I"):
            found = re.search(
                rf"^{seen.kind} violated \(real\)(.|\n)*?shortest\s+trace\s+has\s+(\d+)", done.output, re.M
            )
            assert found is not None, done.output
            assert int(found[2]) == seen.length
        else:
            assert re.search(rf"^{seen.kind}s: [1-9]", done.output, re.M)


def test_a_switch_that_is_not_found_is_told() -> None:
    lost = hunt("zk_no_owner_guard", on=False)
    told = SwitchRow(SWITCHES["zk_no_owner_guard"], lost, lost, None)
    assert not told.holds
    screen = Console(width=200)
    with screen.capture() as out:
        screen.print(switches_view([told]))
    assert "not found" in page([told])
    assert "WRONG" in out.get()
    assert "0 of 1 switches" in out.get()
