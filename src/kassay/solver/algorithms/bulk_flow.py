"""Minimum-cost flows of large networks by OR-tools, and the choice between OR-tools and `flow`.

Minimum-cost flows of many arcs by OR-tools, and for any cheapest flow the dual solution that proves it.

`SimpleMinCostFlow` is a cost-scaling push-relabel method in C++ (Goldberg). It returns the flow and no
potentials; those are shortest distances on the residual graph, which has no negative cycle where the flow is
cheapest (Bellman-Ford, the arcs of a round at once by numpy). So a flow with potentials is cheapest, whatever
computed it, and nothing relies on OR-tools being right. Needs the extra `kassay[cpsat]`, which brings numpy;
without it there is no flow here, and `flow.Network` computes an equally cheap one more slowly.

All units from a source to a sink at the least cost: by OR-tools where a network is large, else by `flow`.

Both leave flows and potentials that prove each other, so readers need not know which solver ran. Measured on
networks of `consumers/hub` (`benchmarks/optimum_large`): with 2,600 arcs `flow` takes 0.05 s and OR-tools
0.01 s, plus 0.2 s once to load it; with 7,000 to 45,000 arcs `flow` takes 10 to 40 times as long. Where
members are similar all units leave the source by a few arcs, and `flow` finishes before OR-tools is loaded:
0.03 s with 15,000 arcs. The choice depends on the network alone, not on what is loaded: the same problem has
the same answer.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

from kassay.solver.algorithms.flow import Network

ENOUGH: Final = 2_000
"""From this number of arcs on OR-tools is used."""
_ROUNDS: Final = 5_000
"""From this number of arcs on numpy finds distances faster."""
_ROOM: Final = 1 << 62
"""OR-tools multiplies costs by the number of nodes, in 64 bits."""


class Arcs(NamedTuple):
    """A network with one entry for each arc: its start, its end, its capacity, the cost of a unit."""

    tails: Sequence[int]
    heads: Sequence[int]
    capacities: Sequence[int]
    costs: Sequence[int]


@cache
def installed() -> bool:
    """Whether OR-tools is installed; the check does not load it."""
    return find_spec("ortools") is not None


def cheapest(arcs: Arcs, supplies: Sequence[int], unit: int = 1) -> list[int] | None:
    """The flow over each arc that carries all supplies (one a node, sum 0) at the least cost.

    With a `unit` each cost is a multiple of it and a rest, and all rests of any flow are less than a unit
    together: where the costs need more than 64 bits, multiples come first, then rests. None where OR-tools is
    not installed, where its 64 bits do not suffice, or where no flow carries all.
    """
    if not installed():
        return None
    if _fits(len(supplies), arcs):
        return _solved(arcs, supplies)
    return None if unit == 1 else _in_turn(arcs, supplies, unit)


def _solved(arcs: Arcs, supplies: Sequence[int]) -> list[int] | None:
    import numpy as np
    from ortools.graph.python import min_cost_flow

    engine: Any = min_cost_flow.SimpleMinCostFlow()
    tail, head, room, cost = (np.asarray(each, np.int64) for each in arcs)
    # Smaller costs need fewer rounds of scaling.
    cost //= max(1, int(np.gcd.reduce(cost)))
    numbers = engine.add_arcs_with_capacity_and_unit_cost(tail, head, room, cost)
    engine.set_nodes_supplies(np.arange(len(supplies)), np.asarray(supplies, np.int64))
    if engine.solve() != engine.OPTIMAL:
        return None
    flows: list[int] = engine.flows(numbers).tolist()
    return flows


def _in_turn(arcs: Arcs, supplies: Sequence[int], unit: int) -> list[int] | None:
    """The cheapest flow by multiples of the unit, and of those the cheapest by rests.

    Potentials of a cheapest flow show which arcs any cheapest flow leaves empty, and which it fills.
    """
    import numpy as np

    first = arcs._replace(costs=[cost // unit for cost in arcs.costs])
    flows = _solved(first, supplies) if _fits(len(supplies), first) else None
    proof = None if flows is None else potentials(len(supplies), first, flows)
    if proof is None:
        return None
    tail, head, room, cost = (np.asarray(each, np.int64) for each in first)
    potential = np.asarray(proof, np.int64)
    gap = cost + potential[tail] - potential[head]
    flow = np.where(gap < 0, room, 0)
    left = np.asarray(supplies, np.int64)
    np.subtract.at(left, tail, flow)
    np.add.at(left, head, flow)
    free = np.flatnonzero(gap == 0)
    rests = [arcs.costs[number] % unit for number in free.tolist()]
    later = Arcs(tail[free].tolist(), head[free].tolist(), room[free].tolist(), rests)
    rest = _solved(later, left.tolist())
    if rest is None:
        return None
    flow[free] = rest
    whole: list[int] = flow.tolist()
    return whole


def potentials(nodes: int, arcs: Arcs, flows: Sequence[int]) -> list[int] | None:
    """A potential for each node, which proves that no flow is cheaper; None where another one is.

    No arc with room has a negative `cost + potential[tail] - potential[head]`, none with flow a positive one.
    """
    if len(flows) >= _ROUNDS and installed() and _fits(nodes, arcs):
        return _by_rounds(nodes, arcs, flows)
    return _by_queue(nodes, arcs, flows)


def _fits(nodes: int, arcs: Arcs) -> bool:
    """Whether 64 bits hold any distance in such a network, and the scaled costs of OR-tools."""
    if not len(arcs.costs):
        return True
    dearest = max(int(max(arcs.costs)), -int(min(arcs.costs)))
    return (nodes + 1) * dearest < _ROOM and int(max(arcs.capacities)) < _ROOM


def _by_rounds(nodes: int, arcs: Arcs, flows: Sequence[int]) -> list[int] | None:
    """Distances from any node; a round relaxes the arcs out of nodes whose distance fell in the last one."""
    import numpy as np

    tail, head, room, cost = (np.asarray(each, np.int64) for each in arcs)
    flow = np.asarray(flows, np.int64)
    forth, back = np.flatnonzero(room > flow), np.flatnonzero(flow)
    start = np.concatenate((tail[forth], head[back]))
    order = np.argsort(start, kind="stable")
    end = np.concatenate((head[forth], tail[back]))[order]
    length = np.concatenate((cost[forth], -cost[back]))[order]
    first: Any = np.searchsorted(start[order], np.arange(nodes + 1))
    distance: Any = np.zeros(nodes, np.int64)
    fallen: Any = np.arange(nodes)
    for _ in range(nodes + 1):
        degrees: Any = first[fallen + 1] - first[fallen]
        # The numbers of the arcs out of all of these nodes, one run after another.
        skipped: Any = np.repeat(first[fallen] - np.cumsum(degrees) + degrees, degrees)
        out = skipped + np.arange(len(skipped))
        reached, through = end[out], np.repeat(distance[fallen], degrees) + length[out]
        nearer = through < distance[reached]
        if not nearer.any():
            proven: list[int] = distance.tolist()
            return proven
        np.minimum.at(distance, reached[nearer], through[nearer])
        fallen = np.unique(reached[nearer])
    return None


def _by_queue(nodes: int, arcs: Arcs, flows: Sequence[int]) -> list[int] | None:
    """Distances from any node, one node at a time as distances fall."""
    out: list[list[tuple[int, int]]] = [[] for _ in range(nodes)]
    for tail, head, room, cost, flow in zip(*arcs, flows, strict=True):
        if room > flow:
            out[tail].append((head, cost))
        if flow:
            out[head].append((tail, -cost))
    distance, hops = [0] * nodes, [0] * nodes
    waiting = deque(range(nodes))
    queued = bytearray(b"\1" * nodes)
    while waiting:
        node = waiting.popleft()
        queued[node] = 0
        here, step = distance[node], hops[node] + 1
        for head, cost in out[node]:
            if here + cost < distance[head]:
                if step > nodes:
                    return None
                distance[head], hops[head] = here + cost, step
                if not queued[head]:
                    queued[head] = 1
                    waiting.append(head)
    return distance


_PACE_S: Final = 50e-6
"""Seconds for each arc that OR-tools is allowed: it ignores deadlines; 20 us was the most measured."""
_FEW: Final = 8
"""If at most this many arcs leave the source, `flow` is as fast however large the network is."""


def carry(network: Network, source: int, sink: int, units: int, deadline: float | None = None) -> int:
    """Push `units` at the least cost over a network without a flow, until the deadline; returns how many.

    Afterwards the network's potentials prove that the flow is cheapest, as after `Network.cheapest`. If not
    all units can be carried, it pushes as many as possible.
    """
    arcs = len(network.head) // 2
    timely = deadline is None or time.monotonic() + arcs * _PACE_S < deadline
    large = arcs >= ENOUGH and network.head[1::2].count(source) > _FEW
    if large and timely and _in_bulk(network, source, sink, units):
        return units
    return own(network, source, sink, units, deadline)


_spent: list[float] = []


def own(network: Network, source: int, sink: int, units: int, deadline: float | None = None) -> int:
    """As `Network.cheapest`; counts the time that OR-tools, if it were installed, would mostly save."""
    if len(network.head) // 2 < ENOUGH or installed():
        return network.cheapest(source, sink, units, deadline)
    began = time.process_time()
    pushed = network.cheapest(source, sink, units, deadline)
    _spent.append(time.process_time() - began)
    return pushed


def spent_without_s() -> float:
    """The CPU seconds of this process in large flows without OR-tools, because it is not installed."""
    return sum(_spent)


def _in_bulk(network: Network, source: int, sink: int, units: int) -> bool:
    """Take flows from OR-tools, and the potentials that prove them; False where it has none."""
    nodes, capacity = len(network.out), network.capacity
    rooms = [min(room, units) for room in capacity[::2]]
    arcs = Arcs(network.head[1::2], network.head[::2], rooms, network.cost[::2])
    supplies = [0] * nodes
    supplies[source], supplies[sink] = units, -units
    flows = cheapest(arcs, supplies)
    if flows is None:
        return False
    potential = potentials(nodes, arcs, flows)
    if potential is None:
        raise RuntimeError("OR-tools' flow is not the cheapest")
    network.potential = potential
    capacity[::2] = [room - flow for room, flow in zip(capacity[::2], flows, strict=True)]
    capacity[1::2] = flows
    return True
