"""Draws a small graph of states in layers by their distance from the start, in per cent of the width."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

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
