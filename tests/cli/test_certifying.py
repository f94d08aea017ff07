"""What a call of `kassay certify` keeps: certificates, traces on disk, reports, the baseline."""

import json
from pathlib import Path

import pytest

from kassay.certify.runs.baseline import read_baseline
from kassay.certify.runs.options import Budget, RunOptions
from kassay.cli.certifying import Session

OPTIONS = RunOptions(claims=("topic-even", "complete"), budget=Budget(histories=40), controls=False)


@pytest.fixture
def session(tmp_path):
    return Session(OPTIONS, tmp_path / "out", quiet=True, baseline=None, formats=("junit", "markdown"))


def test_a_trace_is_written_for_each_claim_that_is_broken_and_named_in_the_certificate(session, capsys):
    assert session.certify("ceil-range") == 1
    assert session.certify("range") == 0
    first, second = session.certificates
    even, complete = first.claims
    assert Path(even.counterexample.path).parent == session.out / "traces"
    document = json.loads(Path(even.counterexample.path).read_text())
    assert (document["claim"], document["target"]) == ("topic-even", "ceil-range")
    assert complete.counterexample is None
    assert [claim.counterexample for claim in second.claims] == [None, None]
    assert list((session.out / "traces").iterdir()) == [Path(even.counterexample.path)]
    assert capsys.readouterr().out == ""


def test_a_target_that_does_not_load_is_one_line_and_no_certificate(session, capsys):
    assert session.certify("no-such") == 4
    assert session.certificates == []
    assert capsys.readouterr().err.startswith("kassay: ")


def test_reports_are_written_beside_the_traces(session):
    session.certify("ceil-range")
    session.write_reports()
    names = {path.name for path in session.out.iterdir()}
    assert {"traces"} < names
    assert len(names) == 3


def test_a_baseline_that_was_updated_accepts_the_same_run(session, tmp_path):
    path = tmp_path / "known.json"
    session.certify("ceil-range")
    session.update_baseline(path)
    again = Session(OPTIONS, tmp_path / "out", quiet=True, baseline=read_baseline(path), formats=())
    assert again.certify("ceil-range") != 1
    assert [claim.known is not None for claim in again.certificates[0].claims] == [True, False]
