"""The load levels: the common structure of all assignments with the best possible balance.

All assignments whose sorted loads are lexicographically least (equivalently: whose sum of squares is
least) have one description, an ordered partition of the members into levels, heaviest first. Each unit
goes to a member of the last level that may take it, and the members of one level have `low` or `low + 1`
units, `high` of them the larger number. Sources: Harvey, Ladner, Lovasz, Tamir, "Semi-matchings for
bipartite graphs and load balancing"; Frank and Murota, "Decreasing minimization on M-convex sets".

Method: let n units lie on u members. Shift load along residual paths (a maximum flow) from members above
ceil(n/u) to members below it, then from members above floor(n/u) to members below. If either cannot
continue, the members that the overloaded still reach cannot be relieved: they are heavier than the rest,
and both parts are solved separately. At most two maximum flows a split.

One place for each item, places as even as possible, and then as few items as possible away from home.
Items that may pick the same places and have the same home are one class. The load levels
(`algorithms/levels`) give the count of each place, and a flow from classes to places with prices of 0
and 1 chooses the items: the number of arcs grows with classes times the places that each may pick, which
are few.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from kassay.solver.algorithms.flow import Network, is_over


class Level(NamedTuple):
    """Members (by position) that have `low` units each, `high` of them one more."""

    members: tuple[int, ...]
    low: int
    high: int


class Leveled(NamedTuple):
    """The levels, and how many units of each set every member has in one assignment with that balance."""

    levels: list[Level]
    holds: list[dict[int, int]]


def level_numbers(levels_: Iterable[Level], members: int) -> list[int]:
    """The number of each member's level."""
    numbers = [0] * members
    for number, level in enumerate(levels_):
        for m in level.members:
            numbers[m] = number
    return numbers


def levels(members: int, sets: Sequence[tuple[int, ...]], counts: Sequence[int]) -> list[Level]:
    """The levels, heaviest first, where `counts[s]` units may go to any member of `sets[s]`."""
    return leveled(members, sets, counts).levels


def leveled(members: int, sets: Sequence[tuple[int, ...]], counts: Sequence[int]) -> Leveled:
    """The same, with the assignment that proves them."""
    spread = _Spread(members, sets, counts)
    todo: list[tuple[list[int], list[int]]] = []
    if members:
        todo.append((list(range(members)), list(range(len(sets)))))
    settled: list[Level] = []
    while todo:
        part, touching = todo.pop()
        units = sum(spread.load[m] for m in part)
        low, high = divmod(units, len(part))
        heavy = spread.shift(part, low + (high > 0)) or spread.shift(part, low)
        if not heavy:
            settled.append(Level(tuple(part), low, high))
            continue
        inside = [s for s in touching if heavy.issuperset(spread.sets[s])]
        outside = [s for s in touching if not heavy.issuperset(spread.sets[s])]
        for s in outside:
            if not heavy.isdisjoint(spread.sets[s]):
                spread.sets[s] = [m for m in spread.sets[s] if m not in heavy]
        todo.append(([m for m in part if m not in heavy], outside))
        todo.append(([m for m in part if m in heavy], inside))
    return Leveled(settled, spread.holds)


class _Spread:
    """How many units of which set each member holds, and the moves between them."""

    def __init__(self, members: int, sets: Sequence[tuple[int, ...]], counts: Sequence[int]) -> None:
        self.sets: list[Sequence[int]] = list(sets)
        self.load = [0] * members
        self.holds: list[dict[int, int]] = [{} for _ in range(members)]
        for s in sorted(range(len(sets)), key=lambda s: (len(sets[s]), s)):
            if counts[s]:
                self._pour(s, counts[s])

    def _pour(self, s: int, units: int) -> None:
        """Assign a set's units to its least loaded members, as water finds its level."""
        load = self.load
        members = sorted(self.sets[s], key=load.__getitem__)
        filled, below = 0, 0
        for filled, m in enumerate(members):
            if load[m] * filled - below >= units:
                break
            below += load[m]
        else:
            filled = len(members)
        surface, rest = divmod(units + below, filled)
        for index, m in enumerate(members[:filled]):
            amount = surface + (index < rest) - load[m]
            if amount > 0:
                load[m] += amount
                self.holds[m][s] = amount

    def shift(self, part: Iterable[int], cap: int) -> set[int]:
        """Move load from members above `cap` to members below it.

        Returns an empty set if no member stays above, or none below, else the members that those above still
        reach.
        """
        load = self.load
        while True:
            above = [m for m in part if load[m] > cap]
            if not above or all(load[m] >= cap for m in part):
                return set()
            layer, ring, room = self._layers(above, cap)
            if not room:
                return set(layer)
            self._push(above, cap, layer, ring)

    def _layers(self, above: list[int], cap: int) -> tuple[dict[int, int], dict[int, int], bool]:
        """How many moves lead from the overloaded to each member and set, and whether one has room."""
        load, holds, sets = self.load, self.holds, self.sets
        layer, ring = dict.fromkeys(above, 0), dict[int, int]()
        front, depth, room = above, 0, False
        while front and not room:
            depth += 1
            following = []
            for m in front:
                for s in holds[m]:
                    if s not in ring:
                        ring[s] = depth
                        for other in sets[s]:
                            if other not in layer:
                                layer[other] = depth
                                following.append(other)
                                room = room or load[other] < cap
            front = following
        return layer, ring, room

    def _push(self, above: list[int], cap: int, layer: dict[int, int], ring: dict[int, int]) -> None:
        """Shift along shortest residual paths until no such path is left (a blocking flow)."""
        load, sets = self.load, self.sets
        turn = dict.fromkeys(ring, 0)
        ways = {m: [s for s in self.holds[m] if ring.get(s) == layer[m] + 1] for m in layer}
        for start in above:
            path: list[tuple[int, int]] = []
            node = start
            while load[start] > cap:
                if path and load[node] < cap:
                    self._move([*path, (node, -1)], min(load[start] - cap, cap - load[node]))
                    path, node = [], start
                    continue
                step = None
                while ways[node]:
                    s = ways[node][-1]
                    if s not in self.holds[node]:
                        ways[node].pop()
                        continue
                    step = self._next(sets[s], turn, s, layer, layer[node] + 1)
                    if step is not None:
                        break
                    ways[node].pop()
                if step is not None:
                    path.append((node, s))
                    node = step
                elif path:
                    node, s = path.pop()
                    turn[s] += 1
                else:
                    break

    @staticmethod
    def _next(
        members: Sequence[int], turn: dict[int, int], s: int, layer: dict[int, int], depth: int
    ) -> int | None:
        """The member of the set where the search continues, skipping those of another layer."""
        index = turn[s]
        while index < len(members) and layer.get(members[index]) != depth:
            index += 1
        turn[s] = index
        return members[index] if index < len(members) else None

    def _move(self, path: list[tuple[int, int]], most: int) -> None:
        """Move up to `most` units from the first member of a path of (member, set) to the last."""
        holds = self.holds
        amount = min(most, *(holds[m][s] for m, s in path[:-1]))
        for (giver, s), (taker, _) in pairwise(path):
            holds[giver][s] -= amount
            if not holds[giver][s]:
                del holds[giver][s]
            holds[taker][s] = holds[taker].get(s, 0) + amount
        self.load[path[0][0]] -= amount
        self.load[path[-1][0]] += amount


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
