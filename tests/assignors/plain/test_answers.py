"""What counts as an answer; the wrong forms one by one are in `tests/certify/targets/test_resolve.py`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.plain.answers import Malformed, check_assignment, check_placement, difference, shown

answers = st.dictionaries(
    st.text(), st.lists(st.tuples(st.text(), st.integers(-(2**31), 2**31 - 1)), max_size=5), max_size=5
)
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=10,
)


@pytest.mark.slow
@given(answers)
def test_an_answer_comes_back_as_it_was(answer: dict[str, list[tuple[str, int]]]) -> None:
    assert check_assignment(answer) == answer


@given(answers)
def test_an_answer_survives_json(answer: dict[str, list[tuple[str, int]]]) -> None:
    assert check_assignment(json.loads(json.dumps(check_assignment(answer)))) == answer


@given(junk | st.dictionaries(st.text(), junk))
def test_anything_else_is_told_on_one_line(answer: Any) -> None:
    for check in (check_assignment, check_placement):
        try:
            checked: Any = check(answer)
        except Malformed as malformed:
            assert "expected" in str(malformed)
            assert "\n" not in str(malformed)
        else:
            assert check(checked) == checked


@given(junk)
def test_any_value_can_be_shown(value: Any) -> None:
    assert 0 < len(shown(value)) < 100


@pytest.mark.slow
@given(st.dictionaries(st.text(), junk), st.dictionaries(st.text(), junk))
def test_a_difference_is_found_wherever_there_is_one(before: Any, after: Any) -> None:
    found = difference(before, after, "input")
    if before != after:
        assert found is not None
        assert found.startswith("input") or found == "the keys of input are in another order"


def test_the_difference_names_the_place() -> None:
    before = [{"id": "a", "owned": [("t", 0)]}, {"id": "b", "owned": []}]
    after = [{"id": "a", "owned": [("t", 0)]}, {"id": "b", "owned": [("t", 1)]}]
    assert difference(before, after, "members") == (
        "members[1]['owned'] was [] (list) and is [('t', 1)] (list)"
    )
    assert (
        difference({"a": 1, "b": 2}, {"b": 2, "a": 1}, "topics") == "the keys of topics are in another order"
    )
    assert difference([1], [1], "x") is None
