"""The third opinion: one network for all levels, loads at convex cost, by networkx's network simplex.

It uses neither load levels nor hubs: classes of equal units lead straight to the members that may take them,
and each further unit of a member costs more than all before it, so that the cheapest flow has the best
balance by itself (Ahuja, Magnanti, Orlin, *Network Flows*, ch. 14). Suitable up to about 30 x 300: the number
of arcs is members times the units that one can get. The prices of the certificate come from the flow: they
prove any cheapest owners, and the same checker judges these.
"""

from __future__ import annotations

from typing import Final

import networkx as nx

from kassay.solver.check.balance import MOVEMENT_FIRST
from kassay.solver.groups.hub import Aggregate, UnitClass, aggregate, mismatch
from kassay.solver.groups.optimum import Optimum, best_balanced, certified, require_polynomial, weigh
from kassay.solver.groups.problem import Problem
from kassay.solver.results import NO_OWNER

_SINK: Final = ("sink", 0)


def networkx_optimum(problem: Problem, order: tuple[str, ...] = MOVEMENT_FIRST) -> Optimum:
    """The certified optimum, whose owners networkx finds alone.

    Raises `NotPolynomialError` as the flow does, and `CertificateError` where these owners are not the best.
    """
    require_polynomial(problem)
    counted = aggregate(problem)
    owner = _owners(problem, counted, order)
    proof = best_balanced(problem, order)
    return certified(problem, order, problem.owners_by_topic(owner), proof.level_of, proof.prices)


def _owners(problem: Problem, counted: Aggregate, order: tuple[str, ...]) -> list[int]:
    """The owner of each unit in a cheapest flow."""
    network = _network(problem, counted, order)
    _, flow = nx.network_simplex(network)
    owner = [NO_OWNER] * counted.units
    for number, each in enumerate(counted.classes):
        waiting = list(each.units)
        for member, amounts in flow["class", number].items():
            for unit in [waiting.pop() for _ in range(sum(amounts.values()))]:
                owner[unit] = member[1]
    return owner


def _network(
    problem: Problem, counted: Aggregate, order: tuple[str, ...]
) -> nx.MultiDiGraph[tuple[str, int]]:
    """Arcs from classes of units to the members that may take them; a member's next unit costs more."""
    network: nx.MultiDiGraph[tuple[str, int]] = nx.MultiDiGraph()
    network.add_node(_SINK, demand=counted.units)
    room = [0] * len(problem.members)
    dearest = 0
    for number, each in enumerate(counted.classes):
        network.add_node(("class", number), demand=-len(each.units))
        for m in counted.sets[each.readers]:
            cost = _cost(problem, each, m, order)
            network.add_edge(("class", number), ("member", m), capacity=len(each.units), weight=cost)
            room[m] += len(each.units)
            dearest = max(dearest, cost)
    step = dearest * counted.units + 1
    for m, most in enumerate(room):
        for load in range(most):
            network.add_edge(("member", m), _SINK, capacity=1, weight=(2 * load + 1) * step)
    return network


def _cost(problem: Problem, each: UnitClass, m: int, order: tuple[str, ...]) -> int:
    """The cost of assigning a unit of the class to the member."""
    move, wrong = weigh(problem, order)
    moved = each.owned - dict(each.kept).get(m, 0)
    return move * moved + wrong * mismatch(each.racks, problem.members[m].rack)
