"""The list of exhaustive runs (docs/exhaustive-runs.md): each walked to the end, clean, and as large as ever."""

import re
from typing import NamedTuple

import pytest

from kassay.model.explore.values import Severity
from kassay.model.verdict import Verdict
from tests.explored import explore
from tests.paths import DOCS

PAGE = DOCS / "exhaustive-runs.md"
BY_HAND = 30_000
"""States of the largest walk that every change is put to; larger ones are walked by hand, by `tox -e deep`."""


class Run(NamedTuple):
    command: str
    states: int

    @property
    def by_hand(self):
        """Whether every change need not be put to it: it is large, or of the rules of an older release."""
        return self.states > BY_HAND or "release" in self.settings

    @property
    def settings(self):
        """What `explore` is called with."""
        model, *options = self.command.replace("late-targets", "late_targets").split()
        named = {}
        for option, value in zip(options, [*options[1:], "--"]):
            if option.startswith("--"):
                flag = value.startswith("--")
                named[option.removeprefix("--")] = flag or (int(value) if value.isdigit() else value)
        return {"model": model} | named


def runs():
    """The rows of the page's tables."""
    rows = re.findall(r"^\| `kassay explore ([^`]+)` \| ([\d,]+) \|$", PAGE.read_text(), re.MULTILINE)
    return [Run(command, int(states.replace(",", ""))) for command, states in rows]


def test_the_page_lists_what_the_design_asks_for():
    asked = [run.settings for run in runs()]
    pairs = {
        "crash=1,pause=1",
        "crash=1,failover=1",
        "pause=1,failover=1",
        "loss=1,failover=1",
        "partitions=1,crash=1",
    }
    for wanted in (
        {"model": "classic", "mode": "eager"},
        {"model": "classic", "mode": "cooperative"},
        {"model": "kip848"},
    ):
        mine = [one for one in asked if one.items() >= wanted.items()]
        plain = [one for one in mine if "assignor" not in one]
        assert {
            one["faults"] for one in plain if one["members"] == 2 and "," in one.get("faults", "")
        } >= pairs
        assert {one["faults"] for one in mine if "assignor" in one} >= pairs
        for size, least in (
            ((3, 2), {"crash=1", "pause=1", "failover=1", "partitions=1"}),
            ((3, 3), {"crash=1", "failover=1"}),
        ):
            assert {
                one.get("faults") for one in plain if (one["members"], one["partitions"]) == size
            } >= least
        assert any(one.get("topics") == 3 for one in plain)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "run",
    [pytest.param(run, id=run.command, marks=[pytest.mark.deep] if run.by_hand else []) for run in runs()],
)
def test_every_run_is_clean_and_as_large_as_ever(run):
    result = explore(**run.settings, states_max=500_000)
    found = [v for v in result.exploration.violations if v.severity is Severity.REAL]
    assert (found, result.verdict) == ([], Verdict.HOLDS)
    assert result.exploration.states == run.states
