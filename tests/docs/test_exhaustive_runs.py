"""The exhaustive runs (docs/exhaustive-runs): each walked to the end, clean, and as large as ever; the page sums them up."""

from __future__ import annotations

import csv
import re
import shlex
from typing import Any, NamedTuple

import pytest

from kassay.cli.main import EXIT_USAGE
from kassay.cli.main import run as kassay
from kassay.engines.protocols.properties import PROPERTIES, TIMES
from kassay.model.errors import InputError
from kassay.model.protocols.world.clock import Timing
from tests.explored import explore, settings
from tests.paths import DOCS
from writers.exhaustive_runs import (
    LIMIT,
    NOT_THERE,
    NOT_WALKED,
    OLDER,
    OLDER_LIMIT,
    RUNS,
    UNCHANGED,
    Figures,
    Row,
    fill,
    rows,
    summary,
    verdict,
    written,
)

BY_HAND = 6_500
"""States of the largest walk that every change is put to; larger ones are walked by hand, by `tox -e deep`."""
TEXT = RUNS.read_text(encoding="utf-8")
PAGE = (DOCS / "exhaustive-runs.md").read_text(encoding="utf-8")
SMALL = "kassay explore kip848 --members 1 --partitions 1 --faults write=1"
LATE = "kassay explore kip848 --members 1 --partitions 1 --switch late_targets"
OLDEST = OLDER[-1]


VARIANTS = {
    **{name: {name: True} for name in ("late_targets", "offload", "regex")},
    "corrected_client": {"client": "corrected"},
    "compacted_log": {"log": "compacted"},
    "fresh_topics": {"fresh": True},
}


class Run(NamedTuple):
    """A command with the release that it is walked for, and what the list says of it."""

    command: str
    figures: Figures
    release: str = ""

    @property
    def by_hand(self):
        """Whether every change need not be put to it: it is large, or of the rules of an older release."""
        return bool(self.release) or (self.figures.states or 0) > BY_HAND

    @property
    def settings(self):
        """What `explore` is called with."""
        model, *options = self.command.removeprefix("kassay explore ").split()
        named: dict[str, Any] = {}
        for option, value in zip(options[::2], options[1::2], strict=True):
            if option == "--switch":
                named |= VARIANTS[value]
            elif option == "--config":
                name, _, text = value.partition("=")
                if name == "group.protocol":
                    named["kinds"] = (tuple(text.split(",")),) * named["members"]
                elif name in TIMES:
                    named["timing"] = Timing(**{TIMES[name].field: int(text)})
                else:
                    named[PROPERTIES[name].field] = int(text) if text.isdigit() else text
            else:
                name = {"protocol": "mode"}.get(option[2:], option[2:])
                named[name] = int(value) if value.isdigit() else value
                if name == "topics" and "," in value:
                    named["reads"] = tuple(map(int, value.split(",")))
                    named["topics"] = max(named["reads"])
        release = {"release": self.release} if self.release else {}
        return {"model": model, "client": "kafka"} | named | release


def runs():
    """What the rows of the list say, for the newest release and for each older one."""
    for row in rows(TEXT):
        yield Run(row.command, row.newest)
        for release, figures in zip(OLDER, row.older, strict=True):
            yield Run(row.command, figures, release)


def test_the_list_has_what_the_design_asks_for():
    asked = [run.settings for run in runs() if not run.release]
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
        assert {one.get("faults") for one in mine if "assignor" in one} >= pairs
        for size, least in (
            ((3, 2), {"crash=1", "pause=1", "failover=1", "partitions=1"}),
            ((3, 3), {"crash=1", "failover=1"}),
        ):
            assert {
                one.get("faults") for one in plain if (one["members"], one["partitions"]) == size
            } >= least
        assert any(one.get("topics") == 3 for one in plain)


def test_every_row_has_its_figures_and_all_are_complete():
    assert TEXT.count("kassay explore") == len([*rows(TEXT)]) > 150
    assert all(row.newest and all(row.older) for row in rows(TEXT)), (
        "python docs/writers/exhaustive_runs.py fills them in"
    )
    verdicts = {run.figures.verdict.partition(": ")[0] for run in runs() if run.figures.states}
    assert verdicts <= {"holds", "violated"}, "tests/engines/protocols/test_known.py knows what is violated"
    assert not any("stopped" in run.figures.verdict for run in runs())
    commands = [row.command for row in rows(TEXT)]
    assert len(commands) == len({*commands})
    assert written(rows(TEXT)) == TEXT


def test_the_page_sums_the_rows_up_and_names_each_part():
    assert "\n".join(summary(rows(TEXT))) in PAGE, "python docs/writers/exhaustive_runs.py --summary"


