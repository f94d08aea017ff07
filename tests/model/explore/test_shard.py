"""One process' share: every state in one of them, judged there, and edges that lead where they should.

Letters between processes: what is read is what was posted, and no part is written twice.
"""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.search import explore
from kassay.model.explore.shard import Inbox, Outbox
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import Interner, Parts
from tests.model.explore.crews import INVARIANTS, explored_by
from tests.model.explore.toys import graphs


@given(graphs(), st.integers(1, 4), st.integers(0, 7))
def test_every_state_and_every_edge_is_in_one_share(toy, count, alone_most):
    alone = explore(toy, INVARIANTS).graph
    _, shards = explored_by(toy, count, alone_most=alone_most)
    states = [list(shard.graph.states) for shard in shards]
    assert sorted(state for each in states for state in each) == sorted(alone.states)
    for number, shard in enumerate(shards):
        assert all(shard.shares.place(state) % count == number for state in states[number])
        actions = list(shard.graph.actions)
        for node, state in enumerate(states[number]):
            edges = [(actions[n], states[to % count][to // count]) for n, to in shard.graph.edges(node)]
            assert edges == list(toy.steps(state))


POSTS = st.lists(
    st.lists(st.tuples(st.integers(0, 5), st.text("ab", max_size=2), st.integers(0, 99)), max_size=6)
)


def side(first):
    interner = Interner()
    interner.cell(first)
    return interner.cell, Parts(lambda state: state, tuple, 2), StateCodec(interner.cell)


@given(POSTS)
def test_states_arrive_as_cells_of_the_other_side_in_the_order_posted(letters):
    our_cell, our_parts, our_codec = side("here")
    their_cell, their_parts, their_codec = side("there")
    outbox, inbox = Outbox(our_parts, our_codec), Inbox(their_parts, their_codec)
    sent = []
    for posts in letters:
        places = [outbox.post((our_cell(left), right), parent) for left, right, parent in posts]
        assert places == list(range(len(posts)))
        letter = outbox.letter()
        assert list(inbox.read(letter)) == [
            ((their_cell(left), right), parent) for left, right, parent in posts
        ]
        sent += [data for _, data in letter.parts]
    assert len(sent) == len(set(sent))
