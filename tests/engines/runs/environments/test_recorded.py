"""The answers that broke a claim between two environments, or after other cases: recorded, and judged again."""

import json
from dataclasses import replace

import pytest

from kassay.engines.runs.environments.cause import CHANCE
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.replay import load_trace, replay
from kassay.engines.runs.run import certify
from kassay.engines.targets.resolve import resolve
from kassay.model.kinds import Verdict

from ..test_lives import DEALS
from .test_search import SORTS, looked

HOUR = SORTS.format(flips="datetime.datetime.now().hour % 2", top="", claim="deterministic")
LATER_GROUPS = DEALS.format(kind="server-assignor", fails="self.calls > 20", keeps="pass")


@pytest.mark.slow_cases("earlier groups")
@pytest.mark.parametrize(
    ("source", "claim", "part"),
    [
        pytest.param(HOUR, "deterministic", "surroundings", id="the hour"),
        pytest.param(LATER_GROUPS, "complete", "before", id="earlier groups"),
    ],
)
def test_recorded_answers_are_those_that_broke_the_claim(source, claim, part, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(source)
    options = RunOptions(claims=(claim,), budget=Budget(histories=12), controls=False)
    (result,) = certify(resolve(str(file)), options).claims
    assert result.verdict is Verdict.VIOLATED
    trace = result.counterexample.trace
    assert trace.answers and trace.repeated is None, "steady there"
    assert getattr(trace.conditions, part)
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace.to_json()))
    replayed = replay(load_trace(path))
    assert (replayed.verdict, replayed.by_answers, replayed.repeated) == (Verdict.VIOLATED, True, None)
    elsewhere = replay(replace(load_trace(path), missing="not here"))
    assert elsewhere.verdict is Verdict.VIOLATED
    assert elsewhere.violations == trace.violations


def test_chance_is_not_blamed_on_the_surroundings(tmp_path):
    (finding,) = looked(tmp_path, "random.random() < 0.1", top="import random").findings
    assert finding.cause == CHANCE
    assert finding.answers
