"""Layers: every state has a place of its own in its layer, and sorting never makes more crossings."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.report.figures.layered import crossings, layered
from tests.hostile import SOME


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
