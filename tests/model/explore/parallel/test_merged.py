"""The graph of all shares is that of one process, but for the order within a level."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from tests.model.explore.parallel.crews import INVARIANTS, RING, explored_by
from tests.model.explore.toys import graphs


def plain(graph, toy):
    """A graph by its states, whatever their numbers."""
    good = graph.good or list(map(toy.converged, graph.states))
    states, actions = list(graph.states), list(graph.actions)
    edges = {
        states[node]: [(actions[label], states[to]) for label, to in graph.edges(node)]
        for node in range(graph.expanded)
    }
    return dict(zip(states, zip(graph.depths, map(bool, good)), strict=True)), edges


@given(graphs(), st.integers(1, 4), st.integers(0, 7))
def test_states_depths_and_edges_are_those_of_one_process(toy, count, alone_most):
    done, _ = explored_by(toy, count, alone_most=alone_most)
    alone = explore(toy, INVARIANTS)
    assert plain(done.graph, toy) == plain(alone.graph, toy)
    assert list(done.graph.depths) == sorted(done.graph.depths)
    for node, parent in enumerate(done.graph.parents):
        assert parent < 0 or done.graph.depths[parent] + 1 == done.graph.depths[node]
        assert parent < 0 or node in [to for _, to in done.graph.edges(parent)]


def test_a_walk_cut_short_has_the_edges_of_whole_levels():
    done, _ = explored_by(RING, 3, WalkLimits(20))
    assert (done.limit, done.liveness) == ("states", None)
    assert 20 < done.states < 60
    assert 0 < done.graph.expanded < done.states
    assert {done.graph.depths[node] for node in range(done.graph.expanded, done.states)} == {done.diameter}
