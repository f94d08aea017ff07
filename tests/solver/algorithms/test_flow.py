from __future__ import annotations

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.solver.algorithms.flow import Network

ARCS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 7), st.integers(0, 5)), max_size=24
)


def both(arcs: list[tuple[int, int, int, int]]) -> tuple[Network, nx.DiGraph]:
    network, graph = Network(7), nx.DiGraph()
    graph.add_nodes_from(range(7))
    for tail, head, capacity, cost in arcs:
        if tail != head and not graph.has_edge(tail, head):
            network.arc(tail, head, capacity, cost)
            graph.add_edge(tail, head, capacity=capacity, weight=cost)
    return network, graph


@settings(max_examples=100, deadline=None)
@given(ARCS)
def test_maximum_is_networkx_maximum_and_the_cut_proves_it(arcs: list[tuple[int, int, int, int]]) -> None:
    network, graph = both(arcs)
    amount = network.maximum(0, 6)
    assert amount == nx.maximum_flow_value(graph, 0, 6)
    inside = network.reachable([0])
    assert not inside[6]
    assert amount == sum(d["capacity"] for u, v, d in graph.edges(data=True) if inside[u] and not inside[v])


@settings(max_examples=100, deadline=None)
@given(ARCS)
def test_cheapest_costs_what_networkx_pays_and_leaves_a_dual(arcs: list[tuple[int, int, int, int]]) -> None:
    network, graph = both(arcs)
    assert network.cheapest(0, 6) == nx.maximum_flow_value(graph, 0, 6)
    paid = sum(network.flow(arc) * network.cost[arc] for arc in range(0, len(network.head), 2))
    assert paid == nx.cost_of_flow(graph, nx.max_flow_min_cost(graph, 0, 6))
    for arc, capacity in enumerate(network.capacity):
        tail, head = network.head[arc ^ 1], network.head[arc]
        if capacity:
            assert network.cost[arc] + network.potential[tail] >= network.potential[head]


@settings(max_examples=200, deadline=None)
@given(ARCS, st.integers(0, 8))
def test_a_limited_amount_is_pushed_at_the_least_cost(
    arcs: list[tuple[int, int, int, int]], most: int
) -> None:
    network, graph = both(arcs)
    pushed = network.cheapest(0, 6, most)
    assert pushed == min(most, nx.maximum_flow_value(graph, 0, 6))
    graph.add_node(0, demand=-pushed)
    graph.add_node(6, demand=pushed)
    paid = sum(network.flow(arc) * network.cost[arc] for arc in range(0, len(network.head), 2))
    assert paid == nx.min_cost_flow_cost(graph)
