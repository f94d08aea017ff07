"""Walks of one state of each class, held to the walk of all states."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kassay.engines.protocols.views import views_of
from kassay.model.explore.search import explore as walk
from kassay.model.explore.values import Exploration
from kassay.properties.protocols.registry import invariants


def both(
    model: Any, symmetry: Callable[[Any], Any], orbit: Callable[[Any], Iterable[Any]]
) -> tuple[Exploration[Any], Exploration[Any]]:
    """The walk of all states and that by the symmetry, once it is sure that they agree.

    `orbit` gives a state under all renamings, itself among them. Raises AssertionError where a class is not
    walked, is walked twice, or is not of the states that there are; or where a verdict differs.
    """
    judged = invariants(views_of(model))
    full = walk(model, judged)
    reduced = walk(model, judged, symmetry=symmetry)
    known = set(full.graph.states)
    assert {symmetry(state) for state in known} == set(reduced.graph.states)
    size = 0
    for state in reduced.graph.states:
        of_class = {model.canonical(renamed) for renamed in orbit(state)}
        assert of_class <= known
        size += len(of_class)
    assert size == full.states
    assert full.verdict is reduced.verdict
    assert shown(full) == shown(reduced)
    return full, reduced


def shown(done: Exploration[Any]) -> tuple[Any, ...]:
    """What a walk came to that no name or number is in."""
    live = done.liveness
    assert live is not None, "both are judged for liveness"
    stuck = (bool(live.dead_ends), bool(live.livelocks), bool(live.hopeless), live.undecided)
    return {(v.invariant, v.severity, v.length) for v in done.violations}, stuck
