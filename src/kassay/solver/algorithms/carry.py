"""All units from a source to a sink at the least cost: by OR-tools where a network is large, else by `flow`.

Both leave flows and potentials that prove each other, so readers need not know which solver ran. Measured on
networks of `consumers/hub` (`benchmarks/optimum_large`): with 2,600 arcs `flow` takes 0.05 s and OR-tools
0.01 s, plus 0.2 s once to load it; with 7,000 to 45,000 arcs `flow` takes 10 to 40 times as long. Where
members are similar all units leave the source by a few arcs, and `flow` finishes before OR-tools is loaded:
0.03 s with 15,000 arcs. The choice depends on the network alone, not on what is loaded: the same problem has
the same answer.
"""

from __future__ import annotations

import time
from typing import Final

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.bulk_flow import Arcs
from kassay.solver.algorithms.flow import Network

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
    large = arcs >= bulk_flow.ENOUGH and network.head[1::2].count(source) > _FEW
    if large and timely and _in_bulk(network, source, sink, units):
        return units
    return network.cheapest(source, sink, units, deadline)


def _in_bulk(network: Network, source: int, sink: int, units: int) -> bool:
    """Take flows from OR-tools, and the potentials that prove them; False where it has none."""
    nodes, capacity = len(network.out), network.capacity
    rooms = [min(room, units) for room in capacity[::2]]
    arcs = Arcs(network.head[1::2], network.head[::2], rooms, network.cost[::2])
    supplies = [0] * nodes
    supplies[source], supplies[sink] = units, -units
    flows = bulk_flow.cheapest(arcs, supplies)
    if flows is None:
        return False
    potential = bulk_flow.potentials(nodes, arcs, flows)
    if potential is None:
        raise RuntimeError("OR-tools' flow is not the cheapest")
    network.potential = potential
    capacity[::2] = [room - flow for room, flow in zip(capacity[::2], flows, strict=True)]
    capacity[1::2] = flows
    return True
