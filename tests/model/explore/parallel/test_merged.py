"""The graph of all shares is that of one process, but for the order within a level."""

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.explore.graph import Graph
from kassay.model.explore.parallel.merged import merged_findings
from kassay.model.explore.parallel.shard import ShardFinding
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


class _Plain:
    """A codec of states that are their own bytes."""

    def decode(self, data):
        return data.decode()


STEP = (("crash", 0), b"after")
"""The step out of a state that shows a finding; a finding in a state has none."""


@pytest.mark.parametrize(
    ("places", "nearest"),
    [
        # A step from depth 1 shows its finding at depth 2, behind a state of depth 1 with a larger number.
        ([(1, STEP), (2, None)], 2),
        ([(2, None), (1, STEP)], 2),
        # A step from depth 0 shows it at depth 1, before a state of depth 2.
        ([(3, None), (0, STEP)], 0),
        # At the same depth the smaller number is the nearer.
        ([(2, None), (1, None)], 1),
        ([(3, None), (1, STEP)], 1),
    ],
)
def test_of_the_findings_of_all_processes_the_nearest_to_the_start_is_kept(places, nearest):
    graph = Graph(depths=array("I", [0, 1, 1, 2]))
    shared = [ShardFinding("safe", None, 1, node, via, f"at {node}") for node, via in places]
    ((seen, node, via, message),) = merged_findings(shared, graph, array("I", range(4)), _Plain()).values()
    assert (seen, node, message) == (len(places), nearest, f"at {nearest}")
    assert via == (None if dict(places)[nearest] is None else (STEP[0], "after"))
