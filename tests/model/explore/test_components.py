"""Components in arrays: those that networkx finds, each after all that it leads to."""

import networkx as nx
from hypothesis import given

from kassay.model.explore.components import components
from kassay.model.explore.search import explore
from kassay.model.explore.values import WalkLimits
from tests.model.explore.toys import Toy, act, chain, graphs


@given(graphs())
def test_the_components_are_those_of_networkx_without_what_is_skipped(toy):
    graph = explore(toy).graph
    skipped = bytes(action.fault for action in graph.actions)
    links = nx.DiGraph()
    links.add_nodes_from(range(graph.expanded))
    links.add_edges_from(
        (node, target)
        for node in range(graph.expanded)
        for label, target in graph.edges(node)
        if not skipped[label]
    )
    ours = list(components(graph, skipped))
    assert {frozenset(part) for part in ours} == set(map(frozenset, nx.strongly_connected_components(links)))
    assert sorted(node for part in ours for node in part) == list(range(graph.expanded))
    place = {node: number for number, part in enumerate(ours) for node in part}
    assert all(place[target] <= place[node] for node, target in links.edges)


def test_states_that_are_not_expanded_belong_to_none():
    graph = explore(chain(*range(20)), budget=WalkLimits(10)).graph
    assert sorted(node for part in components(graph, bytes(99)) for node in part) == list(
        range(graph.expanded)
    )


def test_a_long_way_round_needs_no_recursion():
    length = 5000
    ring = Toy({n: [(act("on"), (n + 1) % length)] for n in range(length)})
    (whole,) = components(explore(ring).graph, b"\0")
    assert sorted(whole) == list(range(length))
