"""One representative of the worlds that differ only in numbering: generations from 1, ids from 1 a client."""

from __future__ import annotations

from typing import Any, Final

from kassay.model.explore import Cell, Interner
from kassay.model.protocols.broker import Broker
from kassay.model.protocols.rename import Facts, facts_of_cell, renamed
from kassay.model.protocols.world import World

_NO_CELL: Final = Cell(None)


class Canonical:
    """A world's representative; what is found out of each cell is remembered."""

    def __init__(self, interner: Interner) -> None:
        self.interner = interner
        self._renamed: dict[Any, Cell] = {}

    def __call__(self, state: World) -> World:
        """Generations counted from the lowest one in use, member ids numbered from 1 a client."""
        clients, broker = state[0], state[1]
        facts: Facts = broker.note or facts_of_cell(broker)
        low, renumber = facts.low, facts.renumber
        for cell in clients:
            facts = cell.note or facts_of_cell(cell)
            if facts.low < low:
                low = facts.low
            if facts.renumber:
                renumber = True
        shift = low - 1 if 1 < low < 1 << 30 else 0
        if not shift and not renumber:
            return state
        mapping: tuple[tuple[str, str], ...] = ()
        if renumber:
            names = facts_of_cell(broker).names.union(*(facts_of_cell(cell).names for cell in clients))
            mapping = _renumbering(names)
        if not shift and not mapping:
            return state
        return state._replace(
            clients=tuple(self._rename(cell, shift, mapping) for cell in state.clients),
            broker=self._rename(state.broker, shift, mapping),
        )

    def _rename(self, cell: Cell, shift: int, mapping: tuple[tuple[str, str], ...]) -> Cell:
        key = (cell, shift, mapping)
        found = self._renamed.get(key)
        if found is None:
            value = cell.value
            if isinstance(value, Broker):
                inner = self.interner.cell(renamed(value.state, shift, mapping))
                value = renamed(value._replace(coordinator=_NO_CELL), shift, mapping)._replace(
                    coordinator=inner
                )
            else:
                value = renamed(value, shift, mapping)
            found = self._renamed[key] = self.interner.cell(value)
        return found


def _renumbering(names: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """For each client's ids, in their order, the numbers from 1; only what changes."""
    seen: dict[str, int] = {}
    changes = []
    for name in sorted(names):
        prefix = name.rpartition("-")[0]
        seen[prefix] = seen.get(prefix, 0) + 1
        fresh = f"{prefix}-{seen[prefix]}"
        if fresh != name:
            changes.append((name, fresh))
    return tuple(changes)
