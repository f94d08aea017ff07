"""Draws the graph of an exploration's states if it is small enough to be readable.

Draws a small graph of states in layers by their distance from the start, in per cent of the width.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from kassay.engines.protocols.explore import ExploreResult
from kassay.model.explore.values import WalkStep
from kassay.writing.text import counted

SWEEPS: Final = 12
"""How many times each layer is sorted by its neighbours; the order with the fewest crossings is kept."""


class LayeredPlace(NamedTuple):
    """The place of a state: per cent of the width, and its layer from 0."""

    x: float
    layer: int


def layered(layers: Sequence[int], edges: Sequence[tuple[int, int]]) -> tuple[LayeredPlace, ...]:
    """A place for each state, whose layer is given, with few crossings of edges between adjacent layers."""
    rows: list[list[int]] = [[] for _ in range(max(layers, default=-1) + 1)]
    for state, layer in enumerate(layers):
        rows[layer].append(state)
    near = sorted({edge for edge in edges if abs(layers[edge[0]] - layers[edge[1]]) == 1})
    neighbours: list[list[int]] = [[] for _ in layers]
    for source, target in near:
        neighbours[source].append(target)
        neighbours[target].append(source)
    best, fewest = [list(row) for row in rows], crossings(rows, layers, near)
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in rows if down else reversed(rows):
            _sort(row, rows, layers, neighbours, -1 if down else 1)
        count = crossings(rows, layers, near)
        if count < fewest:
            best, fewest = [list(row) for row in rows], count
    places = {
        state: LayeredPlace(round(100 * (spot + 0.5) / len(row), 2), layer)
        for layer, row in enumerate(best)
        for spot, state in enumerate(row)
    }
    return tuple(places[state] for state in range(len(layers)))


def _sort(
    row: list[int],
    rows: Sequence[Sequence[int]],
    layers: Sequence[int],
    neighbours: Sequence[Sequence[int]],
    side: int,
) -> None:
    """Sort a layer by the mean positions of its neighbours in the layer before or after it."""
    neighbour_layer = layers[row[0]] + side
    if not 0 <= neighbour_layer < len(rows):
        return
    spots = {
        state: (spot + 0.5) / len(rows[neighbour_layer]) for spot, state in enumerate(rows[neighbour_layer])
    }
    own = {state: (spot + 0.5) / len(row) for spot, state in enumerate(row)}

    def middle(state: int) -> float:
        known = [spots[other] for other in neighbours[state] if other in spots]
        return sum(known) / len(known) if known else own[state]

    row.sort(key=middle)


def crossings(rows: Sequence[Sequence[int]], layers: Sequence[int], edges: Sequence[tuple[int, int]]) -> int:
    """How many pairs of edges between adjacent layers cross."""
    spots = {state: spot for row in rows for spot, state in enumerate(row)}
    between: dict[int, list[tuple[int, int]]] = {}
    for source, target in edges:
        upper, lower = (source, target) if layers[source] < layers[target] else (target, source)
        between.setdefault(layers[upper], []).append((spots[upper], spots[lower]))
    return sum(
        (a - c) * (b - d) < 0
        for pairs in between.values()
        for number, (a, b) in enumerate(pairs)
        for c, d in pairs[:number]
    )


STATES_DRAWN_MAX: Final = 200
"""A larger graph is an unreadable cloud."""
_LAYER: Final = 44
_MARGIN: Final = 16


class Node(NamedTuple):
    """A state: its place (x in per cent, y in pixels), and its description."""

    x: float
    y: int
    text: str
    start: bool
    rests: bool
    way: bool
    bad: bool
    link: str


class Edge(NamedTuple):
    """The steps from one state to another. `look`: "" for one away from the start, else "back", or "way"."""

    x1: float
    y1: int
    x2: float
    y2: int
    look: str
    text: str


class StateGraph(NamedTuple):
    """The drawing, and its states as rows of a table: number, distance, successors, description."""

    title: str
    description: str
    height: int
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    rows: tuple[tuple[str, str, str, str], ...]


def state_graph(
    result: ExploreResult, way: Sequence[WalkStep[Any]] = (), name: str = ""
) -> StateGraph | None:
    """The graph of the states walked; None if there are more than `STATES_DRAWN_MAX`.

    `way` is a trace to mark in it; its states link to its steps by `name`.
    """
    graph = result.exploration.graph
    if result.exploration.states > STATES_DRAWN_MAX:
        return None
    steps = _steps_of(result, way)
    pairs: dict[tuple[int, int], list[str]] = {}
    actions = list(graph.actions)
    for state in range(graph.expanded):
        for label, target in graph.edges(state):
            if target != state:
                pairs.setdefault((state, target), []).append(str(actions[label]))
    places = layered(graph.depths, list(pairs))
    ys = [_MARGIN + _LAYER * place.layer for place in places]
    trodden = set(zip(list(steps), list(steps)[1:]))
    edges = tuple(
        Edge(
            places[a].x,
            ys[a],
            places[b].x,
            ys[b],
            "way" if (a, b) in trodden else "" if ys[b] > ys[a] else "back",
            f"{a} to {b}: {'; '.join(dict.fromkeys(texts))}",
        )
        for (a, b), texts in pairs.items()
    )
    good = graph.good or bytearray(result.built.converged(state) for state in graph.states)
    kinds = [_kind(result, state, steps, good) for state in range(len(graph.states))]
    last = list(steps)[-1] if steps else -1
    nodes = tuple(
        Node(
            place.x,
            ys[state],
            f"state {state}, {counted(graph.depths[state], 'step')} from the start"
            + (f": {kinds[state]}" if kinds[state] else ""),
            graph.parents[state] < 0,
            bool(good[state]),
            state in steps,
            state == last,
            f"{name}/step-{steps[state]}" if state in steps else "",
        )
        for state, place in enumerate(places)
    )
    leads: dict[int, list[str]] = {}
    for a, b in pairs:
        leads.setdefault(a, []).append(str(b))
    rows = tuple(
        (str(state), str(graph.depths[state]), " ".join(leads.get(state, ())) or "-", kinds[state] or "-")
        for state in range(len(graph.states))
    )
    height = 2 * _MARGIN + _LAYER * max((place.layer for place in places), default=0)
    return StateGraph(
        f"{counted(len(graph.states), 'state')}, by their distance from the start",
        _description(bool(steps)),
        height,
        nodes,
        tuple(sorted(edges, key=lambda edge: edge.look == "way")),
        rows,
    )


def _description(marked: bool) -> str:
    words = (
        "A square is a start, a circle a state, a second circle around it says that a run may rest there for "
        "ever; steps back or aside are dashed."
    )
    return words + (" The thick line is the run shown above, to the state marked ✕." if marked else "")


def _steps_of(result: ExploreResult, way: Sequence[WalkStep[Any]]) -> dict[int, int]:
    """The states of a trace by their number in the graph, each with its step, in the order of the trace.

    A trace may pass a state that equals the graph's only after a renaming of clients: such states are left
    out.
    """
    graph = result.exploration.graph
    steps: dict[int, int] = {}
    for step, each in enumerate(way):
        number = graph.states.number(result.built.canonical(each.state))
        if number >= 0:
            steps[number] = step
    return steps


def _kind(result: ExploreResult, state: int, steps: Mapping[int, int], good: bytearray) -> str:
    graph = result.exploration.graph
    words = []
    if graph.parents[state] < 0:
        words.append("a start")
    if good[state]:
        words.append("a run may rest here")
    if state in steps:
        words.append(f"step {steps[state]} of the run")
    if state >= graph.expanded:
        words.append("not walked on from")
    return ", ".join(words)
