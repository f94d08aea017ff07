"""The page of findings about client libraries and its scripts: all are there, can be read and played."""

import re

import pytest

from kassay.engines.live.clients import LIBRARIES
from kassay.engines.live.script import read_script
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "live-findings.md").read_text("utf-8")
SCRIPTS = sorted((ROOT / "examples" / "live").glob("*.toml"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_can_be_read_and_is_named_on_the_page(path):
    script = read_script(str(path))
    assert path.name in PAGE
    assert script.title and script.actions
    for seat in script.seats:
        assert {*seat.strategies} <= {*LIBRARIES[seat.client].strategies}


def test_every_script_of_the_page_is_there():
    assert {*re.findall(r"[a-z-]+\.toml", PAGE)} == {path.name for path in SCRIPTS}
