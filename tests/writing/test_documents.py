"""JSON that every reader takes."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given

from kassay.writing.documents import json_text
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
