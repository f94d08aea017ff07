"""States by number: whole, packed and by fingerprint, all three the same as long as no fingerprints agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.search import explore
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import SLOTS, FingerprintedStates, PackedStates, Parts, Table, WholeStates
from tests.model.explore.toys import graphs

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
        other = explore(toy, states=kept)
        for field in ("parents", "depths", "first", "targets", "labels", "actions", "good"):
            assert getattr(other.graph, field) == getattr(whole.graph, field), field
        assert (other.liveness, other.verdict) == (whole.liveness, whole.verdict)
    assert list(explore(toy, states=PackedStates(alone())).graph.states) == whole.graph.states


def test_a_table_grows_and_loses_nothing():
    table = Table(8)
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
    with pytest.raises(LookupError, match="keeps only the states that wait"):
        kept[0]


def test_two_states_of_one_fingerprint_pass_for_one_as_is_said():
    kept = FingerprintedStates(parts(), lambda state: state[0])
    assert [kept.put(state) for state in ((1, "a"), (1, "b"), (-2, "a"))] == [0, 0, 1]
