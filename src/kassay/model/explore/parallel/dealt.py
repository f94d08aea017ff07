"""The first levels of a walk, which one process walks alone, and what each process gets of them.

They are small, so that several processes would wait for each other more than walk; and the others are being
started meanwhile. All of them then have what these levels hold, as if they had walked it together.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from typing import TypeVar

from kassay.model.explore.graph import Graph
from kassay.model.explore.parallel.letters import Outbox
from kassay.model.explore.parallel.shard import Beginning, WalkShare
from kassay.model.explore.search import Search

S = TypeVar("S", bound=Hashable)


def first_levels(search: Search[S], most: int) -> list[int]:
    """Walk level by level until there are more states than `most`, or none to expand; where each begins."""
    search.start()
    states, levels = search.graph.states, [0]
    while not search.stop and levels[-1] < len(states) <= most:
        low, high = levels[-1], len(states)
        levels.append(high)
        for node in range(low, high):
            search.expand(node)
    return levels


def dealt(
    graph: Graph[S], levels: Sequence[int], shares: WalkShare[S], count: int
) -> tuple[list[Beginning], array[int]]:
    """What each process begins with, and the name of each state."""
    nodes: list[list[int]] = [[] for _ in range(count)]
    names = array("I")
    for node, state in enumerate(graph.states):
        owner = shares.place(state) % count
        names.append(len(nodes[owner]) * count + owner)
        nodes[owner].append(node)
    return [_beginning(graph, levels, shares, mine, names) for mine in nodes], names


def _beginning(
    graph: Graph[S], levels: Sequence[int], shares: WalkShare[S], nodes: list[int], names: array[int]
) -> Beginning:
    """The share that has these states."""
    outbox = Outbox(shares.parts, shares.codec)
    parents, first, targets, labels = array("i"), array("Q", [0]), array("I"), array("I")
    for node in nodes:
        outbox.post(graph.states[node], 0)
        parent = graph.parents[node]
        parents.append(parent if parent < 0 else names[parent])
        if node < graph.expanded:
            for label, target in graph.edges(node):
                labels.append(label)
                targets.append(names[target])
            first.append(len(targets))
    starts = [bisect_left(nodes, level) for level in levels]
    return Beginning(starts, outbox.letter(), parents, first, targets, labels, list(graph.actions))
