"""Sets of characters."""

from __future__ import annotations

from kassay.model.re2.nodes import Chars, ranges_of


def test_case_is_ignored_where_it_shall_be_before_the_set_is_turned_round() -> None:
    letters = Chars(ranges_of("ac"), folded=True)
    assert letters.holds("B") and not letters._replace(folded=False).holds("B")
    assert not letters._replace(negated=True).holds("B")
    assert Chars(ranges_of("\u017f"), folded=True).holds("s"), "the long s is an s"


def test_categories_and_parts_are_in_the_set() -> None:
    assert Chars((), categories=("L",)).holds("x") and not Chars((), categories=("Lu",)).holds("x")
    assert Chars((), parts=(Chars(ranges_of("09"), negated=True),)).holds("x")
