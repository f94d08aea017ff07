"""Traces of findings as files."""

import json

from kassay.model.trace import SCHEMA
from kassay.report.files.audits import with_audit_traces
from tests.certify.audits.logs import of_records
from tests.cli.runner import valid
from tests.example_cluster import mailer


def test_the_first_finding_of_a_claim_is_a_file(tmp_path):
    audit = with_audit_traces(of_records(mailer().records), tmp_path)
    (finding,) = audit.groups[0].findings
    assert finding.path == str(tmp_path / "traces" / "mailer-4-cooperative.json")
    valid(
        json.loads((tmp_path / "traces" / "mailer-4-cooperative.json").read_text()),
        SCHEMA.removeprefix("kassay/").replace("/", "-"),
    )
