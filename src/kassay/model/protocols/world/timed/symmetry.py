"""One representative of the worlds on a clock that differ only in who is who among clients configured alike.

A clock goes with its client. The coordinator's timers hold member ids, and stand by due time and then by
name, so they are sorted anew with all else.
"""

from __future__ import annotations

from typing import Any

from kassay.model.explore.interned import Interner
from kassay.model.protocols.world.models.client_symmetry import (
    NUMBER,
    ClientSymmetry,
    Places,
    RankOf,
    rank_of,
)
from kassay.model.protocols.world.timed.classic import Timed


class TimedClientSymmetry:
    """The representative of a world on a clock under all ways to rename its clients (`ClientSymmetry`)."""

    def __init__(self, interner: Interner, order: RankOf = NUMBER) -> None:
        self._clients = ClientSymmetry(interner, order)
        self._order = order

    def __call__(self, state: Timed) -> Timed:
        """The same, its clients in an order that depends on no name."""
        orders = self._clients.places(state.clients, state.clocks)
        states = [self.renamed(state, places) for places in orders]
        return states[0] if len(states) == 1 else min(states, key=self._rank)

    def renamed(self, state: Timed, places: Places) -> Timed:
        """The same with every client, and its clock, in its new place."""
        order = sorted(range(len(places)), key=places.__getitem__)
        return state._replace(
            world=self._clients.renamed(state.world, places), clocks=tuple(state.clocks[c] for c in order)
        )

    def _rank(self, state: Timed) -> tuple[Any, ...]:
        return *rank_of(state.world, self._order), state.clocks
