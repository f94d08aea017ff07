"""What is at a path, whatever the path is."""

from __future__ import annotations

from pathlib import Path

import pytest

from kassay.reading.paths import is_file, is_folder, is_there
from tests.hostile import ALL


def test_a_file_and_a_folder_are_there(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("")
    assert (is_file(file), is_folder(file), is_there(file)) == (True, False, True)
    assert (is_file(str(tmp_path)), is_folder(str(tmp_path)), is_there(tmp_path)) == (False, True, True)


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3000, "a\0b", "\ud800", ALL])
def test_nothing_is_where_nothing_can_be(name: str) -> None:
    assert (is_file(name), is_folder(name), is_there(name)) == (False, False, False)
