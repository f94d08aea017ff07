"""Forms read back what they write, and refuse everything else by its path and what was expected."""

from enum import Enum
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.shape.codec import (
    COUNT,
    FLAG,
    OBJECT,
    PARTITIONS,
    TEXT,
    WHOLE,
    Field,
    document,
    enum,
    listed,
    mapped,
    optional,
    record,
    sparse,
    tagged,
    whole,
)


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Box(NamedTuple):
    width: int
    names: tuple[str, ...] = ()
    note: str | None = None
    open: bool = False
    lid: str | None = None


class Bag(NamedTuple):
    colour: Colour


BOX = record(
    Box,
    w=Field(COUNT, get="width"),
    names=Field(listed(TEXT), ()),
    note=Field(optional(TEXT), None, sparse=True),
    open=Field(FLAG, False),
    lid=Field(optional(TEXT), None),
)
THING = tagged("thing", {"box": (Box, BOX), "bag": (Bag, record(Bag, colour=enum(Colour)))})
PLACES = mapped(listed(THING))
words = st.sampled_from(("", "a", "é", "t-0"))
boxes = st.builds(
    Box, st.integers(0, 9), st.lists(words, max_size=2).map(tuple), st.none() | words, st.booleans()
)
things = boxes | st.builds(Bag, st.sampled_from(Colour))


@settings(max_examples=40)
@given(st.dictionaries(words, st.lists(things, max_size=3).map(tuple), max_size=3))
def test_what_is_written_is_read_back(places):
    assert PLACES.read(PLACES.write(places), "document") == places


@settings(max_examples=40)
@given(st.dictionaries(words, st.lists(things, max_size=3).map(tuple), max_size=3))
def test_what_says_nothing_is_left_out_and_the_rest_is_read_alike(places):
    less = sparse(PLACES, PLACES.write(places))
    assert PLACES.read(less, "document") == places
    boxes = [thing for held in less.values() for thing in held if thing["thing"] == "box"]
    assert not any(box.get("open") is False or box.get("lid", "") is None for box in boxes)


@settings(max_examples=20)
@given(st.lists(st.builds(TopicPartition, words, st.integers()), max_size=4).map(tuple))
def test_partitions_are_read_back_as_partitions(tps):
    assert PARTITIONS.read(PARTITIONS.write(tps), "owned") == tps
    assert all(type(tp) is TopicPartition for tp in PARTITIONS.read([list(tp) for tp in tps], "owned"))


def test_a_field_that_is_sparse_is_left_out_where_it_is_none_and_others_are_not():
    assert BOX.write(Box(1)) == {"w": 1, "names": [], "open": False, "lid": None}
    assert optional(TEXT).write(None) is None
    assert BOX.read({"w": 1}, "box") == Box(1)


@pytest.mark.parametrize(
    ("form", "value", "message"),
    [
        (WHOLE, True, "at: expected a whole number, got True"),
        (WHOLE, 1.0, "at: expected a whole number, got 1.0"),
        (FLAG, 1, "at: expected true or false, got 1"),
        (TEXT, None, "at: expected a string, got None"),
        (COUNT, -1, "at: expected a whole number of at least 0, got -1"),
        (whole(3), 2, "at: expected a whole number of at least 3, got 2"),
        (COUNT, False, "at: expected a whole number of at least 0, got False"),
        (OBJECT, [], r"at: expected an object, got \[\]"),
        (listed(TEXT), "ab", "at: expected a list, got 'ab'"),
        (listed(TEXT), ["a", 2], r"at\[1\]: expected a string, got 2"),
        (mapped(TEXT), {"a": 2}, "at.a: expected a string, got 2"),
        (enum(Colour), "green", "at: expected red or blue, got 'green'"),
        (PARTITIONS, [["t"]], r"at\[0\]: expected a pair \[topic, partition\], got \['t'\]"),
        (PARTITIONS, [["t", "0"]], r"at\[0\]: expected a whole number, got '0'"),
        (BOX, {"names": []}, "at.w: missing"),
        (BOX, {"w": 1, "width": 1}, "at.width: unknown field, expected one of lid, names, note, open, w"),
        (THING, {"w": 1}, "at.thing: missing"),
        (THING, {"thing": "jar"}, "at.thing: unknown thing 'jar', expected one of box, bag"),
        (THING, {"thing": "bag", "colour": 1}, "at.colour: expected red or blue, got 1"),
    ],
)
def test_what_does_not_fit_is_refused_by_its_path(form, value, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        form.read(value, "at")


def test_the_fields_of_a_file_stand_behind_its_name():
    with pytest.raises(InputError, match=r"^a.json: w: missing$"):
        BOX.read({}, "a.json:")
    with pytest.raises(InputError, match=r"^a.json: expected an object, got 3$"):
        BOX.read(3, "a.json:")


def test_a_long_value_is_cut_in_the_complaint():
    with pytest.raises(InputError) as refused:
        WHOLE.read("x" * 500, "at")
    assert str(refused.value) == f"at: expected a whole number, got '{'x' * 56}..."


def test_a_check_sees_the_value_that_was_read_and_its_path():
    def even(value, path):
        if value % 2:
            raise InputError(f"{path}: {value} is odd")

    form = listed(WHOLE.checked(even))
    assert form.read([2, 4], "n") == (2, 4)
    with pytest.raises(InputError, match=r"n\[1\]: 3 is odd"):
        form.read([2, 3], "n")


def test_what_a_maker_objects_to_is_told_with_its_place():
    def make(size):
        raise InputError(f"{size} is too much")

    with pytest.raises(InputError, match=r"^boxes\[0\]: 9 is too much$"):
        listed(record(make, size=COUNT)).read([{"size": 9}], "boxes")


def test_a_shape_is_checked_and_stays_the_document_that_it_is():
    form = document(size=COUNT, note=Field(TEXT, None))
    box = {"size": 3}
    assert form.read(box, "box") is box
    for wrong, said in (
        ({}, "box.size: missing"),
        ({"size": "x"}, "box.size: expected a whole"),
        ({"size": 1, "lid": 2}, "box.lid: unknown field"),
        ([], "box: expected an object"),
    ):
        with pytest.raises(InputError, match=said):
            form.read(wrong, "box")
