"""Hunts on a terminal: the verdict, then the counterexample round by round."""

from io import StringIO

import pytest

from kassay.engines.hunts.hunt import HuntOptions, hunt_claim
from kassay.engines.runs.options import RunOptions
from kassay.engines.targets.resolve import resolve
from kassay.report.described import hunts_described
from kassay.report.screen.blocks import described_view
from kassay.report.screen.console import console


def shown(text, scope, histories=0):
    out = StringIO()
    hunt = hunt_claim(resolve("range"), text, HuntOptions(None, histories, scope), RunOptions())
    console(file=out).show(described_view(hunts_described([hunt])))
    return out.getvalue()


@pytest.mark.parametrize(
    ("text", "scope", "first", "last"),
    [
        ("all t: spread(t) <= 1", (2, 2), "HOLDS", "holds for all groups up to 2 x 2"),
        ("members >= 1", (1, 1), "UNKNOWN", "played, and no answer to any could break the claim"),
        ("max(load) <= 1", (2, 2), "BROKEN", "minimal counterexample: 1 member"),
    ],
)
def test_the_view(text, scope, first, last):
    view = shown(text, scope)
    assert view.startswith(first)
    assert last in " ".join(view.split())
