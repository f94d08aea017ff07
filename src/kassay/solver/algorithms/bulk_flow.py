"""Minimum-cost flows of many arcs by OR-tools, and for any cheapest flow the dual solution that proves it.

`SimpleMinCostFlow` is a cost-scaling push-relabel method in C++ (Goldberg). It returns the flow and no
potentials; those are shortest distances on the residual graph, which has no negative cycle where the flow is
cheapest (Bellman-Ford, the arcs of a round at once by numpy). So a flow with potentials is cheapest, whatever
computed it, and nothing relies on OR-tools being right. Needs the extra `kassay[cpsat]`, which brings numpy;
without it there is no flow here, and `flow.Network` computes an equally cheap one more slowly.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from typing import Any, Final, NamedTuple

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


def cheapest(arcs: Arcs, supplies: Sequence[int]) -> list[int] | None:
    """The flow over each arc that carries all supplies (one a node, sum 0) at the least cost.

    None where OR-tools is not installed, where its 64 bits do not suffice, or where no flow carries all.
    """
    if not installed() or not _fits(len(supplies), arcs):
        return None
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
