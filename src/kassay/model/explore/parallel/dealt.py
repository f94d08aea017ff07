"""The first levels of a walk, walked by one process, and their distribution over all processes.

These levels are small: several processes would spend more time waiting than walking, and the other processes
are still starting. Afterwards every process continues as if all had walked these levels together.
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
    """Walk by level until there are more than `most` states or none to expand; returns each level's start."""
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
    """The initial share of each process, and the name of each state."""
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
    """The share that consists of these states."""
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
