"""Reports are written in every form that is asked for."""

from kassay.report.files.formats import parse_formats, reports


def test_all_formats_are_written(certificates):
    written = dict(reports(certificates, parse_formats(["html", "junit", "sarif", "markdown"])))
    assert list(written) == ["report.html", "junit.xml", "report.sarif", "report.md"]
    assert all(len(text) > 200 for text in written.values())
