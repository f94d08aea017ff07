"""Counterexamples that a run by time shrinks while its search goes on."""

import pytest

from kassay.engines.runs.controls import control_target
from kassay.engines.runs.options import Budget, RunOptions
from kassay.engines.runs.run import certify
from kassay.kinds.controls import controls_of
from kassay.model.groups.kinds import CLIENT
from kassay.model.kinds import Verdict


def phases(budget: Budget, claim: str):
    """The certificate, and the phases of the run with the counterexamples that were reported in each."""
    told = []
    faulty = next(control for control in controls_of(CLIENT) if control.breaks == claim)
    options = RunOptions(budget=budget, claims=(claim,), controls=False)
    certificate = certify(control_target(faulty), options, told.append)
    return certificate, [(each.phase, each.shrunk) for each in told]


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["balanced-within-one", "single-owner"])
def test_a_run_by_time_shrinks_at_once_and_goes_on(claim):
    certificate, told = phases(Budget(seconds=4), claim)
    names = [phase for phase, _ in told]
    first = names.index("shrinking")
    assert "playing" in names[first:], "the search has gone on"
    (result,) = certificate.claims
    assert result.verdict is Verdict.VIOLATED
    early = told[first][1].counterexample
    assert early.trace.violations
    reported = [shrunk.counterexample for _, shrunk in told if shrunk is not None]
    assert result.counterexample in reported, "what the certificate has was reported"
    assert len(reported) == len({id(each) for each in reported}), "and nothing twice"
    last = result.counterexample
    assert last.trace.contradictory < early.trace.contradictory or last.events <= early.events


def test_a_run_by_number_shrinks_when_all_is_played():
    _, told = phases(Budget(histories=120), "balanced-within-one")
    names = [phase for phase, _ in told]
    assert names[-1] == "shrinking" and names.count("shrinking") == 1
    assert "playing" not in names[names.index("shrinking") :]
