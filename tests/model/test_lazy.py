"""A lazy value is computed once an object, and takes no part in what the object is."""

import pickle
from dataclasses import dataclass

import pytest

from kassay.model.lazy import lazy


@dataclass(frozen=True)
class Square:
    side: int

    @lazy
    def area(self) -> list[int]:
        """Side by side."""
        return [self.side**2]

    @lazy
    def broken(self) -> int:
        return 1 // (self.side - self.side)


def test_the_value_is_computed_once_an_object():
    one, other = Square(2), Square(3)
    assert (one.area, other.area) == ([4], [9])
    assert one.area is one.area
    assert Square(2).area is not one.area


def test_a_value_that_was_computed_changes_neither_equality_nor_hash():
    looked, fresh = Square(2), Square(2)
    _ = looked.area
    assert (looked, hash(looked)) == (fresh, hash(fresh))
    assert pickle.loads(pickle.dumps(looked)) == fresh


def test_the_class_shows_the_descriptor_with_the_methods_words():
    assert isinstance(Square.area, lazy)
    assert Square.area.__doc__ == "Side by side."


def test_what_could_not_be_computed_is_not_kept():
    square = Square(2)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            _ = square.broken
        assert "broken" not in vars(square)
