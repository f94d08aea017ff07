"""A campaign's outcome on a terminal."""

from io import StringIO

import pytest
from rich.console import Console

from kassay.report.screen.campaign import LEADERS, shown, terminal, took, unfinished
from tests.report.screen.campaign_document import DOCUMENT, LEADER


def printed(document):
    console = Console(width=200, file=StringIO())
    console.print(terminal(document))
    return console.file.getvalue()


def test_the_leaderboard_and_the_findings_are_told():
    lines = printed(DOCUMENT).splitlines()
    assert lines[0].startswith("mine & <yours>  seed 5, 1,500 histories")
    (row,) = (line for line in lines if line.startswith("range  "))
    assert row.split() == ["range", "1,500", "2", "1", "0", "40", "25.00%", "1.5", "-", "1"]
    (finding,) = (line for line in lines if line.startswith("range complete"))
    assert finding.rstrip() == (
        "range complete on ordinary input, in 3 histories; smallest: small history 7, a <b> & c; 2 further kinds"
    )


def test_an_unfinished_campaign_says_so():
    assert unfinished(DOCUMENT) == ""
    cut = DOCUMENT | {"complete": False, "totals": DOCUMENT["totals"] | {"of": 9000}}
    assert unfinished(cut) == ", unfinished: all figures are of these, 9,000 planned"
    assert "9,000 planned" in printed(cut)


def test_what_it_took_is_a_line_with_the_memory_where_that_is_known():
    assert took(DOCUMENT["totals"]) == (
        "2.5 s in 1 batches and 4 tasks, 600 histories/s, slots idle 20.0%, "
        "at most 4 MiB at a time (Python 1, Java 2, workers 1)"
    )
    unknown = DOCUMENT["totals"] | {"peak_kib": dict.fromkeys(("all", "driver", "java", "workers"))}
    assert took(unknown).endswith("memory unknown")


@pytest.mark.parametrize(
    ("value", "key", "said"),
    [
        (None, "x", "-"), (0.125, "idle_share", "12.50%"), (0.125, "mean", "0.125"), (2.5e6, "", "2,500,000"),
        (-2.5e6, "", "-2,500,000"), (1234, "", "1,234"), ("a", "a_share", "a"),
    ],
)  # fmt: skip
def test_a_cell_is_as_short_as_it_may_be(value, key, said):
    assert shown(value, key) == said


def test_every_column_of_the_leaderboard_is_one_of_its_study():
    assert {key for key, _ in LEADERS} <= LEADER.keys()
