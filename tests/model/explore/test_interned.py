"""Interned values: equal ones are the same object, whatever they hold."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.interned import Interned, Interner

VALUES = st.recursive(st.integers(0, 3) | st.text("ab", max_size=2), lambda inner: st.tuples(inner, inner))


@given(st.lists(VALUES, max_size=12))
def test_equal_values_are_one_object_and_numbered_in_order(values):
    interner = Interner()
    cells = [interner.cell(value) for value in values]
    for one, left in zip(cells, values, strict=True):
        for other, right in zip(cells, values, strict=True):
            assert (one is other) == (left == right)
            assert (one == other) == (left == right)
    assert len(interner) == len(set(values))
    assert [cell.number for cell in dict.fromkeys(cells)] == list(range(len(interner)))


def test_interners_do_not_share():
    assert Interner().cell(1) is not Interner().cell(1)
    assert repr(Interned((1, 2))) == "(1, 2)"
