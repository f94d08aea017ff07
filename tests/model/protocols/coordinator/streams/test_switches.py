"""The switches of Streams groups."""

from __future__ import annotations

import re

from kassay.model.protocols.coordinator.streams.switches import STREAMS_SWITCHES
from tests.paths import ROOT

COORDINATOR = ROOT / "src" / "kassay" / "model" / "protocols" / "coordinator"


def test_every_switch_that_is_asked_for_is_told_and_the_reverse():
    texts = [path.read_text() for path in COORDINATOR.rglob("*.py") if path.name != "switches.py"]
    asked = {name for text in texts for name in re.findall(r'has\("(streams_\w+)"\)', text)}
    assert asked == STREAMS_SWITCHES.keys()
