"""What msgspec writes is what Python's writer writes, or it is left to that."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.writing import bulk
from kassay.writing.bulk import ENOUGH, large_text
from kassay.writing.documents import json_text, plain_text
from tests.hostile import TEXTS

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
def test_a_large_document_is_written_as_a_small_one(document: Any) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "ENOUGH", 0)
        assert plain_text(document) == json_text(document, compact=True)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_comes_back(number: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bulk, "ENOUGH", 0)
        text = large_text([number])
    assert text is not None
    assert repr(json.loads(text)) == repr([number])


def test_only_what_is_large_is_taken() -> None:
    pairs = [["t", number] for number in range(ENOUGH // 2)]
    assert large_text(pairs[: ENOUGH // 4]) is None
    assert large_text(pairs) == json.dumps(pairs, separators=(",", ":"))


@pytest.mark.parametrize("odd", ["\ud800", 10**5_000], ids=["half", "long"])
def test_what_it_cannot_write_is_left_to_python(odd: object) -> None:
    assert large_text([odd] * ENOUGH) is None
