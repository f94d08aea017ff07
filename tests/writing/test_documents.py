"""JSON that every reader takes."""

from __future__ import annotations

import json
import re
import sys
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.writing.files import json_text, plain_bytes
from tests.hostile import TEXTS


@given(TEXTS)
def test_names_come_back_from_what_utf_8_holds(name: str) -> None:
    document = {name: [name, 1.5, None]}
    # A reader of JSON takes two halves that stand together for the whole that they are.
    expected = json.loads(json.dumps(document))
    for options in ({}, {"indent": 1}, {"compact": True}, {"ascii_only": True}, {"sort_keys": True}):
        raw = json_text(document, **options).encode()  # type: ignore[arg-type]
        assert json.loads(raw) == expected
        assert not re.search(rb"[\x00-\x09\x0b-\x1f]", raw)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_what_json_does_not_have_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        json_text({"x": number})


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.tuples(inner, inner)
        | st.dictionaries(st.text(max_size=5) | TEXTS, inner, max_size=5)
    ),
    max_leaves=20,
)


@given(PLAIN)
def test_a_plain_document_is_the_same_text_whoever_writes_it(document: Any) -> None:
    assert sys.modules["msgspec"] is msgspec
    text = plain_bytes(document)
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "msgspec")
        assert plain_bytes(document) == text == json_text(document, compact=True).encode()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_of_a_plain_document_comes_back(number: float) -> None:
    assert repr(json.loads(plain_bytes([number]))) == repr([number])


def test_a_number_that_python_has_no_text_for_has_none() -> None:
    with pytest.raises(ValueError, match="digits"):
        plain_bytes([10**5_000])
