"""Every small case of a kind, cell by cell: so many members on so many partitions, in every order of names.

A cell of consumer groups has all subscriptions and, apart from these, all pasts in which each partition was
owned by one reader or by nobody; one of placement all racks, replication factors and starts; one of tasks
all threads and subtopologies and, apart from these, whatever one process may do next.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Final, NamedTuple

from kassay.certify.kinds.exhaustive import cell_cases
from kassay.certify.kinds.placements import PlacementCase
from kassay.model.cluster import Broker
from kassay.model.kinds import CONSUMER_GROUPS, Kind
from kassay.model.placement.request import PlacementRequest
from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    TaskEvent,
    ThreadsChange,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.properties.streams.scenarios import process_id


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
WITH_PASTS: Final = {**dict.fromkeys(CONSUMER_GROUPS, True), Kind.PLACER: False, Kind.STREAMS: True}
"""The kinds that have cells, and whether these have a past apart."""


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


def cases(kind: Kind, cell: ScopeCell, *, equal: bool = False, racks: bool = True) -> Iterator[Any]:
    """The cases of a cell; `equal`: of equal subscriptions alone; without `racks` of brokers without."""
    if kind is Kind.PLACER:
        return _requests(cell, racks)
    if kind is Kind.STREAMS:
        return _task_histories(cell)
    return cell_cases(cell.members, cell.partitions, equal=equal, pasts=cell.pasts)


def _requests(cell: ScopeCell, racks: bool) -> Iterator[PlacementCase]:
    """No racks and all ways to put brokers in racks, all factors, each from every start."""
    for placed in (None, *(_groupings(cell.members) if racks else ())):
        brokers = tuple(Broker(i, None if placed is None else f"r{placed[i]}") for i in range(cell.members))
        for factor, start in product(range(1, cell.members + 1), range(cell.members)):
            yield PlacementCase(
                PlacementRequest(cell.partitions, factor, brokers, fixed_start_index=start), start
            )


def _groupings(members: int) -> Iterator[tuple[int, ...]]:
    """The ways to put so many into groups, a group's number being that of its first member among first ones.

    >>> list(_groupings(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if members == 1:
        yield (0,)
        return
    for before in _groupings(members - 1):
        for group in range(max(before) + 2):
            yield (*before, group)


def _task_histories(cell: ScopeCell) -> Iterator[TaskHistory]:
    """One or two threads each, all subtopologies, with state or without, a standby or none."""
    ids = [process_id(i) for i in range(cell.members + 1)]
    for threads in product((1, 2), repeat=cell.members):
        processes = tuple(ProcessJoin(ids[i], count) for i, count in enumerate(threads))
        for partitions in _sizes(cell.partitions):
            for stateful, standbys in ((0, 0), (len(partitions), 0), (len(partitions), 1)):
                start = TaskHistory(partitions, stateful, processes, standby_replicas=standbys)
                if not cell.pasts:
                    yield start
                    continue
                for event in _next_events(ids, threads):
                    yield TaskHistory(partitions, stateful, processes, (TaskChange((event,)),), standbys)


def _next_events(ids: list[str], threads: tuple[int, ...]) -> Iterator[TaskEvent]:
    """What one process may do next: come, go, start again, or have a thread more or fewer."""
    *here, new = ids
    yield ProcessJoin(new, 1)
    for process, count in zip(here, threads):
        if len(here) > 1:
            yield ProcessLeave(process)
        yield ProcessRestart(process)
        yield ThreadsChange(process, 3 - count)


def _sizes(total: int) -> Iterator[tuple[int, ...]]:
    """The ways to write a number as a sum, in every order.

    >>> list(_sizes(3))
    [(3,), (2, 1), (1, 2), (1, 1, 1)]
    """
    if total == 0:
        yield ()
    for first in range(total, 0, -1):
        for rest in _sizes(total - first):
            yield (first, *rest)
