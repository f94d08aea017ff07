"""The representative of worlds with different numbering: generations from 1, ids from 1 per client."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

from kassay.model.explore.interned import Interned, Interner, Memo
from kassay.model.protocols.values.marks import Mark, rewritten
from kassay.model.protocols.world.parts.context import World
from kassay.model.protocols.world.parts.renaming import SAME, Count, Facts, facts_of_cell

GAP_MAX: Final = 4
"""A larger gap between generations counts as this one.

A coordinator that has not persisted its generations may run ahead of its log without bound. How a later one
handles the reused numbers depends on their order, and on how soon they are reached.
"""


class Canonical:
    """A world's representative; facts about each interned value are cached."""

    def __init__(self, interner: Interner) -> None:
        self.interner = interner
        self._renamed: Memo[Any, Interned] = Memo()

    def __call__(self, state: World) -> World:
        """Generations counted from the lowest one in use, member ids numbered from 1 per client."""
        clients, broker = state[0], state[1]
        facts: Facts = broker.note or facts_of_cell(broker)
        low, renumber, high = facts.low, facts.renumber, facts.high
        for cell in clients:
            facts = cell.note or facts_of_cell(cell)
            if facts.low < low:
                low = facts.low
            if facts.high > high:
                high = facts.high
            if facts.renumber:
                renumber = True
        count = SAME
        if high - low > GAP_MAX:
            count = self._closer(state)
        elif 1 < low < 1 << 30:
            count = Count(low - 1)
        if count is SAME and not renumber:
            return state
        mapping: tuple[tuple[str, str], ...] = ()
        if renumber:
            names = facts_of_cell(broker).names.union(*(facts_of_cell(cell).names for cell in clients))
            mapping = _renumbering(names)
        if count is SAME and not mapping:
            return state
        return state._replace(
            clients=tuple(self._rename(cell, count, mapping) for cell in state.clients),
            broker=self._rename(state.broker, count, mapping),
        )

    def _closer(self, state: World) -> Count:
        """The count that maps the lowest generation to 1, and large gaps to `GAP_MAX`."""
        numbers = sorted(
            frozenset().union(*(facts_of_cell(cell).generations for cell in (*state.clients, state.broker)))
        )
        gaps = tuple((b, b - a - GAP_MAX) for a, b in pairwise(numbers) if b - a > GAP_MAX)
        return Count(numbers[0] - 1, gaps) if gaps or numbers[0] > 1 else SAME

    def _rename(self, cell: Interned, count: Count, mapping: tuple[tuple[str, str], ...]) -> Interned:
        key = (cell, count, mapping)
        renamed = self._renamed.get(key)
        if renamed is None:
            names = dict(mapping)

            def change(mark: Mark, part: Any) -> Any:
                if mark is Mark.GENERATION:
                    return count(part)
                if mark is Mark.MEMBER_ID:
                    return names.get(part, part)
                return self._rename(part, count, mapping) if mark is Mark.CELL else part

            after = rewritten(cell.value, change)
            renamed = self._renamed[key] = cell if after is cell.value else self.interner.cell(after)
        return renamed


def _renumbering(names: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """For each client's ids, in order, the numbers from 1; only the changes."""
    seen: dict[str, int] = {}
    changes = []
    for name in sorted(names):
        prefix = name.rpartition("-")[0]
        seen[prefix] = seen.get(prefix, 0) + 1
        fresh = f"{prefix}-{seen[prefix]}"
        if fresh != name:
            changes.append((name, fresh))
    return tuple(changes)
