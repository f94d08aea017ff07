"""Hunts on a terminal: the counterexample round by round, and a last line that says what is known."""

from io import StringIO

import pytest

from kassay.engines.hunts.hunt import HuntOptions, hunt_claim
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.report.screen.console import console
from kassay.report.screen.hunting import hunt_view


def shown(text, scope, histories=0):
    out = StringIO()
    hunt = hunt_claim(resolve("range"), text, HuntOptions(None, histories, scope), RunOptions())
    console(file=out).show(hunt_view(hunt))
    return out.getvalue()


@pytest.mark.parametrize(
    ("text", "scope", "first", "last"),
    [
        ("all t: spread(t) <= 1", (2, 2), "HOLDS", "holds for all groups up to 2 x 2"),
        ("members >= 1", (1, 1), "UNKNOWN", "played, and no answer to any could break the claim"),
        ("max(load) <= 1", (2, 2), "range: Always max(load) <= 1.", "minimal counterexample: 1 member"),
    ],
)
def test_the_view(text, scope, first, last):
    view = shown(text, scope)
    assert view.startswith(first)
    assert last in " ".join(view.split())
