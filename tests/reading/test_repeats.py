"""What stands many times in a document of a group is one value, and the document is what Python reads."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.certify.optimum.solve import solve
from kassay.reading.bulk import read_large
from kassay.reading.documents import Located
from kassay.reading.repeats import decode, decode_group
from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.instances.consumers import consumer

INSTANCE = consumer("racks", 1, members=4, partitions=9, topics=2)
RESULT = solve(Located(INSTANCE, "here"), MOVEMENT_FIRST)
DOCUMENTS = (INSTANCE, RESULT, RESULT["certificate"])
PIECES = (
    *("{", "}", "[", "]", ",", ":", '"', "0", "1.5", "NaN", "null", "\\", "\\u003a", " ", "\n", "[" * 101),
    *(
        '"id": 1,',
        '"topics": [],',
        '"topics": 1, "x": ',
        '"assignment": {},',
        '"certificate": null,',
        '"": 0,',
    ),
)


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
@pytest.mark.parametrize("document", DOCUMENTS, ids=["instance", "result", "certificate"])
def test_a_document_of_a_group_is_what_was_written(document: Any, separators: tuple[str, str]) -> None:
    text = json.dumps(document, separators=separators)
    assert json.dumps(decode_group(text)) == json.dumps(decode(text)) == json.dumps(document)


def test_what_is_equal_is_one_value() -> None:
    result = decode_group(json.dumps(RESULT))
    certificate = result["certificate"]
    assert result["assignment"] is certificate["assignment"]
    first, *others = (member["topics"] for member in certificate["instance"]["members"])
    assert all(topics is first for topics in others)


@pytest.mark.parametrize("text", ["[]", "1", "{", '{"family": "B"}', '{"name": "A"}'])
def test_other_documents_are_left_to_others(text: str) -> None:
    assert decode_group(text) is None


def _pairs(text: str) -> tuple[Any, bool]:
    """What Python reads, and whether a key stands twice."""
    twice: list[bool] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    return json.loads(text, object_pairs_hook=once), any(twice)


@given(st.sampled_from(DOCUMENTS), st.data())
def test_whatever_is_changed_is_read_as_python_does_or_not_at_all(document: Any, data: st.DataObject) -> None:
    text = json.dumps(document)
    for _ in range(data.draw(st.integers(1, 2))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.sampled_from(PIECES)) + text[at + data.draw(st.integers(0, 3)) :]
    read = read_large(text)
    if read is not None:
        plain, twice = _pairs(text)
        assert repr(read.document) == repr(plain)
        assert not twice
