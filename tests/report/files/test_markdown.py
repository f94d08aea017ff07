"""A report for a pull request."""

from kassay.report.files import markdown


def test_markdown_is_cut_to_what_a_step_summary_takes(certificates, monkeypatch):
    text = markdown.render(certificates)
    assert "| `topic-even` | **violated** |" in text
    assert "m0" in text
    monkeypatch.setattr(markdown, "BYTES_MAX", 500)
    cut = markdown.render(certificates)
    assert len(cut.encode()) < 600
    assert "cut here" in cut


def test_each_claim_has_its_verdict_and_what_was_not_reached_is_said(every_mark):
    text = markdown.render([every_mark])
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| `")]
    assert [(row[0].strip("| `"), row[1]) for row in rows] == [
        ("holds", "holds"),
        ("unknown", "unknown"),
        ("violated", "**violated**"),
        ("without-a-case", "**violated**"),
        ("known", "known"),
    ]
    assert "accepted: accepted until the next release" in rows[4][2]
    assert "Not reached: never-seen." in text.splitlines()
