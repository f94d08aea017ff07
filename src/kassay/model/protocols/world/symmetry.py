"""Symmetry reduction over identical clients and over the partitions of a topic.

Clients. Sound if names never matter: no instance ids distinguish the clients, and the assignor gives the
same answers under any names (any-balanced, which gives every balanced answer). Member ids, client names
and request numbers are rewritten together in clients, coordinator, messages in flight and the history of
offsets, and anything ordered by member id is sorted again.

Partitions. Sound if partition numbers never matter: any-balanced assigns partitions without regard to
their numbers, and no topic grows or is deleted. Renamings of partitions and of clients commute: steps
that respect each of them respect both together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby, permutations, product
from typing import Any, Final

from kassay.model.cluster import TopicPartition
from kassay.model.explore.states import Interned, Interner, Memo
from kassay.model.protocols.clients.any_balanced import AnyBalanced, balanced_targets, balanced_tasks
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.values.choices import nobody_assigns
from kassay.model.protocols.values.in_flight import CONNECTION, HEARTBEAT_OFFSET
from kassay.model.protocols.values.marks import Mark, rewritten
from kassay.model.protocols.world.canonical import (
    NUMBER,
    UNMOVED,
    Adopted,
    LeastWorld,
    Numbers,
    Places,
    RankOf,
    WorldRenaming,
    least,
    orders_of,
    ranked,
)
from kassay.model.protocols.world.context import NO_CELL, NetworkLevel, World
from kassay.model.protocols.world.groups import ClassicModel, ConsumerModel
from kassay.model.protocols.world.offsets import with_clients_at

ORDERED: Final = frozenset({"dup_claim_unchecked"})
"""Switches under which any-balanced accepts the first of two reports, and so depends on member order."""

_NAME: Final = re.compile(r"^c(\d)(m?-\d)?$")
_OTHER: Final = 8


def distinguished(model: Any) -> str:
    """Why the clients of a model are not interchangeable, or "" if they are; looks inside a timed model."""
    if not isinstance(model, ClassicModel):
        return "only clients of the classic protocol, of KIP-848 and of Streams groups can be renamed"
    options, configs = model.options, model.context.configs
    if options.members < 2:
        return "there is one client"
    if options.network is NetworkLevel.ASTRAY:
        return "a network on which messages go astray allows only random walks"
    if any(options.instances):
        return "instance ids distinguish static members"
    if len({_without_names(config) for config in configs}) > 1 or len(set(getattr(model, "kinds", ()))) > 1:
        return "the clients are configured differently"
    targets = model.context.brokers.targets
    if not isinstance(model.assign, AnyBalanced) or (
        hasattr(model, "kinds") and targets is not balanced_targets
    ):
        return "a named assignor may read names"
    if switches := sorted(options.switches & ORDERED):
        return f"{', '.join(switches)} reads the order of members"
    return _of_tasks(model)


def _of_tasks(model: ClassicModel) -> str:
    """Why the stream threads of a model are not interchangeable, or "" if they are, or it has none."""
    if model.context.brokers.tasks not in (nobody_assigns, balanced_tasks):
        return "a named assignor may read names"
    if model.context.brokers.config.streams.warms_up:
        return "warm-up tasks are given in the order of members"
    if model.context.brokers.tasks is balanced_tasks and model.options.compacted:
        return "the records of a Streams group are appended in the order of members"
    return ""


def _without_names(config: ClientConfig) -> ClientConfig:
    """The configuration of a client without its name and that of a process of its own."""
    process = "" if config.process_id == config.client_id else config.process_id
    return config._replace(client_id="", process_id=process)


class ClientSymmetry(LeastWorld):
    """The representative of a world under all renamings of its clients.

    A client's shape is a value with the other clients' names blanked; `plain` removes from a value what the
    shape must not show.
    """

    def __init__(
        self, interner: Interner, order: RankOf = NUMBER, plain: Callable[[Any], Any] = lambda value: value
    ) -> None:
        super().__init__(order)
        self._cell = interner.cell
        self._plain = plain
        self._shape_cell = Interner().cell
        self._shapes: Memo[tuple[int, Interned], Any] = Memo()
        self._moved: Memo[tuple[Interned, Places], Interned] = Memo()

    def candidates(self, coordinator: Interned, members: int) -> Iterator[WorldRenaming]:
        """The renamings that order clients by their shapes in the coordinator.

        Shapes exclude its timers and log: the log is ordered by names, so even with two names blanked it
        would reveal them.
        """
        shapes = [self.shape(c, coordinator) for c in range(members)]
        return map(WorldRenaming, orders_of(ranked(shapes)))

    def shape(self, c: int, cell: Interned) -> Any:
        """A cell with the names of all other clients blanked."""
        shape = self._shapes.get((c, cell))
        if shape is None:
            others = tuple(0 if other == c else _OTHER for other in range(c + 1))
            # Numbers first: blanked members are ordered by all their other fields.
            shown = self.value(self._plain(cell.value), (*others, *[_OTHER] * _OTHER))
            shape = self._shapes[c, cell] = self._order(self._shape_cell(shown))
        return shape

    def renamed(self, state: World, places: Places) -> World:
        """The world with every client at its new position."""
        return self.world(state, WorldRenaming(places))

    def part(self, cell: Interned, way: WorldRenaming) -> Interned:
        """The cell with clients renamed."""
        return self._part(cell, way.places)

    def adopted(self, adopted: Adopted, way: WorldRenaming) -> Adopted:
        """The adopting clients, every client under its new name."""
        places = way.places
        return tuple([(tp, places[c]) for tp, c in adopted])

    def offsets(self, cell: Interned, way: WorldRenaming) -> Interned:
        """The history of offsets with every client at its new position."""
        if cell is NO_CELL:
            return cell
        part = self._moved.get((cell, way.places))
        if part is None:
            moved = with_clients_at(cell.value, way.places)
            part = self._moved[cell, way.places] = self._cell(moved)
        return part

    def _part(self, cell: Interned, places: Places) -> Interned:
        if places == UNMOVED[: len(places)]:
            return cell
        part = self._moved.get((cell, places))
        if part is None:
            value = self.value(cell.value, places)
            part = self._moved[cell, places] = cell if value is cell.value else self._cell(value)
        return part

    def value(self, value: Any, places: Places) -> Any:
        """The value with clients renamed."""

        def change(mark: Mark, part: Any) -> Any:
            if mark is Mark.MEMBER_ID or mark is Mark.CLIENT_ID:
                return _name(part, places)
            if mark is Mark.REQUEST:
                return _request(part, places)
            return self._part(part, places) if mark is Mark.CELL else part

        return rewritten(value, change)


@cache
def _name(text: str, places: Places) -> str:
    match = _NAME.match(text)
    if match is None:
        return text
    return f"c{places[int(match.group(1)) - 1] + 1}{match.group(2) or ''}"


def _request(number: int, places: Places) -> int:
    if number < 0:
        return number
    heartbeat, rest = divmod(number, HEARTBEAT_OFFSET)
    connection, c = divmod(rest, CONNECTION)
    return heartbeat * HEARTBEAT_OFFSET + connection * CONNECTION + places[c]


CHANGING: Final = ("partitions", "topic", "delete", "shrink", "subscribe")
"""Faults that change the existing partitions, or their subscribers."""
_DATED: Final = (("assigned", "assigned_epochs"), ("pending", "pending_epochs"))
"""Fields with partitions, each with the field of their epochs in the same order."""


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
        return f"{', '.join(faults)} changes the existing partitions"
    return ""


class PartitionSymmetry(LeastWorld):
    """The representative of a world under all renamings of clients and partitions.

    For each order of the clients that their shapes in the coordinator allow (`ClientSymmetry`, with shapes
    that contain no partition number), partitions are sorted by their traces: the trace of a partition is the
    coordinator with all other partitions blanked. Among the orders with the minimal traces, and the
    numberings if some traces are equal, the rest of the world decides.
    """

    def __init__(self, partitions: int, interner: Interner, order: RankOf = NUMBER) -> None:
        super().__init__(order)
        self._partitions = partitions
        self._cell = interner.cell
        self._clients_alone = ClientSymmetry(interner, order, self._blank)
        self._trace_cell = Interner().cell
        self._traces: Memo[Interned, tuple[Any, ...]] = Memo()
        self._moved: Memo[tuple[Interned, WorldRenaming], Interned] = Memo()
        self._blanks = (_OTHER,) * partitions
        places = range(partitions)
        self._alone = tuple(tuple(0 if other == one else _OTHER for other in places) for one in places)

    def candidates(self, coordinator: Interned, members: int) -> Iterator[WorldRenaming]:
        """The orders of clients by shape and the numberings by trace that give the minimal traces."""
        orders = tuple(way.places for way in self._clients_alone.candidates(coordinator, members))
        for places in least(orders, lambda places: sorted(self._traces_under(coordinator, places))):
            for numbers in _in_order(ranked(self._traces_under(coordinator, places))):
                yield WorldRenaming(places, numbers)

    def shape(self, c: int, cell: Interned) -> Any:
        """A cell in which only this client has a name."""
        return self._clients_alone.shape(c, cell)

    def renamed(self, state: World, places: Places, numbers: Numbers) -> World:
        """The world with every client at its new position and every partition under its new number."""
        return self.world(state, WorldRenaming(places, numbers))

    def part(self, cell: Interned, way: WorldRenaming) -> Interned:
        """The cell with clients and partitions renamed."""
        part = self._moved.get((cell, way))
        if part is None:
            value = cell.value
            if way.places != UNMOVED[: len(way.places)]:
                value = self._clients_alone.value(value, way.places)
            if way.numbers != UNMOVED[: len(way.numbers)]:
                value = self._renumbered(value, way.numbers)
            part = self._moved[cell, way] = cell if value is cell.value else self._cell(value)
        return part

    def adopted(self, adopted: Adopted, way: WorldRenaming) -> Adopted:
        """The adopting clients, every client and every partition under its new name."""
        places, numbers = way
        return tuple(sorted([(_of(tp, numbers), places[c]) for tp, c in adopted]))

    def offsets(self, cell: Interned, way: WorldRenaming) -> Interned:  # noqa: ARG002 - `numbered` excludes offsets
        """Unchanged, since there are none."""
        return cell

    def _traces_under(self, coordinator: Interned, places: Places) -> tuple[Any, ...]:
        """The trace of each partition in a coordinator, with its clients at these positions."""
        cell = self._clients_alone.part(coordinator, WorldRenaming(places))
        traces = self._traces.get(cell)
        if traces is None:
            traces = self._traces[cell] = tuple(
                self._order(self._trace_cell(self._renumbered(cell.value, alone))) for alone in self._alone
            )
        return traces

    def _blank(self, value: Any) -> Any:
        return self._renumbered(value, self._blanks)

    def _renumbered(self, value: Any, numbers: Numbers) -> Any:
        """The value with partitions renamed, sorted again if they were sorted."""
        kind: Any = type(value)
        if kind is Interned:
            return self.part(value, WorldRenaming((), numbers))
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
    """A member's value with its epochs again in the order of their partitions."""
    for held, epochs in _DATED:
        if dates := getattr(before, epochs):
            moved = sorted(zip((_of(tp, numbers) for tp in getattr(before, held)), dates, strict=True))
            after = after._replace(**{epochs: tuple(date for _, date in moved)})
    return after


def _of(tp: TopicPartition, numbers: Numbers) -> TopicPartition:
    """The partition under its new number; markers for no partition stay unchanged."""
    return tp if tp.partition < 0 else TopicPartition(tp.topic, numbers[tp.partition])


@cache
def _in_order(ranks: Numbers) -> tuple[Numbers, ...]:
    """The numberings that sort the ranks; `ranks` holds each one's index among the sorted."""
    return tuple(_arrangements(ranks))


def _arrangements(ranks: Numbers) -> Iterator[Numbers]:
    rank = ranks.__getitem__
    tied = [[*group] for _, group in groupby(sorted(range(len(ranks)), key=rank), rank)]
    for orders in product(*map(permutations, tied)):
        order = [number for group in orders for number in group]
        yield tuple(map(order.index, range(len(ranks))))
