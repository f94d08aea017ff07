"""Circles of a directed graph and what they cost: shortest paths from anywhere, and parts that hang together.

Where no circle costs less than nothing, potentials of shortest paths make every arc cost nothing or more, and
a circle cost what its arcs do: so some circle costs more iff an arc that costs something, potentials taken
off, lies on one, which is to say inside one strong component (Ahuja, Magnanti, Orlin 1993, chapter 9;
components after Sharir's two searches).
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

Node = Hashable


class Arc(NamedTuple):
    """From one node to another, and what it costs."""

    source: Node
    target: Node
    cost: int


def potentials(arcs: Collection[Arc]) -> dict[Node, int]:
    """The cost of the cheapest path to each node from anywhere.

    Raises `ValueError` if some circle costs less than nothing.
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
    """A number for each node: two have the same one iff paths lead from each to the other."""
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
    """All nodes, each one after those that a search in depth came to from it."""
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
    """Whether some circle costs something; raises `ValueError` if one costs less than nothing."""
    potential, number = potentials(arcs), components(arcs)
    return any(
        cost + potential[source] > potential[target] and number[source] == number[target]
        for source, target, cost in arcs
    )
