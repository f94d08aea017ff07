"""A report for a pull request."""

import pytest

from kassay.report.files import markdown


def test_markdown_is_cut_to_what_a_step_summary_takes(certificates, monkeypatch):
    text = markdown.render(certificates)
    assert "| `topic-even` | **violated** |" in text
    assert "m0" in text
    assert "* before it: m0 joins (subscribes to t0" in text
    assert "* Topics: t0 (" in text
    assert "optimum: " in text
    monkeypatch.setattr(markdown, "BYTES_MAX", 500)
    cut = markdown.render(certificates)
    assert len(cut.encode()) < 600
    assert "cut here" in cut


def test_each_claim_has_its_verdict_and_what_was_not_reached_is_said(every_mark):
    text = markdown.render([every_mark])
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [(row[0].strip("| `"), row[1]) for row in rows] == [
        ("violated", "**violated**"),
        ("without-a-case", "**violated**"),
        ("unknown", "unknown"),
        ("known", "known"),
        ("holds", "holds"),
    ]
    assert "accepted: accepted until the next release" in rows[3][2]
    assert "Not reached: never-seen." in text.splitlines()


def test_the_verdicts_of_several_stand_first_so_that_a_cut_spares_them(certificates, monkeypatch):
    monkeypatch.setattr(markdown, "BYTES_MAX", 600)
    head, _, row, *_ = markdown.render(certificates).splitlines()
    assert head == "| target | verdict | time | warnings |"
    assert row.startswith("| `ceil-range` | not-certified | ")


@pytest.mark.slow
def test_a_thousand_targets_fit_into_a_step_summary(certificates):
    text = markdown.render(list(certificates) * 500)
    assert 800_000 < len(text.encode()) < 1 << 20
    assert text.endswith("(cut here: the whole report is in the HTML file)\n")


def test_what_could_make_a_pass_meaningless_is_listed(every_mark):
    assert "* unknown: unknown; a larger" in markdown.render([every_mark]).replace("\\", "")
