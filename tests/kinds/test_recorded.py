"""A play rebuilt from its recorded answers is the play: claims say the same of both, for every kind."""

import json

import pytest

from kassay.engines.runs.blocks import Job, open_bench
from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import RunOptions
from kassay.kinds.controls import load_controls
from kassay.kinds.recorded import examined, recorded
from kassay.properties.claims import parse_claim
from kassay.properties.registry import Scope

CASES = 120
"""In so many cases a control breaks its claim."""
MORE = 10
"""Cases that are rebuilt at least, whether they break the claim or keep it."""
CONTROLS = [
    control
    for control in load_controls()
    if control.breaks not in {"terminates", "deterministic"}
    and parse_claim(control.breaks, control.kind).kind.scope is not Scope.TIMING
]


@pytest.mark.parametrize("control", CONTROLS, ids=lambda control: f"{control.kind}-{control.name}")
def test_claims_say_the_same_of_the_rebuilt_play(control):
    broken = False
    options = RunOptions(claims=(control.breaks,), in_process=True)
    with open_bench(Job(control_target(control), options)) as bench:
        for index in range(CASES):
            case, seen = bench.look(index)
            answers = json.loads(json.dumps(recorded(bench.driver, seen.plays)))
            again = examined(bench.driver, case, bench.subject, answers)
            assert list(map(str, again.violations)) == list(map(str, seen.violations))
            assert bench.driver.narrated(again.plays) == bench.driver.narrated(seen.plays)
            assert again.judged == seen.judged and again.checked == seen.checked
            broken = broken or bool(seen.violations)
            if index >= MORE and broken:
                break
    assert broken
