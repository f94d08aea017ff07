"""Traces as files: one for each counterexample, where the certificate then says it is.

Traces of findings as files.
"""

import json
from pathlib import Path

import pytest

from kassay.certify.runs.replay import read_trace
from kassay.model.errors import InputError
from kassay.model.trace import SCHEMA
from kassay.report.files.traces import with_audit_traces, with_saved_traces
from tests.certify.audits.logs import of_records
from tests.cli.runner import valid
from tests.example_cluster import mailer


def test_each_counterexample_is_saved_and_its_path_noted(certificates, tmp_path):
    for certificate in certificates:
        saved = with_saved_traces(certificate, tmp_path)
        for before, after in zip(certificate.claims, saved.claims, strict=True):
            if before.counterexample is None:
                assert after == before
                continue
            path = Path(after.counterexample.path)
            assert path.parent == tmp_path / "traces"
            assert read_trace(path) == before.counterexample.trace
    broken = [result for certificate in certificates for result in certificate.claims if result.failed]
    assert len(list((tmp_path / "traces").iterdir())) == len(broken) > 2


def test_where_nothing_can_be_written_is_said(certificates, tmp_path):
    (tmp_path / "traces").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        with_saved_traces(certificates[0], tmp_path)


def test_the_first_finding_of_a_claim_is_a_file(tmp_path):
    audit = with_audit_traces(of_records(mailer().records), tmp_path)
    (finding,) = audit.groups[0].findings
    assert finding.path == str(tmp_path / "traces" / "mailer-4-cooperative.json")
    valid(
        json.loads((tmp_path / "traces" / "mailer-4-cooperative.json").read_text()),
        SCHEMA.removeprefix("kassay/").replace("/", "-"),
    )
