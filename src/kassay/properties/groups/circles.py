"""Cycles of a directed graph and their costs: shortest paths from any node, and strong components.

Where no cycle has a negative cost, potentials of shortest paths make every arc cost zero or more, and a cycle
cost the sum of its arcs: so some cycle has a positive cost iff an arc with a positive reduced cost lies on
one, which means inside one strong component (Ahuja, Magnanti, Orlin 1993, chapter 9; components after
Sharir's two searches).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

Node = Hashable


class Arc(NamedTuple):
    """An arc from one node to another, with its cost."""

    source: Node
    target: Node
    cost: int


def potentials(arcs: Collection[Arc]) -> dict[Node, int]:
    """The cost of the cheapest path to each node from any node.

    Raises `ValueError` if some cycle has a negative cost.
    """
    cheapest: dict[Node, int] = {node: 0 for arc in arcs for node in (arc.source, arc.target)}
    for _ in range(len(cheapest) + 1):
        changed = False
        for source, target, cost in arcs:
            if cheapest[source] + cost < cheapest[target]:
                cheapest[target] = cheapest[source] + cost
                changed = True
        if not changed:
            return cheapest
    raise ValueError("expected an assignment of which no exchange saves anything")


def components(arcs: Iterable[Arc]) -> dict[Node, int]:
    """A number for each node: equal iff paths lead from each of two to the other."""
    onward: dict[Node, list[Node]] = {}
    back: dict[Node, list[Node]] = {}
    for source, target, _ in arcs:
        onward.setdefault(source, []).append(target)
        back.setdefault(target, []).append(source)
    number: dict[Node, int] = {}
    for start in reversed(_finished(onward)):
        if start not in number:
            mine, waiting = len(number), [start]
            number[start] = mine
            for node in waiting:
                for before in back.get(node, ()):
                    if before not in number:
                        number[before] = mine
                        waiting.append(before)
    return number


def _finished(onward: Mapping[Node, list[Node]]) -> list[Node]:
    """All nodes, each one after those that a depth-first search reached from it."""
    seen, finished = set[Node](), list[Node]()
    for start in onward:
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(onward[start]))]
        while path:
            node, rest = path[-1]
            target = next((target for target in rest if target not in seen), None)
            if target is None:
                path.pop()
                finished.append(node)
            else:
                seen.add(target)
                path.append((target, iter(onward.get(target, ()))))
    return finished


def some_circle_costs(arcs: Collection[Arc]) -> bool:
    """Whether some cycle has a positive cost; raises `ValueError` if one has a negative cost."""
    potential, number = potentials(arcs), components(arcs)
    return any(
        cost + potential[source] > potential[target] and number[source] == number[target]
        for source, target, cost in arcs
    )
