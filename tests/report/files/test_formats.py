"""Reports are written in every form that is asked for."""

import re
from dataclasses import replace

import pytest

from kassay.report.facts import NotLoaded
from kassay.report.files.formats import FILES, parse_formats, reports


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
        for condition in ("configuration: none", "limits: 2 s a call, 512 MiB", "hash seed 0"):
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
