"""Every small case of a kind, cell by cell: so many members on so many partitions, in every order of names.

A cell of consumer or share groups has all subscriptions and, apart from these, all pasts in which each
partition was owned by one reader or by nobody; one of placement all racks, replication factors and starts;
one of plans racks, factors and all placements before; one of tasks all threads and subtopologies, one of
Connect all connectors, and, apart from these, whatever may happen next.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, product
from typing import Any, Final, NamedTuple

from kassay.kinds.connect.scopes import connect_cell
from kassay.kinds.groups.scopes import cell_cases
from kassay.kinds.placement.kind import PlacementCase
from kassay.kinds.placement.scopes import plan_cell, racks_of
from kassay.kinds.streams.scopes import task_cell
from kassay.model.cluster import Broker
from kassay.model.connect.kinds import CONNECT
from kassay.model.groups.kinds import GROUPS
from kassay.model.kinds import Kind
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.request import PlacementRequest
from kassay.model.streams.kinds import STREAMS


class ScopeCell(NamedTuple):
    """So many members (brokers, processes) on so many partitions (tasks); `pasts`: with something before."""

    members: int
    partitions: int
    pasts: bool

    @property
    def size(self) -> tuple[int, int]:
        """Members and partitions."""
        return self.members, self.partitions


LADDER: Final = (
    (1, 1),
    (2, 2),
    (2, 3),
    (3, 3),
    (3, 4),
    (4, 4),
    (4, 5),
    (4, 6),
    (5, 6),
    (5, 8),
    (6, 8),
    (7, 8),
)
"""The scopes that are finished one after the other, each within the next."""
WITH_PASTS: Final = {
    **dict.fromkeys(GROUPS, True),
    PLACER: False,
    PLANNER: False,
    STREAMS: True,
    CONNECT: True,
}
"""The kinds that have cells, and whether these have a past apart.

Partitioners have none: a key may be anything, and what it is decides where it goes.
"""
USUAL: Final = {**dict.fromkeys(WITH_PASTS, (3, 3)), PLANNER: (3, 2)}
"""The scope where no clock is looked at and none is asked for; plans of 3 x 3 are 90,000."""


def ladder(kind: Kind, most: tuple[int, int] | None) -> Iterator[tuple[tuple[int, int], list[ScopeCell]]]:
    """The scopes in order, each with the cells that the ones before have not; up to `most`, which ends it.

    In a scope smaller groups come before larger ones: members first, then partitions.
    """
    rungs = [rung for rung in LADDER if most is None or (rung[0] <= most[0] and rung[1] <= most[1])]
    if most is not None and most not in rungs:
        rungs.append(most)
    done: set[ScopeCell] = set()
    for members, partitions in rungs:
        pasts = (False, True) if WITH_PASTS[kind] else (False,)
        cells = [
            ScopeCell(m, p, past)
            for m, p in product(range(1, members + 1), range(1, partitions + 1))
            for past in pasts
        ]
        fresh = [cell for cell in cells if cell not in done]
        done.update(fresh)
        yield (members, partitions), fresh


def cases(
    kind: Kind, cell: ScopeCell, *, equal: bool = False, racks: bool = True, alike_by_rack: bool = False
) -> Iterator[Any]:
    """The cases of a cell; `equal`: of equal subscriptions alone; without `racks` of brokers without.

    `alike_by_rack`: of requests that differ in nothing but the ids of brokers, the order within each rack
    being the same, one (`Target.alike_by_rack`).
    """
    if kind is PLACER:
        return _requests(cell, racks, alike_by_rack)
    if kind is PLANNER:
        return plan_cell(cell.members, cell.partitions, racks)
    if kind is STREAMS:
        return task_cell(*cell)
    if kind is CONNECT:
        return connect_cell(*cell)
    return cell_cases(cell.members, cell.partitions, equal=equal, pasts=cell.pasts)


def _requests(cell: ScopeCell, racks: bool, alike_by_rack: bool) -> Iterator[PlacementCase]:
    """No racks, then all racks, the evenest first; all replication factors, each from every start."""
    layouts = racks_of(cell.members, runs=alike_by_rack) if racks else ()
    for placed in chain((None,), layouts):
        brokers = tuple(Broker(i, None if placed is None else f"r{placed[i]}") for i in range(cell.members))
        for factor, start in product(range(1, cell.members + 1), range(cell.members)):
            yield PlacementCase(
                PlacementRequest(cell.partitions, factor, brokers, fixed_start_index=start), start
            )
