"""Reports are written in every form that is asked for.

Traces as files: one for each counterexample, where the certificate then says it is.

Traces of findings as files.
"""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kassay.engines.runs.replay import read_trace
from kassay.model.errors import InputError
from kassay.model.trace import SCHEMA
from kassay.report.facts import NotLoaded
from kassay.report.files.formats import FILES, parse_formats, reports, with_audit_traces, with_saved_traces
from tests.cli.runner import valid
from tests.engines.audits.logs import of_records
from tests.example_cluster import mailer


@pytest.mark.slow
def test_all_formats_are_written(certificates):
    written = dict(reports(certificates, parse_formats(["html", "junit", "sarif", "markdown"])))
    assert list(written) == ["report.html", "junit.xml", "report.sarif", "report.md"]
    assert all(len(text) > 200 for text in written.values())


def test_every_format_says_of_a_run_that_it_was_interrupted(certificates):
    whole = certificates[1]
    stopped = dict(reports([replace(whole, interrupted=True)], list(FILES)))
    finished = dict(reports([whole], list(FILES)))
    said = f"interrupted after {whole.histories} histories"
    for name in ("report.html", "report.md", "report.sarif"):
        assert said in stopped[name], name
        assert said not in finished[name], name
    assert '<property name="interrupted" value="true" />' in stopped["junit.xml"]
    assert '<property name="interrupted" value="false" />' in finished["junit.xml"]


def test_people_read_under_what_each_counterexample_was_found(certificates):
    certificate = certificates[1]
    example = next(result.counterexample for result in certificate.claims if result.counterexample)
    written = dict(reports([certificate], ["html", "markdown"]))
    for text in written.values():
        plain = re.sub(r"<[^>]*>|\\\\", " ", text)
        for condition in ("configuration: none", "limits: 2 s per call, 512 MiB", "hash seed 0"):
            assert condition in plain
        assert example.trace.digest in plain


def test_every_format_has_what_was_not_loaded(certificates):
    missing = [NotLoaded("nowhere.py", "no such file")]
    for some in (certificates, []):
        texts = dict(reports(some, tuple(FILES), missing))
        badge = texts.pop("badge.json")
        assert all(
            "nowhere.py" in text and "no such file" in text
            for name, text in texts.items()
            if name != "report.sarif"
        )
        assert "no such file" in texts["report.sarif"]
        assert "certified" not in badge or "of 3 certified" in badge


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
