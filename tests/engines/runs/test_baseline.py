"""Baselines: what is known does not fail a run, for as long as it is accepted and found again."""

import json
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.runs.baseline import (
    NO_REASON,
    Baseline,
    Known,
    apply,
    changes,
    document_of,
    read_baseline,
    updated,
)
from kassay.model.errors import InputError
from kassay.model.kinds import Verdict
from tests.cli.runner import valid
from tests.engines.runs.written import certificate, result

TODAY = date(2026, 11, 21)
BROKEN = certificate(result("complete", Verdict.VIOLATED), result("stable", Verdict.HOLDS))
claims = st.lists(
    st.builds(
        result,
        st.sampled_from(["complete", "total", "stable", "exists"]),
        st.sampled_from(Verdict),
        contradictory=st.booleans(),
    ),
    max_size=4,
    unique_by=lambda claim: claim.id,
)


@pytest.mark.slow
@given(claims)
def test_a_run_is_clean_against_the_baseline_that_was_written_from_it(results):
    found = certificate(*results)
    document = valid(json.loads(json.dumps(document_of(updated((), [found])))), "baseline-1")
    baseline = tuple(Known(**entry) for entry in document["findings"])
    again = apply(found, baseline, TODAY)
    violated = [claim.id for claim in results if claim.verdict is Verdict.VIOLATED]
    assert sorted(entry.claim for entry in baseline) == sorted(violated)
    assert [claim.id for claim in again.claims if claim.known == NO_REASON] == violated
    assert again.notes == ()
    assert again.verdict != "not-certified"
    assert document_of(updated(baseline, [again])) == document


def test_an_entry_from_before_releases_is_about_the_rule_of_its_day(tmp_path):
    path = tmp_path / "baseline.json"
    entries = [Known(spec, "complete", "ordinary") for spec in ("uniform", "uniform@4.0.1", "mine")]
    path.write_text(json.dumps(document_of(entries)))
    assert [entry.target for entry in read_baseline(path)] == ["uniform@4.0.0", "uniform@4.0.1", "mine"]
    path.write_text(json.dumps(document_of([*entries, Known("uniform@4.0.0", "complete", "ordinary")])))
    with pytest.raises(InputError, match="the finding"):
        read_baseline(path)


@pytest.mark.parametrize(
    "entry",
    [
        Known("other", "complete", "ordinary"),
        Known("mine", "total", "ordinary"),
        Known("mine", "complete", "contradictory"),
    ],
)
def test_another_target_claim_or_class_of_input_accepts_nothing(entry):
    assert apply(BROKEN, (entry,), TODAY).exit_code == 1


def test_what_has_vanished_is_told_where_it_was_looked_for():
    entries = (Known("mine", "stable", "ordinary"), Known("mine", "total", "ordinary"))
    assert apply(BROKEN, entries, TODAY).notes == (
        "baseline: stable on ordinary input was not found again: obsolete",
        "baseline: total on ordinary input was not looked for: the claim is not judged here",
    )


@pytest.mark.parametrize(("expires", "accepted"), [("2026-11-20", False), ("2026-11-21", True), (None, True)])
def test_an_entry_is_good_to_the_end_of_its_day(expires, accepted):
    found = apply(BROKEN, (Known("mine", "complete", "ordinary", "later", expires),), TODAY)
    assert found.exit_code == (0 if accepted else 1)
    assert found.claims[0].known == ("later" if accepted else None)
    said = ("baseline: complete on ordinary input was accepted until 2026-11-20 only",)
    assert found.notes == (() if accepted else said)


def test_an_update_keeps_reasons_dates_and_other_targets():
    other = Known("other", "total", "ordinary", "theirs")
    mine = Known("mine", "complete", "ordinary", "ours", "2027-01-31")
    gone = Known("mine", "stable", "ordinary", "old")
    entries = updated((other, mine, gone), [BROKEN, replace(BROKEN, target="new")])
    assert entries == (mine, Known("new", "complete", "ordinary"), other)


def test_an_update_forgets_nothing_that_the_run_did_not_look_for_or_could_not_tell():
    unjudged = Known("mine", "exists", "ordinary", "of another run")
    untold = Known("mine", "total", "contradictory")
    run = certificate(result("complete", Verdict.HOLDS), result("total", Verdict.UNKNOWN))
    assert updated((unjudged, untold, Known("mine", "complete", "ordinary")), [run]) == (unjudged, untold)


def test_an_update_takes_the_class_of_input_that_was_found():
    run = certificate(result("complete", Verdict.VIOLATED, contradictory=True))
    assert updated((Known("mine", "complete", "ordinary"),), [run]) == (
        Known("mine", "complete", "contradictory"),
    )


def test_what_an_update_changed_is_said():
    before = (Known("mine", "stable", "ordinary"), Known("mine", "total", "ordinary", expires="2026-11-20"))
    after = (Known("mine", "complete", "contradictory"), before[1])
    assert changes(before, after, TODAY) == [
        "added mine: complete on contradictory input",
        "removed mine: stable on ordinary input",
        "kept mine: total on ordinary input, but its date is over: 2026-11-20",
        "1 added, 1 removed, 1 kept",
    ]
    assert changes(after, after, date(2026, 11, 20)) == ["0 added, 0 removed, 2 kept"]


def test_only_an_update_creates_the_file(tmp_path):
    path = tmp_path / "known.json"
    with pytest.raises(InputError, match=r"no such file; expected a baseline .* add --baseline-update"):
        Baseline.at(path, update=False)
    assert Baseline.at(path, update=True).known == ()


def test_a_file_that_is_not_there_accepts_nothing(tmp_path):
    assert read_baseline(tmp_path / "none.json") == ()


@pytest.mark.parametrize(
    ("spoilt", "complaint"),
    [
        ({"expires": "soon"}, "findings[0].expires: found 'soon', expected a date such as 2027-01-31"),
        ({"reson": "x"}, "findings[0].reson: "),
        ({"claim": 3}, "findings[0].claim: found 3, expected a text"),
        (
            {"input": "ordinry"},
            "findings[0].input: found 'ordinry', expected 'ordinary' or 'contradictory' (did",
        ),
    ],
)
def test_a_mistake_is_named_with_its_field(tmp_path, spoilt, complaint):
    path = tmp_path / "known.json"
    entry = {"target": "mine", "claim": "complete", "input": "ordinary"}
    path.write_text(json.dumps({"schema": "kassay/baseline/1", "findings": [entry]}))
    assert read_baseline(path) == (Known("mine", "complete", "ordinary"),)
    path.write_text(json.dumps({"schema": "kassay/baseline/1", "findings": [entry | spoilt]}))
    with pytest.raises(InputError) as refused:
        read_baseline(path)
    assert str(refused.value).startswith(f"{path}: {complaint}")


def test_a_finding_that_stands_twice_is_refused(tmp_path):
    entry = {"target": "mine", "claim": "complete", "input": "ordinary"}
    path = tmp_path / "known.json"
    path.write_text(json.dumps({"schema": "kassay/baseline/1", "findings": [entry, entry | {"reason": "x"}]}))
    with pytest.raises(InputError, match=r"findings\[1\]: the finding .* is already at findings\[0\]"):
        read_baseline(path)
