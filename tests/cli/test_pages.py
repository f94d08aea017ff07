"""Pages that commands write."""

from pathlib import Path

import pytest

from kassay.cli.pages import write_page
from kassay.model.errors import InputError


def test_a_page_is_written_and_its_place_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_page("<p>", tmp_path / "new", "a.html")
    assert (tmp_path / "new" / "a.html").read_text() == "<p>"
    assert capsys.readouterr().err == f"report: {tmp_path}/new/a.html\n"


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"):
        write_page("<p>", tmp_path / "file", "a.html")
