"""Symmetry reduction over identically configured clients, in worlds on a clock.

A clock moves with its client. The coordinator's timers contain member ids and are ordered by due time, then
name, so they are sorted again with the rest.
"""

from __future__ import annotations

from kassay.model.explore.graph import Action
from kassay.model.explore.interned import Interner
from kassay.model.explore.quotient import Deed, GroupSymmetry
from kassay.model.protocols.world.models.client_symmetry import ClientSymmetry
from kassay.model.protocols.world.models.least_world import (
    NUMBER,
    Places,
    RankOf,
    WorldRenaming,
    least,
    sources,
)
from kassay.model.protocols.world.timed.classic import Timed
from kassay.model.protocols.world.timed.clock import Clock


class TimedClientSymmetry(GroupSymmetry[Timed]):
    """The representative of a world on a clock under all renamings of its clients (`ClientSymmetry`)."""

    def __init__(self, interner: Interner, order: RankOf = NUMBER) -> None:
        self._clients = ClientSymmetry(interner, order)

    def __call__(self, state: Timed) -> Timed:
        """The same, with its clients in an order that depends on no name."""
        return self.renamed(state, self.ways(state)[0].places)

    def ways(self, state: Timed) -> tuple[WorldRenaming, ...]:
        """All renamings to the representative."""
        return least(self._clients.ways(state.world), lambda way: _clocks(state, way.places))

    def deed(self, action: Action, way: WorldRenaming) -> Deed:
        """Actor and name of an action, every client under its new name."""
        return self._clients.deed(action, way)

    def renamed(self, state: Timed, places: Places) -> Timed:
        """The same with every client, and its clock, at its new position."""
        return state._replace(
            world=self._clients.world(state.world, WorldRenaming(places)), clocks=_clocks(state, places)
        )


def _clocks(state: Timed, places: Places) -> tuple[Clock, ...]:
    return tuple(state.clocks[c] for c in sources(places))
