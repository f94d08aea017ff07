"""One representative of the worlds that differ only in which partition of their topic is which.

Sound where numbers of partitions never matter: any-balanced deals partitions without looking at their
numbers, and a topic neither grows nor goes. Renaming partitions and renaming clients can change places: what
the steps respect of either they respect of both together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby, permutations, product
from typing import Any, Final, TypeAlias

from kassay.model.cluster import TopicPartition
from kassay.model.explore.interned import Interned, Interner, Memo
from kassay.model.protocols.world.models.classic import ClassicModel
from kassay.model.protocols.world.models.client_symmetry import (
    NUMBER,
    UNMOVED,
    ClientSymmetry,
    RankOf,
    distinguished,
    rank_of,
)
from kassay.model.protocols.world.models.consumer import ConsumerModel
from kassay.model.protocols.world.parts.context import World

Numbers: TypeAlias = tuple[int, ...]
"""The new number of partition 0, of partition 1, ..."""

CHANGING: Final = ("partitions", "topic", "delete", "shrink", "subscribe")
"""Faults that change what partitions there are, or who reads them."""
_DATED: Final = (("assigned", "assigned_epochs"), ("pending", "pending_epochs"))
"""Fields that hold partitions, with those that say of each, in its place, since when it is there."""
_OTHER: Final = 8


def numbered(model: Any) -> str:
    """Why the partitions of a model are not interchangeable, or "" if they are."""
    if type(model) not in (ClassicModel, ConsumerModel):
        return "only partitions of the classic protocol and of KIP-848, without a clock, can be renamed"
    if names := distinguished(model):
        return names
    options = model.options
    if len(options.topics) > 1 or options.reads or options.pattern or options.regex or options.new_topics:
        return "there may be several topics"
    if options.partitions < 2:
        return "there is one partition"
    if options.records:
        return "the history of offsets is not renumbered"
    if faults := [name for name in CHANGING if getattr(options.faults, name)]:
        return f"{', '.join(faults)} changes what there is to read"
    return ""


class PartitionSymmetry:
    """The representative of a world under all ways to rename clients and partitions.

    For each order of the clients that their shapes allow (`ClientSymmetry`, whose shapes here hold no number
    of a partition), partitions are sorted by their traces, which are what is left of the world once all other
    partitions are blanked; only where traces are equal are the orders tried. Which worlds are tried depends
    on no name and no number, and of them the least is taken.
    """

    def __init__(self, partitions: int, interner: Interner, order: RankOf = NUMBER) -> None:
        self._partitions = partitions
        self._cell = interner.cell
        self._order = order
        self._clients = ClientSymmetry(interner, order, self._blank)
        self._trace_cell = Interner().cell
        self._traces: Memo[Interned, tuple[Any, ...]] = Memo()
        self._moved: Memo[tuple[Interned, Numbers], Interned] = Memo()
        self._blanks = (_OTHER,) * partitions
        places = range(partitions)
        self._alone = tuple(tuple(0 if other == one else _OTHER for other in places) for one in places)

    def __call__(self, state: World) -> World:
        """The same world, its clients and partitions in an order that depends on no name and no number."""
        worlds = [
            self.renumbered(world, numbers)
            for world in self._clients.orders(state)
            for numbers in self._numberings(world)
        ]
        return worlds[0] if len(worlds) == 1 else min(worlds, key=self._rank)

    def renamed(self, state: World, places: tuple[int, ...], numbers: Numbers) -> World:
        """The world with every client in its new place and every partition under its new number."""
        return self.renumbered(self._clients.renamed(state, places), numbers)

    def renumbered(self, state: World, numbers: Numbers) -> World:
        """The world with every partition under its new number."""
        if numbers == UNMOVED[: len(numbers)]:
            return state
        known, part = self._moved.get, self._part
        before, broker, image, budget, adopted, offsets = state
        clients = tuple([known((cell, numbers)) or part(cell, numbers) for cell in before])
        if adopted:
            adopted = tuple(sorted([(_of(tp, numbers), c) for tp, c in adopted]))
        moved = known((broker, numbers)) or part(broker, numbers)
        return World(clients, moved, image, budget, adopted, offsets)

    def _rank(self, state: World) -> tuple[Any, ...]:
        return rank_of(state, self._order)

    def _numberings(self, state: World) -> tuple[Numbers, ...]:
        """The ways to number the partitions that put their traces in order."""
        cells = [self._traces_of(cell) for cell in (*state.clients, state.broker)]
        heirs = {tp.partition: c for tp, c in state.adopted}
        traces = [(*trace, heirs.get(number, -1)) for number, trace in enumerate(zip(*cells))]
        return _in_order(tuple(map(sorted(traces).index, traces)))

    def _traces_of(self, cell: Interned) -> tuple[Any, ...]:
        """What each partition alone leaves in a cell; equal where two may change places in it."""
        traces = self._traces.get(cell)
        if traces is None:
            traces = self._traces[cell] = tuple(
                self._order(self._trace_cell(self._renumbered(cell.value, alone))) for alone in self._alone
            )
        return traces

    def _blank(self, value: Any) -> Any:
        return self._renumbered(value, self._blanks)

    def _part(self, cell: Interned, numbers: Numbers) -> Interned:
        part = self._moved.get((cell, numbers))
        if part is None:
            value = self._renumbered(cell.value, numbers)
            part = self._moved[cell, numbers] = cell if value is cell.value else self._cell(value)
        return part

    def _renumbered(self, value: Any, numbers: Numbers) -> Any:
        """The value with partitions renamed, in their natural order where they were in it."""
        kind: Any = type(value)
        if kind is Interned:
            return self._part(value, numbers)
        if kind is TopicPartition:
            return _of(value, numbers)
        if not isinstance(value, tuple) or not value:
            return value
        after = [self._renumbered(item, numbers) for item in value]
        if all(one is other for one, other in zip(after, value)):
            return value
        if kind is tuple:
            return tuple(sorted(after) if type(value[0]) is TopicPartition else after)
        moved: Any = kind._make(after)
        return _dated(value, moved, numbers) if hasattr(moved, "assigned_epochs") else moved


def _dated(before: Any, after: Any, numbers: Numbers) -> Any:
    """A member's value whose epochs stand again in the order of the partitions that they are of."""
    for held, epochs in _DATED:
        if dates := getattr(before, epochs):
            moved = sorted(zip((_of(tp, numbers) for tp in getattr(before, held)), dates, strict=True))
            after = after._replace(**{epochs: tuple(date for _, date in moved)})
    return after


def _of(tp: TopicPartition, numbers: Numbers) -> TopicPartition:
    """The partition under its new number; what stands for none keeps its own."""
    return tp if tp.partition < 0 else TopicPartition(tp.topic, numbers[tp.partition])


@cache
def _in_order(ranks: Numbers) -> tuple[Numbers, ...]:
    """The numberings that put the ranks in order; `ranks` holds each one's index among the sorted."""
    return tuple(_arrangements(ranks))


def _arrangements(ranks: Numbers) -> Iterator[Numbers]:
    rank = ranks.__getitem__
    tied = [[*group] for _, group in groupby(sorted(range(len(ranks)), key=rank), rank)]
    for orders in product(*map(permutations, tied)):
        order = [number for group in orders for number in group]
        yield tuple(map(order.index, range(len(ranks))))
