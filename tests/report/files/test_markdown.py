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
