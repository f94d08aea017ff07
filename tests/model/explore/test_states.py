"""States by number: whole, packed and by fingerprint, all three the same as long as no fingerprints agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.search import explore
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import SLOTS, FingerprintedStates, KeyTable, PackedStates, Parts
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
