"""How deep a document is, and how many fields it has."""

from __future__ import annotations

from typing import Any

import pytest

from kassay.reading.nesting import DEPTH, Nesting, nesting


def nested(depth: int, innermost: Any) -> Any:
    """A value with so many lists around it."""
    return [nested(depth - 1, innermost)] if depth else innermost


@pytest.mark.parametrize("innermost", [1, [], {}, [[0, 1]] * 9])
def test_so_much_may_stand_around_a_list_and_no_more(innermost: Any) -> None:
    inside = 0 if innermost == 1 else 2 if innermost else 1
    assert nesting(nested(DEPTH + 1 - inside, innermost)).shallow
    assert not nesting(nested(DEPTH + 2 - inside, innermost)).shallow


def test_the_fields_of_all_objects_count() -> None:
    member = {"id": "a", "owned": [["t", 0]], "rack": None}
    assert nesting({"members": [dict(member) for _ in range(50)], "levels": {"a": 0}}) == Nesting(True, 153)
