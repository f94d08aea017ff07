"""Interned values: equal ones are the same object, whatever they hold. A memo is a dict until it is trimmed."""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.interned import MOST, Interned, Interner, Memo, trim

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


@pytest.mark.slow
@given(st.lists(st.sets(st.integers(0, 99), max_size=20), max_size=5), st.integers(0, 20))
def test_trimmed_memos_are_empty_or_as_they_were(memos, most):
    kept = [Memo() for _ in memos]
    for memo, keys in zip(kept, memos, strict=True):
        memo.update((key, -key) for key in keys)
    trim(most)
    assert [dict(memo) for memo in kept] == [
        {} if len(keys) > most else {key: -key for key in keys} for keys in memos
    ]


def test_a_memo_that_nobody_has_is_forgotten():
    memo = Memo()
    memo[1] = 2
    del memo
    gc.collect()
    trim(0)
    assert MOST > 50_000
