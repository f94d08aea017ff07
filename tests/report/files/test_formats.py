"""Reports are written in every form that is asked for."""

from kassay.report.files.formats import parse_formats, write_reports


def test_all_formats_are_written(certificates, tmp_path):
    written = write_reports(
        certificates, parse_formats(["html", "junit", "sarif", "markdown"]), tmp_path / "new"
    )
    assert [path.name for path in written] == ["report.html", "junit.xml", "report.sarif", "report.md"]
    assert all(path.stat().st_size > 200 for path in written)
