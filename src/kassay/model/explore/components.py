"""Strongly connected components of a finished graph, in arrays.

Tarjan's algorithm (1972) without recursion. networkx finds the same ones in graphs of dicts, which take two
thousand bytes a state where this takes twenty; a walk's edges lie in arrays already (docs/explorer-speed.md).
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from typing import Any

from kassay.model.explore.graph import Graph


def components(graph: Graph[Any], skipped: Sequence[int]) -> Iterator[list[int]]:
    """The expanded states in components along the actions whose number is not `skipped`.

    Each comes after all components that it leads to. Edges to states that are not expanded are left out.
    """
    count, first, targets, labels = graph.expanded, graph.first, graph.targets, graph.labels
    order = array("I", bytes(4 * count))  # 0: not met; `count + 1`: its component is complete
    low = array("I", bytes(4 * count))
    cursor = array("Q", first[:count])
    met = 0
    open_states: list[int] = []
    for root in range(count):
        if order[root]:
            continue
        way = [root]
        while way:
            node = way[-1]
            if not order[node]:
                met += 1
                order[node] = low[node] = met
                open_states.append(node)
            lowest, deeper = low[node], False
            at, end = cursor[node], first[node + 1]
            while at < end:
                target = targets[at]
                if target < count and not skipped[labels[at]]:
                    if not order[target]:
                        deeper = True
                        break
                    if low[target] < lowest and order[target] <= count:
                        lowest = low[target]
                at += 1
            low[node], cursor[node] = lowest, at
            if deeper:
                way.append(target)
                continue
            way.pop()
            if lowest == order[node]:
                yield _closed(open_states, node, order, count + 1)


def _closed(open_states: list[int], entry: int, order: array[int], complete: int) -> list[int]:
    """The component that was entered here, no longer open."""
    at = len(open_states) - 1
    while open_states[at] != entry:
        at -= 1
    component = open_states[at:]
    del open_states[at:]
    for node in component:
        order[node] = complete
    return component
