"""The representative of worlds that differ in names and numbers alone, which is the one that is walked.

By numbering (`Canonical`): generations count from 1, and ids from 1 a client.

By renaming (`LeastWorld`): the least of the worlds that some renamings make of one another, by stages.
The first stage keeps the renamings that minimise the coordinator, the next those of them that minimise
the clients, then the broker with its timers and log, then the rest. Results are cached by part, so a
world is looked up part by part, and none is renamed only for a comparison. Since the coordinator comes
first, it occurs under one name only: a walk caches its results by coordinator (docs/explorer-speed.md).
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import pairwise, permutations
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar

from kassay.model.explore.liveness import Deed, GroupSymmetry
from kassay.model.explore.states import Interned, Interner, Memo
from kassay.model.explore.values import Action
from kassay.model.protocols.values.marks import SAME, Count, Facts, Mark, facts_of_cell, rewritten
from kassay.model.protocols.world.context import NO_CELL, World

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


Places: TypeAlias = tuple[int, ...]
"""The new positions of client 0, of client 1, ..."""
Numbers: TypeAlias = tuple[int, ...]
"""The new numbers of partition 0, of partition 1, ...; () if partitions keep theirs."""
Adopted: TypeAlias = tuple[tuple[Any, int], ...]
"""The last client that adopted each partition that a zombie still holds."""

RankOf: TypeAlias = Callable[[Interned], Any]
"""The sort key of cells."""
NUMBER: Final[Callable[[Interned], int]] = attrgetter("number")
UNMOVED: Final = tuple(range(10))
"""The identity, for positions of clients and numbers of partitions."""

_CLIENT: Final = re.compile(r"\bc(\d)(?=m?-\d|\b)")
"""A client's name, or the first part of a member id."""

T = TypeVar("T")


class WorldRenaming(NamedTuple):
    """One renaming, of clients and of partitions."""

    places: Places
    numbers: Numbers = ()

    def then(self, other: WorldRenaming) -> WorldRenaming:
        """This renaming followed by the other."""
        places = tuple([other.places[place] for place in self.places])
        return WorldRenaming(places, tuple([other.numbers[number] for number in self.numbers]))

    def inverse(self) -> WorldRenaming:
        """The inverse renaming."""
        return WorldRenaming(sources(self.places), sources(self.numbers))


