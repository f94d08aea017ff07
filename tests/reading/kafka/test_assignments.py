"""Assignments in the three dialects of the members view."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.reading.kafka.assignments import with_brackets, with_colons

NAMES = st.text("abcXYZ019._-", min_size=1, max_size=8)
BLOCKS = st.dictionaries(NAMES, st.lists(st.integers(0, 999_999), min_size=1, max_size=4), max_size=4)


@given(blocks=BLOCKS)
def test_what_kafka_prints_is_read_as_it_was(blocks):
    expected = tuple((topic, number) for topic, numbers in blocks.items() for number in numbers)
    lists = {topic: ",".join(map(str, numbers)) for topic, numbers in blocks.items()}
    assert with_brackets(", ".join(f"{topic}({each})" for topic, each in lists.items()), "F") == expected
    assert with_colons(";".join(f"{topic}:{each}" for topic, each in lists.items()), "F") == expected


@pytest.mark.parametrize("text", ["(0)", "(0,1,10,2)", "(0,1), (2)"])
def test_without_names_nothing_is_known(text):
    assert with_brackets(text, "F") is None


@pytest.mark.parametrize("text", ["orders", "orders(", "orders(x)", "orders()", "(0) orders", "orders(0)(1"])
def test_what_is_no_assignment_in_brackets_is_refused(text):
    with pytest.raises(InputError, match=r"^F: found"):
        with_brackets(text, "F")


@pytest.mark.parametrize("text", ["orders", ":1", "orders:", "orders:x", "orders:1,", "orders:1000000"])
def test_what_is_no_assignment_with_colons_is_refused(text):
    with pytest.raises(InputError, match=r"^F: found"):
        with_colons(text, "F")
