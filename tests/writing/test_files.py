"""Files that are whole or not there, under names that file systems take."""

from __future__ import annotations

import os
import stat
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given

from kassay.assignors.registry import load_all
from kassay.model.errors import InputError
from kassay.properties.registry import load_claims
from kassay.writing import files
from kassay.writing.files import NAME_BYTES_MAX, file_name, write_bytes, write_text
from tests.hostile import TEXTS


@given(TEXTS, TEXTS)
def test_a_name_is_short_safe_and_of_its_own(one: str, other: str) -> None:
    name = file_name(one, other, suffix=".json")
    assert name.isascii()
    assert not set(name) & set("/\\ \"'$`|:*?<>")
    assert len(name) <= NAME_BYTES_MAX + len(".json")
    assert name == file_name(one, other, suffix=".json")
    assert name != file_name(one, other + "x", suffix=".json")
    assert name != file_name(one + other, "", suffix=".json")


def test_plain_names_stay_as_they_are_and_none_meets_another() -> None:
    pairs = set(product(load_all(), {claim for _, claim in load_claims()}))
    names = {file_name(target, claim, suffix=".json") for target, claim in pairs}
    assert len(names) == len(pairs)
    assert file_name("range", "topic-even", suffix=".json") == "range-topic-even.json"
    assert (
        file_name("placement:striped", "rack-spread", suffix=".json") == "placement_striped-rack-spread.json"
    )
    ways = [
        "a/b.py",
        "a_b.py",
        "a:b.py",
        "a::b.py",
        "a b.py",
        ":a_b.py",
        "a_b.py:",
        "./a_b.py",
        ".a_b.py",
        "",
    ]
    assert len({file_name(way, "x", suffix="") for way in ways}) == len(ways)


def test_a_file_is_written_in_folders_that_are_made(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b.txt"
    for text in ("one\n", "two é\n"):
        write_text(text, str(path), durable=True)
        assert path.read_text(encoding="utf-8") == text
    assert [each.name for each in path.parent.iterdir()] == ["b.txt"]


def test_parts_are_one_file_whatever_it_is(tmp_path: Path) -> None:
    write_bytes([b"a\n", b"", b"\xff"], str(tmp_path / "file"))
    assert (tmp_path / "file").read_bytes() == b"a\n\xff"
    write_bytes([b"a", b"b"], os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_file_that_cannot_be_written_whole_stays_what_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "trace.json"
    with pytest.raises(InputError, match=r"trace.json: cannot be written \("):
        write_text("\ud800", str(path))
    assert not path.exists()
    write_text("whole", str(path))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(InputError, match=r"trace.json: cannot be written \(No space left on device\)"):
        write_text("more", str(path), durable=True)
    assert path.read_text() == "whole"
    assert [each.name for each in tmp_path.iterdir()] == ["trace.json"]


@pytest.mark.parametrize(
    "place", ["{folder}", "{folder}/a\0b", "{folder}/" + "x" * 300, "{folder}/file/below"]
)
def test_what_is_no_place_for_a_file_is_said_in_a_line(place: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be written \("):
        write_text("text", place.replace("{folder}", str(tmp_path)))
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_link_a_pipe_and_the_rights_of_a_file_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_text("new", str(link))
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    write_text("gone", os.devnull)
    assert stat.S_ISCHR(Path(os.devnull).stat().st_mode)


def test_a_new_kassay_folder_is_left_out_by_git_and_an_old_one_stays_as_it_is(tmp_path):
    write_text("x", str(tmp_path / ".kassay" / "traces" / "a.json"))
    assert (tmp_path / ".kassay" / ".gitignore").read_text() == "*\n"
    assert not (tmp_path / ".kassay" / "traces" / ".gitignore").exists()
    (tmp_path / ".kassay" / ".gitignore").unlink()
    write_text("x", str(tmp_path / ".kassay" / "b" / "a.json"))
    assert not (tmp_path / ".kassay" / ".gitignore").exists()
    write_text("x", str(tmp_path / "other" / "a.json"))
    assert sorted(path.name for path in (tmp_path / "other").iterdir()) == ["a.json"]
