"""Clients renamed in the order that their coordinator gives, so that coordinators are met under few names.

What a walk remembers it remembers by coordinator. Where clients stand in the order of their own shapes, one
coordinator is met under most of the names that it can have, and each time all is found out again.
"""

from __future__ import annotations

from kassay.model.explore.interned import Interned, Interner, Memo
from kassay.model.explore.stable import StateCodec
from kassay.model.protocols.world.models.client_symmetry import ClientSymmetry, Places, orders_of
from kassay.model.protocols.world.parts.context import World


class CoordinatorOrder(ClientSymmetry):
    """The representative of a world under all ways to rename its clients, by coordinator first.

    Clients are sorted by what is left of the coordinator once the other clients' names are blanked, and by
    their own shapes only where it takes them for equal. The log is left out: it is kept by names, so that
    with two of them blanked it would show which was which. Shapes compare by their bytes, where those alike
    are neighbours: by digests twice as many worlds would have to be renamed.
    """

    def __init__(self, interner: Interner, codec: StateCodec) -> None:
        super().__init__(interner, codec.cell_bytes)
        self._written = codec.encode
        self._ranks: Memo[Interned, Places] = Memo()

    def orders(self, state: World) -> list[World]:
        """The same world in every order of clients that puts what the coordinator knows of them in order."""
        coordinator = state.broker.value.coordinator
        ranks = self._ranks.get(coordinator)
        if ranks is None:
            shapes = [self._written(self.shown(c, coordinator)) for c in range(len(state.clients))]
            ranks = self._ranks[coordinator] = tuple(map(sorted(shapes).index, shapes))
        orders = orders_of(ranks)
        if len(orders) > 1:
            orders = self.places(state.clients, before=ranks)
        return [self.renamed(state, places) for places in orders]
