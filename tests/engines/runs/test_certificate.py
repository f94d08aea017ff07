"""The verdict over all claims, what it exits with, and the document."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.runs.certificate import CoveredDimension
from kassay.engines.runs.environments.coverage import EnvironmentCoverage
from kassay.model.kinds import Verdict
from tests.cli.runner import valid
from tests.engines.runs.written import certificate, result

results = st.lists(
    st.tuples(st.sampled_from(Verdict), st.booleans()).map(
        lambda drawn: result("complete", drawn[0], known="accepted" if drawn[1] else None)
    ),
    max_size=4,
)


@given(results)
def test_the_gravest_claim_that_is_not_known_decides(claims):
    found = certificate(*claims)
    fresh = {claim.verdict for claim in claims if claim.known is None}
    if Verdict.VIOLATED in fresh:
        assert (found.verdict, found.exit_code) == ("not-certified", 1)
    elif Verdict.UNKNOWN in fresh or not claims:
        assert (found.verdict, found.exit_code) == ("unknown", 3)
    else:
        assert (found.verdict, found.exit_code) == ("certified", 0)


@pytest.mark.parametrize("contradictory", [False, True])
def test_a_document_says_where_the_trace_is_and_of_what_input(contradictory):
    broken = result("complete", Verdict.VIOLATED, contradictory=contradictory, known="a reason")
    document = certificate(broken, result("stable", Verdict.HOLDS)).to_json()
    first, second = valid(json.loads(json.dumps(document)), "certificate-5")["claims"]
    assert first["counterexample"]["input"] == ("contradictory" if contradictory else "ordinary")
    assert (first["counterexample"]["trace"], first["known"]) == (None, "a reason")
    assert (second["counterexample"], "known" in second) == (None, False)
    assert (document["verdict"], document["kind"]) == ("certified", "client")


@given(results)
def test_an_interrupted_run_certifies_nothing_and_tells_what_was_violated(claims):
    whole = certificate(*claims)
    stopped = replace(whole, interrupted=True)
    if whole.verdict == "not-certified":
        assert (stopped.verdict, stopped.exit_code) == ("not-certified", 1)
    else:
        assert (stopped.verdict, stopped.exit_code) == ("unknown", 130)


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_document_says_whether_the_run_was_interrupted(interrupted):
    whole = certificate(result("complete", Verdict.HOLDS))
    document = valid(replace(whole, interrupted=interrupted).to_json() | {"versions": {}}, "certificate-5")
    assert document["interrupted"] is interrupted
    assert document["notes"] == []


@pytest.mark.parametrize(
    ("lacking", "missed", "verdict"),
    [
        ((), (), "certified"),
        (("clock not shifted",), (), "certified"),
        ((), ("clock",), "unknown"),
        (("host name not changed",), ("clock",), "unknown"),
    ],
)
def test_a_run_too_short_for_the_environment_certifies_nothing_and_a_machine_without_means_does(
    lacking, missed, verdict
):
    environment = EnvironmentCoverage(lacking=lacking, missed=missed)
    found = replace(certificate(result("deterministic", Verdict.HOLDS)), environment=environment)
    assert found.verdict == verdict
    document = valid(found.to_json() | {"versions": {}}, "certificate-5")
    assert (document["environment"]["lacking"], document["environment"]["missed"]) == (
        list(lacking),
        list(missed),
    )


@pytest.mark.parametrize(
    ("missing", "silent", "verdict"),
    [((), (), "certified"), (("dash",), (), "unknown"), ((), ("dash",), "certified")],
)
def test_a_class_that_no_claim_was_checked_on_certifies_nothing(missing, silent, verdict):
    full = CoveredDimension("members", ("8",), ())
    names = CoveredDimension("topic names", ("upper",), missing, silent)
    found = replace(certificate(result("complete", Verdict.HOLDS)), coverage=(full, names))
    assert found.verdict == verdict
    assert found.uncovered == ((names,) if missing else ())
