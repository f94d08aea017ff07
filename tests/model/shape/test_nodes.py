"""Copies of a document with one thing another."""

from kassay.model.shape.nodes import put, without_item


def test_the_document_itself_stays_as_it_is():
    document = {"a": [{"b": 1}, {"b": 2}]}
    assert put(document, ("a", 0, "b"), 3) == {"a": [{"b": 3}, {"b": 2}]}
    assert without_item(document, ("a",), 0) == {"a": [{"b": 2}]}
    assert document == {"a": [{"b": 1}, {"b": 2}]}
