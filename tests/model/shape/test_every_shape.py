"""What is derived of a shape holds for every shape that there is."""

import base64
import json
import random
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from kassay.model.shape.cuts import cuts, size_of
from kassay.model.shape.names import canonical, mentioned, plain_name, renamed
from kassay.model.shape.nodes import LeafKind, LeafNode, ManyNode, MaybeNode, PartNode, inside, places
from kassay.model.shape.removal import removals
from kassay.model.shape.schema import schema_of
from kassay.model.shape.scopes import documents, neighbour
from tests.model.shape.cases import SHAPES, is_read, some, values

FEW = settings(max_examples=10)
every_shape = pytest.mark.parametrize("name", SHAPES)


@every_shape
@given(data=st.data())
@FEW
def test_what_is_written_is_json_and_is_read_back(name, data):
    shape, value = SHAPES[name], data.draw(values(name))
    document = shape.write(value)
    assert json.loads(json.dumps(document)) == document
    assert shape.read(document, "case") == value
    assert shape.write(shape.read(document, "case")) == document


@every_shape
@given(data=st.data())
@FEW
def test_the_schema_accepts_what_is_written_and_no_other_field(name, data):
    shape = SHAPES[name]
    schema = schema_of(shape.node)
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    document = shape.write(data.draw(values(name)))
    assert [error.message for error in validator.iter_errors(document)] == []
    assert not validator.is_valid({**document, "no such field": 1})
    assert not validator.is_valid([document])


@every_shape
@given(data=st.data())
@FEW
def test_a_cut_is_no_larger_and_is_read_or_refused(name, data):
    shape = SHAPES[name]
    document = shape.write(data.draw(values(name)))
    size, before = size_of(shape.node, document), json.dumps(document)
    every = some(cuts(shape.node, document))
    for less in every:
        assert size_of(shape.node, less) <= size
        is_read(shape, less)
    assert json.dumps(document) == before, "the document itself stays as it is"
    assert every or sum(size) == 0


@every_shape
@given(data=st.data())
@FEW
def test_plain_names_stay_as_they_are(name, data):
    shape = SHAPES[name]
    document = shape.write(data.draw(values(name)))
    for plain in canonical(shape.node, document):
        assert plain != document
        assert is_read(shape, plain) or len(_all_names(shape, plain)) < len(_all_names(shape, document))
    names = _in_order(shape.node, mentioned(shape.node, document))
    once = renamed(shape.node, document, names)
    assert renamed(shape.node, once, _in_order(shape.node, mentioned(shape.node, once))) == once
    backwards = {space: {new: old for old, new in own.items()} for space, own in names.items()}
    assert renamed(shape.node, once, backwards) == document


def _in_order(node, names):
    return {
        space: {old: plain_name(node, space, i) for i, old in enumerate(own)} for space, own in names.items()
    }


def _all_names(shape, document):
    return {(space, name) for space, own in mentioned(shape.node, document).items() for name in own}


@every_shape
def test_small_documents_are_distinct_and_are_read_the_smallest_first(name):
    shape = SHAPES[name]
    every = list(islice(documents(shape.node, 4 if name == "library" else 3), 1000))
    assert len({json.dumps(document) for document in every}) == len(every)
    sizes = [_beyond_the_least(shape.node, document) for document in every]
    assert sizes == sorted(sizes)
    read = [is_read(shape, document) for document in every]
    assert all(read) or name != "library", "no reference is to what is not there"


def _beyond_the_least(node, document):
    """Items, values that are set, numbers, and how far from the first each reference is."""
    size = 0
    for place in places(node, document):
        held, value = inside(place.node, place.value), place.value
        if value is None:
            continue
        size += isinstance(place.node, MaybeNode)
        if isinstance(held, ManyNode):
            size += len(value) - held.least
        elif isinstance(held, PartNode):
            size += _number(value[0]) + value[1]
        elif isinstance(held, LeafNode) and held.space:
            size += 0 if held.defines else _number(value)
        elif isinstance(held, LeafNode) and held.choices:
            size += held.choices.index(value)
        elif isinstance(held, LeafNode) and held.kind is LeafKind.WHOLE:
            size += abs(value - held.plain)
        elif isinstance(held, LeafNode) and held.kind is LeafKind.BYTES and value:
            size += 1 + base64.b64decode(value)[0]
    return size


def _number(name):
    # A process is named by a UUID, which ends with its number in hexadecimal digits.
    return name if isinstance(name, int) else int(name[-12:], 16) if len(name) == 36 else int(name[1:])


@every_shape
@given(data=st.data(), seed=st.integers(0, 99))
@FEW
def test_a_neighbour_has_lists_as_long_and_is_read_or_refused(name, data, seed):
    shape = SHAPES[name]
    document = shape.write(data.draw(values(name)))
    near = neighbour(shape.node, document, random.Random(seed))
    is_read(shape, near)
    assert sorted(_lengths(shape.node, near)) == sorted(_lengths(shape.node, document))


def _lengths(node, document):
    return [
        len(place.value)
        for place in places(node, document)
        if isinstance(inside(place.node, place.value), ManyNode)
    ]


@every_shape
@given(data=st.data())
@FEW
def test_removals_are_something_else_read_or_refused_and_say_different_words(name, data):
    shape = SHAPES[name]
    document = shape.write(data.draw(values(name)))
    every = [each for each in islice(removals(shape.node, document), 600) if not each.event]
    words, size = [each.words for each in every], size_of(shape.node, document)
    assert len(set(words)) == len(words)
    for each in some(every):
        assert each.case != document
        assert size_of(shape.node, each.case) <= size
        is_read(shape, each.case)
