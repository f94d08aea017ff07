"""One representative of the worlds that differ only in who is who among clients configured alike.

Sound where names never matter: no instance ids tell the clients apart, and the assignor answers alike
under any names (any-balanced, which gives every balanced answer). Member ids, client names and request
numbers are rewritten together, in clients, coordinator, messages under way and the history of offsets alike,
and what is kept in the order of member ids is sorted anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from operator import attrgetter
from typing import Any, Final, TypeAlias

from kassay.model.explore.interned import Interned, Interner, Memo
from kassay.model.protocols.clients.any_balanced import AnyBalanced, balanced_targets
from kassay.model.protocols.clients.any_balanced_tasks import balanced_tasks
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.values.choices import nobody_assigns
from kassay.model.protocols.values.in_flight import CONNECTION, HEARTBEAT_OFFSET
from kassay.model.protocols.values.marks import Mark, rewritten
from kassay.model.protocols.world.models.classic import ClassicModel
from kassay.model.protocols.world.parts.context import NO_CELL, World
from kassay.model.protocols.world.parts.levels import NetworkLevel
from kassay.model.protocols.world.parts.offsets import with_clients_at

Places: TypeAlias = tuple[int, ...]
"""The new place of client 0, of client 1, ..."""

UNMOVED: Final = tuple(range(10))
"""The places of clients, and the numbers of partitions, as they are."""
ORDERED: Final = frozenset({"dup_claim_unchecked"})
"""Switches under which any-balanced honours the first of two claims, and so reads the order of members."""

_NAME: Final = re.compile(r"^c(\d)(m?-\d)?$")
_OTHER: Final = 8
NUMBER: Final[Callable[[Interned], int]] = attrgetter("number")

RankOf: TypeAlias = Callable[[Interned], Any]
"""By what cells compare."""


def distinguished(model: Any) -> str:
    """Why the clients of a model are not interchangeable, or "" if they are; asked of a clock's `inner`."""
    if not isinstance(model, ClassicModel):
        return "only clients of the classic protocol, of KIP-848 and of Streams groups can be renamed"
    options, configs = model.options, model.context.configs
    if options.members < 2:
        return "there is one client"
    if options.network is NetworkLevel.ASTRAY:
        return "where messages go astray one walks at random"
    if any(options.instances):
        return "instance ids tell static members apart"
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
    """What a client is configured with, but for its name and that of a process of its own."""
    process = "" if config.process_id == config.client_id else config.process_id
    return config._replace(client_id="", process_id=process)


class ClientSymmetry:
    """The representative of a world under all ways to rename its clients.

    Clients are sorted by their shape, which is what is left of a value once the other clients' names are
    blanked; only where shapes are equal are the orders tried, and the least world taken. Cells compare by
    the number they were made under, the same throughout one walk and in a second one; or by an `order`, where
    processes that make cells in different orders must agree (`StateCodec.cell_digest`). `plain` takes from a
    value what its shape is not to show.
    """

    def __init__(
        self, interner: Interner, order: RankOf = NUMBER, plain: Callable[[Any], Any] = lambda value: value
    ) -> None:
        self._cell = interner.cell
        self._order = order
        self._plain = plain
        self._shape_cell = Interner().cell
        self._shapes: Memo[tuple[int, Interned], Any] = Memo()
        self._moved: Memo[tuple[Interned, Places], Interned] = Memo()

    def __call__(self, state: World) -> World:
        """The same world, its clients in an order that depends on no name."""
        worlds = self.orders(state)
        return worlds[0] if len(worlds) == 1 else min(worlds, key=self._rank)

    def orders(self, state: World) -> list[World]:
        """The same world in every order of clients that puts their shapes in order."""
        return [self.renamed(state, places) for places in self.places(state.clients)]

    def places(
        self, clients: tuple[Interned, ...], beside: Sequence[Any] = (), before: Sequence[Any] = ()
    ) -> tuple[Places, ...]:
        """The ways to put clients in the order of their shapes, and of what stands before or beside these."""
        shapes: list[Any] = []
        for c, cell in enumerate(clients):
            shape = self._shapes.get((c, cell))
            if shape is None:
                shape = self._shapes[c, cell] = self._shape(c, cell)
            shapes.append(shape)
        if beside:
            shapes = [*zip(shapes, beside, strict=True)]
        if before:
            shapes = [*zip(before, shapes, strict=True)]
        return orders_of(tuple(map(sorted(shapes).index, shapes)))

    def _rank(self, state: World) -> tuple[Any, ...]:
        return rank_of(state, self._order)

    def _shape(self, c: int, cell: Interned) -> Any:
        return self._order(self._shape_cell(self.shown(c, cell)))

    def shown(self, c: int, cell: Interned) -> Any:
        """What is left of a cell's value once the names of all clients but this one are blanked."""
        others = tuple(0 if other == c else _OTHER for other in range(c + 1))
        return self._plain(self._renamed(cell.value, (*others, *[_OTHER] * _OTHER)))

    def renamed(self, state: World, places: Places) -> World:
        """The world with every client in its new place."""
        if places == UNMOVED[: len(places)]:
            return state
        known, part = self._moved.get, self._part
        before, broker, image, budget, adopted, offsets = state
        clients: list[Any] = [None] * len(places)
        for cell, place in zip(before, places):
            clients[place] = known((cell, places)) or part(cell, places)
        if adopted:
            adopted = tuple([(tp, places[c]) for tp, c in adopted])
        if offsets is not NO_CELL:
            offsets = self._offsets(offsets, places)
        moved = known((broker, places)) or part(broker, places)
        return World(tuple(clients), moved, image, budget, adopted, offsets)

    def _offsets(self, cell: Interned, places: Places) -> Interned:
        """The history of offsets with every client in its new place."""
        part = self._moved.get((cell, places))
        if part is None:
            part = self._moved[cell, places] = self._cell(with_clients_at(cell.value, places))
        return part

    def _part(self, cell: Interned, places: Places) -> Interned:
        part = self._moved.get((cell, places))
        if part is None:
            value = self._renamed(cell.value, places)
            part = self._moved[cell, places] = cell if value is cell.value else self._cell(value)
        return part

    def _renamed(self, value: Any, places: Places) -> Any:
        """The value with clients renamed."""

        def change(mark: Mark, part: Any) -> Any:
            if mark is Mark.MEMBER_ID or mark is Mark.CLIENT_ID:
                return _name(part, places)
            if mark is Mark.REQUEST:
                return _request(part, places)
            return self._part(part, places) if mark is Mark.CELL else part

        return rewritten(value, change)


def rank_of(state: World, order: RankOf) -> tuple[Any, ...]:
    """What tells worlds of one class apart, and orders them."""
    offsets = () if state.offsets is NO_CELL else order(state.offsets)
    return *[order(cell) for cell in state.clients], order(state.broker), state.adopted, offsets


@cache
def orders_of(ranks: tuple[int, ...]) -> tuple[Places, ...]:
    """The permutations that put the ranks in order; `ranks` holds each one's index among the sorted."""
    wanted = sorted(ranks)
    return tuple(
        places
        for places in permutations(range(len(ranks)))
        if all(wanted[place] == rank for place, rank in zip(places, ranks))
    )


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
