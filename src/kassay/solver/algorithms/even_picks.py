"""One place for each item, places as even as possible, and then as few items as possible away from home.

Items that may pick the same places and have the same home are one class. The load levels
(`algorithms/levels`) give the count of each place, and a flow from classes to places with prices of 0 and 1
chooses the items: the number of arcs grows with classes times the places that each may pick, which are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from kassay.solver.algorithms.flow import Network, is_over
from kassay.solver.algorithms.levels import Level, level_numbers, leveled

_SOURCE: Final = 0
_SINK: Final = 1

_Classes: TypeAlias = dict[tuple[tuple[int, ...], int | None], list[int]]
"""The items of each class, by the places they may pick, in order, and by their home."""


def even_picks(
    places: int,
    choices: Sequence[Iterable[int]],
    homes: Sequence[int | None],
    deadline: float | None = None,
) -> list[int] | None:
    """The place of each item, or None where the deadline, one of `time.monotonic`, passed first.

    `choices` are the places that an item may pick, at least one; its home counts only if it is among them.
    The sorted counts of the places, largest first, are lexicographically least, and no other such picks leave
    fewer items away from home.
    """
    if is_over(deadline):
        return None
    classes: _Classes = {}
    for item, (choice, home) in enumerate(zip(choices, homes, strict=True)):
        row = tuple(sorted(choice))
        classes.setdefault((row, home if home in row else None), []).append(item)
    sets: dict[tuple[int, ...], int] = {}
    for (row, _), items in classes.items():
        sets[row] = sets.get(row, 0) + len(items)
    levels = leveled(places, list(sets), list(sets.values())).levels
    level_of = level_numbers(levels, places)
    inside: list[_Classes] = [{} for _ in levels]
    for (row, home), items in classes.items():
        last = max(level_of[place] for place in row)
        taking = tuple(place for place in row if level_of[place] == last)
        inside[last].setdefault((taking, home if home in taking else None), []).extend(items)
    picks = [0] * len(choices)
    for level, those in zip(levels, inside, strict=True):
        if not _fill(level, those, picks, deadline):
            return None
    return picks


def _fill(level: Level, classes: _Classes, picks: list[int], deadline: float | None) -> bool:
    """Write the picks of the items of one level; False where the deadline passed before all had one."""
    net = Network(2)
    node = dict(zip(level.members, net.nodes(len(level.members)), strict=True))
    _lay_room(net, level, node)
    ways: list[tuple[list[int], list[tuple[int, int]]]] = []
    for (row, home), items in classes.items():
        mine = net.node()
        net.arc(_SOURCE, mine, len(items))
        arcs = [(place, net.arc(mine, node[place], cost=int(home not in (None, place)))) for place in row]
        ways.append((items, arcs))
    items_of_level = sum(len(items) for items, _ in ways)
    if net.cheapest(_SOURCE, _SINK, items_of_level, deadline) < items_of_level:
        return False
    for items, arcs in ways:
        first = 0
        for place, arc in arcs:
            for item in items[first : first + net.flow(arc)]:
                picks[item] = place
            first += net.flow(arc)
    return True


def _lay_room(net: Network, level: Level, node: Mapping[int, int]) -> None:
    """Arcs from each place to the sink: `low` items, and one more through a node for `high` of them."""
    more = net.node()
    net.arc(more, _SINK, level.high)
    for place in node.values():
        net.arc(place, _SINK, level.low)
        net.arc(place, more, 1)
