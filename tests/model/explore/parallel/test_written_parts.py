"""Parts kept as bytes are the parts: the same numbers and states, whether they came as bytes or as they are."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.interned import Interner
from kassay.model.explore.parallel.written_parts import WrittenParts
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import PackedStates, Parts

STATES = st.lists(st.tuples(st.text("ab", max_size=2), st.integers(0, 3)), max_size=8, unique=True)


@given(STATES, STATES)
def test_states_are_told_apart_as_by_parts_kept_as_they_are(first, then):
    cell = Interner().cell
    plain = Parts(lambda state: (cell(state[0]), state[1:]), lambda parts: (parts[0].value, *parts[1]), 2)
    codec = StateCodec(cell)
    written = WrittenParts(plain, codec)
    # The parts of some states come as bytes, from another process.
    for state in first:
        for part in plain.split(state):
            assert written.number_of(codec.encode(part)) == plain.part_number(part)
    kept, wanted = PackedStates(written), PackedStates(plain)
    for state in (*then, *first):
        assert kept.put(state) == wanted.put(state)
    assert list(kept) == list(wanted)
    assert kept.keys() == wanted.keys()
    assert list(written.all()) == list(plain.all())
