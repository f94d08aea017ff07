"""Copies of a document with one thing another."""

from kassay.kinds.removal import copied, left_out


def test_the_document_itself_stays_as_it_is():
    document = {"a": [{"b": 1}, {"b": 2}]}
    assert copied(document, ("a", 0, "b"), 3) == {"a": [{"b": 3}, {"b": 2}]}
    assert left_out(document, ("a",), 0) == {"a": [{"b": 2}]}
    assert document == {"a": [{"b": 1}, {"b": 2}]}