class LeastWorld(GroupSymmetry[World]):
    """The minimum of the worlds that a family of renamings makes of one world.

    Cells compare by the order of their creation, which is the same throughout one walk and in a second one;
    or by an `order`, if processes that create cells in different orders must agree (`StateCodec.cell_bytes`).
    """

    def __init__(self, order: RankOf = NUMBER) -> None:
        self._order = order
        # Sets of renamings that are kept together, one cell per distinct set: keys of memos.
        self._kept = Interner().cell
        self._first: Memo[Interned, Interned] = Memo()
        self._arranged: Memo[tuple[Interned, tuple[Interned, ...]], tuple[Interned, Any]] = Memo()
        self._hosted: Memo[tuple[Interned, Interned], tuple[Interned, Interned]] = Memo()

    @abstractmethod
    def candidates(self, coordinator: Interned, members: int) -> Iterable[WorldRenaming]:
        """Renamings that depend on no name: a renamed coordinator yields the same results."""

    @abstractmethod
    def shape(self, c: int, cell: Interned) -> Any:
        """A sort key for a cell that shows no name except that of client `c`."""

    @abstractmethod
    def part(self, cell: Interned, way: WorldRenaming) -> Interned:
        """The cell renamed."""

    @abstractmethod
    def adopted(self, adopted: Adopted, way: WorldRenaming) -> Adopted:
        """The adopting clients, renamed."""

    @abstractmethod
    def offsets(self, cell: Interned, way: WorldRenaming) -> Interned:
        """The history of offsets, renamed."""

    def __call__(self, state: World) -> World:
        """The minimal world."""
        before, host, image, budget, adopted, offsets = state
        clients, broker, ways = self._renamed(before, host)
        if adopted or offsets is not NO_CELL:
            way = self._last(adopted, offsets, ways)[0]
            return World(
                clients, broker, image, budget, self.adopted(adopted, way), self.offsets(offsets, way)
            )
        if broker is host and clients == before:
            return state
        return World(clients, broker, image, budget, adopted, offsets)

    def ways(self, state: World) -> tuple[WorldRenaming, ...]:
        """All renamings from this world to the minimal one."""
        _, _, ways = self._renamed(state.clients, state.broker)
        return self._last(state.adopted, state.offsets, ways)

    def deed(self, action: Action, way: WorldRenaming) -> Deed:
        """Actor and name of an action, every client under its new name."""
        return _spoken(action.actor, way.places), _spoken(action.name, way.places)

    def world(self, state: World, way: WorldRenaming) -> World:
        """The world renamed."""
        before, broker, image, budget, adopted, offsets = state
        return World(
            self._clients(before, way),
            self.part(broker, way),
            image,
            budget,
            self.adopted(adopted, way),
            self.offsets(offsets, way),
        )

    def _clients(self, clients: tuple[Interned, ...], way: WorldRenaming) -> tuple[Interned, ...]:
        return tuple([self.part(clients[c], way) for c in sources(way.places)])

    def _renamed(
        self, before: tuple[Interned, ...], host: Interned
    ) -> tuple[tuple[Interned, ...], Interned, Interned]:
        """Minimal clients and broker, and the renamings that lead to them."""
        coordinator = host.value.coordinator
        ways = self._first.get(coordinator)
        if ways is None:
            ways = self._first[coordinator] = self._kept(self._of_coordinator(coordinator, len(before)))
        arranged = self._arranged.get((ways, before))
        if arranged is None:
            arranged = self._arranged[ways, before] = self._of_clients(ways.value, before)
        ways, clients = arranged
        hosted = self._hosted.get((ways, host))
        if hosted is None:
            hosted = self._hosted[ways, host] = self._of_host(ways.value, host)
        ways, broker = hosted
        return clients, broker, ways

    def _of_coordinator(self, coordinator: Interned, members: int) -> tuple[WorldRenaming, ...]:
        ways = tuple(self.candidates(coordinator, members))
        return least(ways, lambda way: self._order(self.part(coordinator, way)))

    def _of_clients(
        self, ways: tuple[WorldRenaming, ...], clients: tuple[Interned, ...]
    ) -> tuple[Interned, tuple[Interned, ...]]:
        """The renamings that minimise the clients, first by their shapes; and their result."""
        if len(ways) > 1:
            shapes = [self.shape(c, cell) for c, cell in enumerate(clients)]
            ways = least(ways, lambda way: [shapes[c] for c in sources(way.places)])
        ways = least(ways, lambda way: [*map(self._order, self._clients(clients, way))])
        return self._kept(ways), self._clients(clients, ways[0])

    def _of_host(self, ways: tuple[WorldRenaming, ...], host: Interned) -> tuple[Interned, Interned]:
        ways = least(ways, lambda way: self._order(self.part(host, way)))
        return self._kept(ways), self.part(host, ways[0])

    def _last(self, adopted: Adopted, offsets: Interned, kept: Interned) -> tuple[WorldRenaming, ...]:
        """The renamings that minimise everything except clients and broker."""
        ways: tuple[WorldRenaming, ...] = kept.value
        ways = least(ways, lambda way: self.adopted(adopted, way))
        return least(ways, lambda way: self._order(self.offsets(offsets, way)))


def least(items: tuple[T, ...], key: Callable[[T], Any]) -> tuple[T, ...]:
    """All items with the minimal key."""
    if len(items) == 1:
        return items
    keys = [*map(key, items)]
    lowest = min(keys)
    return tuple([item for item, each in zip(items, keys) if each == lowest])


@cache
def _spoken(text: str, places: Places) -> str:
    """A text with clients and member ids renamed."""
    return _CLIENT.sub(lambda match: f"c{places[int(match.group(1)) - 1] + 1}", text)


@cache
def sources(places: Places) -> Places:
    """The client that moves to position 0, to position 1, ..."""
    return tuple(map(places.index, range(len(places))))


@cache
def orders_of(ranks: tuple[int, ...]) -> tuple[Places, ...]:
    """The permutations that sort the ranks; `ranks` holds each one's index among the sorted."""
    wanted = sorted(ranks)
    return tuple(
        places
        for places in permutations(range(len(ranks)))
        if all(wanted[place] == rank for place, rank in zip(places, ranks))
    )


def ranked(keys: Sequence[Any]) -> tuple[int, ...]:
    """The index of each key among the sorted."""
    return tuple(map(sorted(keys).index, keys))