def test_the_runs_that_no_test_repeats_are_commands_that_kassay_takes():
    lists = ("exhaustive-runs/larger.csv", "protocol-findings/migrations.csv", "networks/random.csv")
    for path, least in zip(lists, (14, 20, 19), strict=True):
        with (DOCS / path).open(encoding="utf-8") as file:
            recorded = [*csv.DictReader(file)]
        assert len(recorded) >= least
        for row in recorded:
            words = shlex.split(row["command"])
            assert words[:2] == ["kassay", "explore"]
            assert kassay([*words[1:], "--max-states", "1"]) != EXIT_USAGE, row["command"]
            assert int(row["states"].split()[0]) > 800


def test_what_is_not_there_is_refused_for_that_release_alone():
    absent = [run for run in runs() if run.figures.verdict == NOT_THERE]
    assert absent
    for run in absent:
        with pytest.raises(InputError, match=f"{re.escape(run.release)}|rules of streams"):
            settings(**run.settings)


def test_what_is_not_walked_for_an_older_release_is_large():
    for row in rows(TEXT):
        for figures in row.older:
            large = row.newest.states > OLDER_LIMIT and not row.command.startswith(UNCHANGED)
            assert large or figures.verdict != NOT_WALKED, row.command


@pytest.mark.slow
def test_no_rule_of_an_older_release_changes_a_classic_group():
    unchanged = [row for row in rows(TEXT) if row.command.startswith(UNCHANGED)]
    assert all(set(row.older) == {row.newest._replace(seconds=None)} for row in unchanged)
    small = [row for row in unchanged if row.newest.states < 600]
    assert len(small) > 3
    for row in small:
        document = explore(**Run(row.command, row.newest, OLDEST).settings).to_json()
        assert (document["states"], verdict(document)) == (row.newest.states, row.newest.verdict)


def listed(path, *lines):
    """A file with these lines after the head."""
    path.write_text("\n".join([TEXT.splitlines()[0], *lines]) + "\n")
    return path


def test_a_row_is_filled_in_and_nothing_else_of_the_list_changes(tmp_path):
    path = listed(
        tmp_path / "runs.csv",
        f"Small,{SMALL}",
        f'Small,{SMALL.replace("write", "crash")},7,0.1,holds,same,9,-,"9, violated: x"',
        f"Late,{LATE},3",
    )
    _, known, _ = rows(path.read_text())
    assert [one.states for one in known.older] == [7, 9, None, 9]
    assert [one.verdict for one in known.older] == ["holds", "holds", NOT_WALKED, "violated: x"]
    first, late = fill(path)
    assert first.newest.states == first.older[-1].states == 11
    assert {first.newest.verdict, first.older[-1].verdict, late.newest.verdict} == {"holds"}
    assert late.older[-1].verdict == NOT_THERE
    assert path.read_text() == written([first, known, late])
    assert [*fill(path)] == []
    (again,) = fill(path, "write=1")
    assert again.newest.states == 11


def test_what_kassay_refuses_is_reported(tmp_path):
    path = listed(tmp_path / "runs.csv", f"Small,{SMALL.replace('write', 'writ')}")
    with pytest.raises(ValueError, match=r"writ=1: exit 2: kassay: --faults"):
        [*fill(path)]


def test_other_columns_are_refused():
    with pytest.raises(ValueError, match=r"expected the columns part, command.*got command"):
        [*rows("command,states\n")]


def test_a_part_is_summed_up():
    small, large = Figures(1_000, 0.0, "holds"), Figures(2_000, 0.0, "violated: b, a")
    assert summary([Row("x", "1", small, ()), Row("x", "2", large, ()), Row("x", "3", None, ())])[2:] == [
        "| x | 2 | 1 | 1 | 2,000 | a, b |"
    ]


def test_the_verdict_names_what_broke_and_no_zombies():
    document = {
        "verdict": "violated",
        "limit": None,
        "violations": [
            {"invariant": "complete-at-rest", "severity": "real"},
            {"invariant": "single-live-owner", "severity": "zombie"},
        ],
        "dead_ends": [{}],
        "livelocks": [],
    }
    assert verdict(document) == "violated: complete-at-rest, dead ends"
    stopped = document | {
        "verdict": "unknown",
        "limit": "states",
        "violations": [],
        "dead_ends": None,
        "livelocks": None,
    }
    assert verdict(stopped) == "unknown (stopped: states)"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "run",
    [
        pytest.param(run, id=f"{run.command} {run.release}", marks=[pytest.mark.deep] if run.by_hand else [])
        for run in runs()
        if run.figures and run.figures.states is not None
    ],
)
def test_every_run_ends_as_the_list_says_and_is_as_large_as_ever(run):
    document = explore(**run.settings, states_max=LIMIT).to_json()
    assert (document["states"], verdict(document)) == (run.figures.states, run.figures.verdict)
