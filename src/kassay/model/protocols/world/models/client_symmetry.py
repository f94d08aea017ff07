"""Symmetry reduction over identically configured clients.

Sound if names never matter: no instance ids distinguish the clients, and the assignor gives the same answers
under any names (any-balanced, which gives every balanced answer). Member ids, client names and request
numbers are rewritten together in clients, coordinator, messages in flight and the history of offsets, and
anything ordered by member id is sorted again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final

from kassay.model.explore.interned import Interned, Interner, Memo
from kassay.model.protocols.clients.any_balanced import AnyBalanced, balanced_targets
from kassay.model.protocols.clients.any_balanced_tasks import balanced_tasks
from kassay.model.protocols.clients.config import ClientConfig
from kassay.model.protocols.values.choices import nobody_assigns
from kassay.model.protocols.values.in_flight import CONNECTION, HEARTBEAT_OFFSET
from kassay.model.protocols.values.marks import Mark, rewritten
from kassay.model.protocols.world.models.classic import ClassicModel
from kassay.model.protocols.world.models.least_world import (
    NUMBER,
    UNMOVED,
    Adopted,
    LeastWorld,
    Places,
    RankOf,
    WorldRenaming,
    orders_of,
    ranked,
)
from kassay.model.protocols.world.parts.context import NO_CELL, World
from kassay.model.protocols.world.parts.levels import NetworkLevel
from kassay.model.protocols.world.parts.offsets import with_clients_at

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
