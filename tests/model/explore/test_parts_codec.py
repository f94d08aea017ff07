"""States part by part: back again, the same bytes whatever was met before, and a fingerprint of the value."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.errors import InputError
from kassay.model.explore.stable import PartsCodec, StateCodec
from kassay.model.explore.states import Interner, Parts

STATES = st.lists(st.tuples(st.text("ab", max_size=2), st.integers(0, 3), st.booleans()), max_size=8)


def codec():
    """Of states of two parts, a cell and a tuple, and what makes them out of three plain values."""
    cell = Interner().cell
    parts = Parts(lambda state: (state[0], state[1:]), lambda parts: (parts[0], *parts[1]), 2)
    return PartsCodec(parts, StateCodec(cell)), lambda state: (cell(state[0]), *state[1:])


@given(STATES)
def test_states_come_back_and_their_bytes_do_not_tell_what_was_met_before(states):
    (one, make), (other, make_there) = codec(), codec()
    here = [(one.encode(make(state)), one.fingerprint(make(state))) for state in states]
    back = reversed(states)
    there = [(other.encode(make_there(s)), other.fingerprint(make_there(s))) for s in back]
    assert here == there[::-1]
    assert [one.decode(data) for data, _ in here] == [make(state) for state in states]
    assert [other.decode(data) for data, _ in here] == [make_there(state) for state in states]
    assert len({data for data, _ in here}) == len({number for _, number in here}) == len(set(states))


@pytest.mark.parametrize("spoiled", [lambda d: d[:3], lambda d: d[:-1], lambda d: d + b"N", lambda d: b""])
def test_other_bytes_are_refused(spoiled):
    one, make = codec()
    with pytest.raises(InputError, match="of a state"):
        one.decode(spoiled(one.encode(make(("a", 1, True)))))


def test_a_part_that_no_state_is_made_of_is_refused():
    one, _ = codec()
    with pytest.raises(TypeError, match="nothing that states are made of"):
        one.encode((1.5, 0, True))
