"""The page of switches is whole, and its commands walk what its lines were walked with.

That the lines say what is found is asked where the walks are: tests/engines/protocols/test_switch_runs.py.
"""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.api import explore as exploring
from kassay.cli.main import run
from kassay.engines.protocols.settings import ExploreSettings
from kassay.engines.protocols.switch import UNSEEN
from kassay.engines.protocols.switch_runs import SwitchRow, command, hunt
from kassay.engines.protocols.switches import DEAD_END, LIVELOCK, SWITCHES
from kassay.model.explore.values import WalkLimits
from tests.docs.markdown import rows, section
from tests.paths import DOCS
from writers.switches import RUNS, document, lines

PAGE = (DOCS / "switches.md").read_text(encoding="utf-8")
ROWS = lines(RUNS.read_text(encoding="utf-8"))
OTHERWISE = {"no_gen_snapshot"}
"""Whose bound is built otherwise, by a client with two threads, than its command, which comes to the same."""
SHOWN = {
    *("zk_stale_view", "split_persist", "naive_validation", "ignore_unreleased", "disabled_lets_classic_in"),
    *("assignor_change_waits", "streams_sessions_not_restored"),
}
"""One of each model, and of each way in which a walk may go wrong."""


def test_every_switch_has_its_line_and_every_remark_its_switch() -> None:
    assert list(ROWS) == list(SWITCHES)
    assert lines((RUNS.parent / "remarks.csv").read_text(encoding="utf-8")).keys() < SWITCHES.keys()
    unseen = section(PAGE, "Broken rules that no exploration shows")
    assert re.findall(r"^\* `(\w+)`:", unseen, flags=re.M) == list(UNSEEN)


def test_the_page_sums_up_the_lines() -> None:
    summed = {row["model"]: row for row in rows(PAGE)}
    for model, row in summed.items():
        own = [switch for switch in SWITCHES.values() if switch.model == model]
        assert int(row["switches"]) == len(own)
        assert int(row["with a KIP or a ticket"]) == sum(bool(re.search("KAFKA-|KIP", s.bug)) for s in own)
        steps = max(int(n) for s in own for n in ROWS[s.name]["steps"].split(", "))
        assert int(row["most steps of a shortest trace"]) == steps
        assert int(row["most states"].replace(",", "")) == max(int(ROWS[s.name]["states"]) for s in own)
    assert summed.keys() == {switch.model for switch in SWITCHES.values()}
    assert f"{len(SWITCHES)} deliberately wrong rules" in PAGE


def listed(name: str) -> list[tuple[str, int]]:
    """What the line of a switch says that it is found by, with the steps of the shortest trace."""
    line = ROWS[name]
    return [*zip(line["found by"].split(", "), map(int, line["steps"].split(", ")), strict=True)]


class Asked(BaseException):
    """What a command line was to walk; passes through everything that shields from a target."""

    def __init__(self, settings: ExploreSettings, limits: WalkLimits):
        self.settings = settings
        self.limits = limits


def asked(command: str, monkeypatch: pytest.MonkeyPatch) -> Asked:
    """What the command asks to be walked, which is not walked."""

    def stop(settings: ExploreSettings, limits: WalkLimits, **_: object) -> None:
        raise Asked(settings, limits)

    with monkeypatch.context() as patched, pytest.raises(Asked) as caught:
        patched.setattr(exploring, "run", stop)
        run(shlex.split(command)[1:])
    return caught.value


@pytest.mark.parametrize("name", [name for name in SWITCHES if name not in OTHERWISE])
def test_a_command_walks_what_the_line_was_walked_with(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    switch = SWITCHES[name]
    walk = asked(command(switch), monkeypatch)
    assert walk.settings == replace(switch.bound, switches=frozenset({name, *switch.along}))
    assert walk.limits.states_max is not None
    assert walk.limits.states_max > max(int(ROWS[name]["states"]), int(ROWS[name]["all off"].split()[1]))
    assert not walk.limits.stop_at_first


@pytest.mark.slow_cases("naive_validation")
@pytest.mark.parametrize("name", sorted(OTHERWISE | SHOWN))
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
    assert {kind for kind, _ in listed(name)} == set(SWITCHES[name].shows)
    for kind, length in listed(name):
        assert nearest[kind] == length
        title = f"{kind}s: [1-9]" if kind in (DEAD_END, LIVELOCK) else f"{kind} violated"
        assert re.search(rf"^{title}", output, re.M), output


def test_a_switch_that_is_not_found_is_told() -> None:
    lost = hunt("zk_no_owner_guard", on=False)
    (line,) = lines(document([SwitchRow(SWITCHES["zk_no_owner_guard"], lost, lost, None)])).values()
    assert (line["found by"], line["steps"]) == ("not found", "-")
