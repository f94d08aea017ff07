"""One process' share: every state in one of them, judged there, and edges that lead where they should."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.search import explore
from tests.model.explore.parallel.crews import INVARIANTS, explored_by
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
