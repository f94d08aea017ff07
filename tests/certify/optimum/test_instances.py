"""Where instances stand: a document, lines of them, a list, a suite, compressed or not, and what is said otherwise."""

import gzip
import json

import pytest

from kassay.certify.optimum.instances import at, documents, located_in_suite
from kassay.model.errors import InputError

A, B = {"name": "a"}, {"name": "b"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (json.dumps(A), [(A, "{}")]),
        (json.dumps(A, indent=2), [(A, "{}")]),
        (json.dumps([A, B], indent=1), [(A, "{}[0]"), (B, "{}[1]")]),
        (f"{json.dumps(A)}\n\n{json.dumps(B)}\n", [(A, "{}:1"), (B, "{}:3")]),
    ],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_each_document_has_its_place(tmp_path, text, found, pack):
    path = tmp_path / "instances"
    path.write_bytes(pack(text.encode()))
    assert documents(str(path)) == [(document, where.format(path)) for document, where in found]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "empty, expected one JSON document or JSON lines"),
        (b"  \n", "empty, expected one JSON document or JSON lines"),
        (b'{"a": 1}\n{"a":\n', ":2: "),
        (b'{"a": 1, "a": 2}', "a"),
        (b"\xff", "not UTF-8"),
        (b"\x1f\x8b broken", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_one_line_with_its_place(tmp_path, content, said):
    path = tmp_path / "instances"
    path.write_bytes(content)
    with pytest.raises(InputError) as raised:
        documents(str(path))
    assert str(raised.value).startswith(str(path))
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_suite_is_made_one_instance_at_a_time():
    first = next(located_in_suite("bench"))
    assert first.where == first.document["name"]
    with pytest.raises(InputError, match="found 'none'"):
        next(located_in_suite("none"))


def test_errors_are_told_with_the_place():
    with pytest.raises(InputError, match=r"^f:3: no such member$"), at("f:3"):
        raise InputError("no such member")
