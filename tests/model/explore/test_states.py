"""States by number: whole, packed and by fingerprint, all three the same as long as no fingerprints agree.

Interned values: equal ones are the same object, whatever they hold. A memo is a dict until it is trimmed.
"""

import gc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.search import explore
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import (
    MOST,
    SLOTS,
    FingerprintedStates,
    Interned,
    Interner,
    KeyTable,
    Memo,
    PackedStates,
    Parts,
    trim,
)
from kassay.model.explore.values import WholeStates
from tests.model.explore.toys import Toy, act, graphs

PAIRS = st.tuples(st.integers(0, 9), st.text("ab", max_size=2))


def parts():
    return Parts(lambda state: state, tuple, 2)


def alone():
    return Parts(lambda state: (state,), lambda state: state[0], 1)


def by_fingerprint(split):
    return FingerprintedStates(split, StateCodec().fingerprint)


@given(st.lists(PAIRS, max_size=40))
def test_every_way_to_keep_states_numbers_them_by_their_first_coming(states):
    order = list(dict.fromkeys(states))
    for kept in (WholeStates(), PackedStates(parts()), by_fingerprint(parts())):
        for state in states:
            known = len(kept)
            assert kept.number(state) in (-1, order.index(state))
            assert kept.put(state) == order.index(state)
            assert len(kept) == known + (order.index(state) == known)
            assert kept.number(state) == order.index(state)
        assert [kept[node] for node in range(len(kept))] == order
        assert kept.number((10, "")) == -1
    with pytest.raises(IndexError):
        PackedStates(parts())[0]


@given(graphs())
def test_a_walk_is_the_same_however_it_keeps_its_states(toy):
    whole = explore(toy)
    for kept in (PackedStates(alone()), by_fingerprint(alone())):
        other = explore(toy, states=lambda kept=kept: kept, whole_most=0)
        for field in ("parents", "depths", "first", "targets", "labels", "actions"):
            assert getattr(other.graph, field) == getattr(whole.graph, field), field
        assert list(other.graph.good) == [toy.converged(state) for state in whole.graph.states]
        assert (other.liveness, other.verdict) == (whole.liveness, whole.verdict)
    assert (
        list(explore(toy, states=lambda: PackedStates(alone()), whole_most=0).graph.states)
        == whole.graph.states
    )


def test_a_table_grows_and_loses_nothing():
    table = KeyTable(8)
    keys = [number.to_bytes(8, "big") for number in range(3 * SLOTS)]
    assert [table.put(key) for key in keys] == list(range(3 * SLOTS))
    assert [table.number(key) for key in keys] == [table.put(key) for key in keys] == list(range(3 * SLOTS))
    assert [table.key(number) for number in range(len(table))] == keys
    assert table.number(b"\xff" * 8) == -1


def test_by_fingerprint_only_what_waits_is_kept():
    kept = by_fingerprint(parts())
    kept.put((1, "a"))
    kept.expanded(0)
    assert kept.put((1, "a")) == kept.number((1, "a")) == 0
    with pytest.raises(LookupError, match="stores only the states"):
        kept[0]


def test_two_states_of_one_fingerprint_pass_for_one_as_is_said():
    kept = FingerprintedStates(parts(), lambda state: state[0])
    assert [kept.put(state) for state in ((1, "a"), (1, "b"), (-2, "a"))] == [0, 0, 1]


def test_a_walk_packs_its_states_once_they_are_many():
    length = 5000
    ring = Toy({n: [(act("on"), (n + 1) % length), (act("leap"), n * 7 % length)] for n in range(length)})
    whole = explore(ring)
    for kept in (PackedStates(alone()), by_fingerprint(alone())):
        other = explore(ring, states=lambda kept=kept: kept, whole_most=100)
        assert other.graph.states is kept
        assert (other.graph.targets, other.graph.first) == (whole.graph.targets, whole.graph.first)
        assert other.liveness == whole.liveness


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
