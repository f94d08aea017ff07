"""Reports: valid in their own form, whole offline, and the same facts in each."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from kassay.certify.runs.options import Budget, RunOptions
from kassay.certify.runs.run import certify
from kassay.certify.targets.resolve import resolve
from kassay.report.files import junit, markdown, sarif
from kassay.report.files.formats import parse_formats, write_reports
from kassay.report.pages import html
from kassay.report.screen.terminal import certificate_view, console


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    options = RunOptions(budget=Budget(histories=60))
    broken = certify(
        resolve("ceil-range"), RunOptions(budget=Budget(histories=60), claims=("topic-even", "complete"))
    )
    path = tmp_path_factory.mktemp("target") / "mine & <yours>.py"
    path.write_text("class Mine:\n    def assign(self, partitions_per_topic, members):\n        return {}\n")
    own = certify(resolve(str(path)), options)
    return [broken, own]


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.depth = [], []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href")]


def test_the_page_asks_for_nothing_else(certificates):
    text = html.render(certificates)
    page = Page()
    page.feed(text)
    assert all(link.startswith("#") for link in page.links)
    assert not re.search(r"https?://|@import|url\(", text)
    assert "mine &amp; &lt;yours&gt;.py" in text
    assert "<yours>" not in text


def test_a_browser_shows_the_page(certificates, tmp_path):
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    path = tmp_path / "report.html"
    path.write_text(html.render(certificates))
    dumped = subprocess.run(
        [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
            f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri(),
        ],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    assert "not-certified" in dumped.stdout
    assert 'class="round on"' in dumped.stdout


def test_junit_counts_what_failed(certificates):
    root = ET.fromstring(junit.render(certificates))
    suites = root.findall("testsuite")
    assert [s.get("name") for s in suites] == [c.target for c in certificates]
    for suite, certificate in zip(suites, certificates):
        failed = {c.get("name") for c in suite.findall("testcase") if c.find("failure") is not None}
        assert failed == {r.id for r in certificate.claims if r.verdict == "violated"}
        assert int(suite.get("failures")) == len(failed)
        assert int(suite.get("tests")) == len(certificate.claims)


def test_sarif_points_at_files_only(certificates):
    document = json.loads(sarif.render(certificates))
    results = document["runs"][0]["results"]
    assert results
    assert {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results} == {
        certificates[1].target
    }
    assert {rule["id"] for rule in document["runs"][0]["tool"]["driver"]["rules"]} == {
        r["ruleId"] for r in results
    }


def test_markdown_is_cut_to_what_a_step_summary_takes(certificates, monkeypatch):
    text = markdown.render(certificates)
    assert "| `topic-even` | **violated** |" in text
    assert "m0" in text
    monkeypatch.setattr(markdown, "BYTES_MAX", 500)
    cut = markdown.render(certificates)
    assert len(cut.encode()) < 600
    assert "cut here" in cut


def test_all_formats_are_written(certificates, tmp_path):
    written = write_reports(
        certificates, parse_formats(["html", "junit", "sarif", "markdown"]), tmp_path / "new"
    )
    assert [path.name for path in written] == ["report.html", "junit.xml", "report.sarif", "report.md"]
    assert all(path.stat().st_size > 200 for path in written)


def test_the_terminal_shows_verdicts_and_the_smallest_case(certificates, capsys):
    screen = console()
    for certificate in certificates:
        screen.print(certificate_view(certificate))
    shown = capsys.readouterr().out
    assert "VIOLATED" in shown
    assert "3 members, 4 partitions" in shown
    assert "\x1b[" not in shown
