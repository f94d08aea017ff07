from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from kassay.certify.optimum.instances import at, documents
from kassay.model.errors import InputError


def test_a_file_holds_one_document_or_lines_or_a_list(tmp_path: Path) -> None:
    path = tmp_path / "instances.json"
    path.write_text('{"a":\n 1}\n')
    assert documents(str(path)) == [({"a": 1}, str(path))]
    path.write_text('{"a": 1}\n\n{"a": 2}\n')
    assert documents(str(path)) == [({"a": 1}, f"{path}:1"), ({"a": 2}, f"{path}:3")]
    path.write_bytes(gzip.compress(b'[{"a": 1},\n {"a": 2}]'))
    assert documents(str(path)) == [({"a": 1}, f"{path}[0]"), ({"a": 2}, f"{path}[1]")]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (" \n", ": empty, expected one JSON document or JSON lines"),
        ('{"a": 1}\n{"a"\n', ":2: not JSON (Expecting ':' delimiter)"),
        ('{"a": 1}\n{"b": [{"a": 1, "a": 2}]}\n', ":2: b[0].a: found twice, expected once"),
    ],
)
def test_what_cannot_be_read_is_named_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "instances.jsonl"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        documents(str(path))
    assert str(refused.value) == f"{path}{complaint}"


def test_an_error_is_told_with_the_place_and_keeps_its_class() -> None:
    class WitnessError(InputError):
        pass

    with pytest.raises(WitnessError, match=r"^groups.jsonl:3: no$"), at("groups.jsonl:3"):
        raise WitnessError("no")
