"""The graph of states as it is drawn: every state and step of the walk, the way marked from the start on.

Layers: every state has a place of its own in its layer, and sorting never makes more crossings.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.pages.state_graph import STATES_DRAWN_MAX, crossings, layered, state_graph
from tests.explored import explore
from tests.hostile import SOME

WALKS = ("zookeeper", "classic")


@SOME
@given(st.sampled_from(WALKS), st.integers(5, 40))
def test_a_walk_of_any_length_is_drawn_whole(model: str, states: int) -> None:
    result = explore(model, states_max=states)
    graph = result.exploration.graph
    drawn = state_graph(result)
    assert drawn is not None
    assert len(drawn.nodes) == len(graph.states) <= STATES_DRAWN_MAX
    pairs = {(a, b) for a in range(graph.expanded) for _, b in graph.edges(a) if a != b}
    assert len(drawn.edges) == len(pairs)
    leads = {(int(row[0]), int(to)) for row in drawn.rows for to in row[2].split() if to != "-"}
    assert leads == pairs
    assert all(edge.look == ("" if edge.y2 > edge.y1 else "back") for edge in drawn.edges)
    assert max(node.y for node in drawn.nodes) < drawn.height


def test_a_run_is_marked_from_the_start_to_its_last_state() -> None:
    result = explore("zookeeper", switches=frozenset({"zk_no_owner_guard"}))
    way = result.exploration.violations[0].trace
    drawn = state_graph(result, way, "trace-1")
    assert drawn is not None
    marked = [node for node in drawn.nodes if node.way]
    assert {node.link for node in marked} == {f"trace-1/step-{number}" for number in range(len(way))}
    assert sum(edge.look == "way" for edge in drawn.edges) == len(way) - 1
    assert [node.link for node in marked if node.bad] == [f"trace-1/step-{len(way) - 1}"]
    assert "marked ✕" in drawn.description


@st.composite
def graphs(draw):
    sizes = draw(st.lists(st.integers(1, 5), min_size=1, max_size=6))
    layers = [layer for layer, size in enumerate(sizes) for _ in range(size)]
    states = st.integers(0, len(layers) - 1)
    return layers, draw(st.lists(st.tuples(states, states), max_size=25, unique=True))


@SOME
@given(graphs())
def test_places_are_distinct_and_cross_no_more_than_before(graph):
    layers, edges = graph
    places = layered(layers, edges)
    assert [place.layer for place in places] == layers
    assert len(set(places)) == len(places)
    assert all(0 < place.x < 100 for place in places)
    near = sorted({edge for edge in edges if abs(layers[edge[0]] - layers[edge[1]]) == 1})
    rows = [[state for state, layer in enumerate(layers) if layer == row] for row in range(max(layers) + 1)]
    drawn = [sorted(row, key=lambda state: places[state].x) for row in rows]
    assert crossings(drawn, layers, near) <= crossings(rows, layers, near)


def test_two_edges_that_cross_are_untangled():
    edges = [(0, 3), (1, 2)]
    places = layered([0, 0, 1, 1], edges)
    assert (places[0].x < places[1].x) == (places[3].x < places[2].x)
    assert layered([], []) == ()
