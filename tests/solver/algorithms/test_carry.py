"""Small networks and large ones: what is carried costs the same, and potentials prove it, whosever flow it is."""

from __future__ import annotations

import random
import time

import networkx as nx
import pytest

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.flow import ENDLESS, Network

NODES, SINK = 9, 8


def drawn(rng: random.Random) -> tuple[Network, nx.DiGraph]:
    """A network whose arcs may be endless and dear, and the same for networkx."""
    network, graph = Network(NODES), nx.DiGraph()
    graph.add_nodes_from(range(NODES))
    for _ in range(rng.randint(4, 40)):
        tail, head = rng.sample(range(NODES), 2)
        if not graph.has_edge(tail, head):
            room, price = rng.choice((1, 2, 5, ENDLESS)), rng.choice((0, 1, 2, 7, 7000))
            network.arc(tail, head, room, price)
            graph.add_edge(tail, head, capacity=min(room, 100), weight=price)
    return network, graph


def require_proven(network: Network) -> None:
    """No arc with room leads to a node dearer to reach than its potential says, and what flows is kept."""
    kept = [0] * NODES
    for arc, (tail, head) in enumerate(zip(network.tail, network.head, strict=True)):
        if network.capacity[arc]:
            assert network.cost[arc] + network.potential[tail] >= network.potential[head]
        if not arc % 2:
            kept[tail] -= network.flow(arc)
            kept[head] += network.flow(arc)
    assert not any(kept[1:SINK])


def paid(network: Network) -> int:
    return sum(network.flow(arc) * network.cost[arc] for arc in range(0, len(network.head), 2))


@pytest.mark.parametrize("enough", [0, 1_000])
def test_the_same_units_at_the_same_cost_with_a_proof(enough: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if not enough:
        pytest.importorskip("ortools")
    monkeypatch.setattr(bulk_flow, "ENOUGH", enough)
    monkeypatch.setattr(bulk_flow, "_FEW", -1)
    rng = random.Random(11)
    carried = 0
    for _ in range(150):
        network, graph = drawn(rng)
        units = rng.randint(1, 12)
        most = min(units, nx.maximum_flow_value(graph, 0, SINK))
        assert bulk_flow.carry(network, 0, SINK, units) == most
        graph.add_node(0, demand=-most)
        graph.add_node(SINK, demand=most)
        assert paid(network) == nx.min_cost_flow_cost(graph)
        require_proven(network)
        carried += most == units
    assert carried > 30


def test_without_ortools_the_own_method_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_flow, "ENOUGH", 0)
    monkeypatch.setattr(bulk_flow, "_FEW", -1)
    monkeypatch.setattr(bulk_flow, "installed", lambda: False)
    network, _ = drawn(random.Random(5))
    other = Network(NODES)
    for arc in range(0, len(network.head), 2):
        other.arc(network.head[arc + 1], network.head[arc], network.capacity[arc], network.cost[arc])
    assert bulk_flow.carry(network, 0, SINK, 9) == other.cheapest(0, SINK, 9)
    assert network.capacity == other.capacity


def test_a_flow_that_is_not_the_cheapest_is_never_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk_flow, "ENOUGH", 0)
    monkeypatch.setattr(bulk_flow, "_FEW", -1)
    monkeypatch.setattr(bulk_flow, "cheapest", lambda _arcs, _supplies: [1, 0, 1, 0])
    network = Network(4)
    for middle, price in ((1, 2), (2, 1)):
        network.arc(0, middle, 1, price)
    for middle in (1, 2):
        network.arc(middle, 3, 1)
    with pytest.raises(RuntimeError, match="not the cheapest"):
        bulk_flow.carry(network, 0, 3, 1)


def test_who_does_not_look_at_the_clock_is_not_asked_with_little_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def asked(_arcs: Arcs, _supplies: list[int]) -> list[int]:
        raise AssertionError("asked")

    monkeypatch.setattr(bulk_flow, "ENOUGH", 0)
    monkeypatch.setattr(bulk_flow, "_FEW", -1)
    monkeypatch.setattr(bulk_flow, "cheapest", asked)
    network = Network(2)
    network.arc(0, 1, 3)
    assert bulk_flow.carry(network, 0, 1, 3, time.monotonic() + bulk_flow._PACE_S / 100) <= 3
    with pytest.raises(AssertionError, match="asked"):
        bulk_flow.carry(Network(2), 0, 1, 3, time.monotonic() + 100)


def test_where_few_arcs_leave_the_source_only_the_own_method_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def asked(_arcs: Arcs, _supplies: list[int]) -> list[int]:
        raise AssertionError("asked")

    monkeypatch.setattr(bulk_flow, "ENOUGH", 0)
    monkeypatch.setattr(bulk_flow, "cheapest", asked)
    for ways in (bulk_flow._FEW, bulk_flow._FEW + 1):
        network = Network(2)
        for _ in range(ways):
            network.arc(0, 1, 1)
        if ways > bulk_flow._FEW:
            with pytest.raises(AssertionError, match="asked"):
                bulk_flow.carry(network, 0, 1, ways)
        else:
            assert bulk_flow.carry(network, 0, 1, ways) == ways


def test_the_time_of_large_flows_counts_where_or_tools_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bulk_flow, "_spent", [])
    monkeypatch.setattr(bulk_flow, "ENOUGH", 2)
    for installed, counts in ((True, 0), (False, 1)):
        monkeypatch.setattr(bulk_flow, "installed", lambda installed=installed: installed)
        network = Network(3)
        for tail, head in ((0, 1), (1, 2)):
            network.arc(tail, head, 1, 1)
        assert bulk_flow.own(network, 0, 2, 1) == 1
        assert len(bulk_flow._spent) == counts
    assert bulk_flow.spent_without_s() >= 0
