"""A cluster observed again and again over one connection, with what is remembered between observations.

What takes a search (optimum, useful counts) is computed again only for groups that changed, and within a
budget of time; groups that have to wait for the next observation are counted.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any, Final

from kassay.engines.watch.figures import GroupFigures, best_figures, quick_figures, useful_counts
from kassay.engines.watch.moves import Owned, moves_between, owned_by
from kassay.engines.watch.observation import GROUPS_MAX, ClusterSight, GroupSight, see
from kassay.model.errors import InputError
from kassay.reading.kafka.other_groups import SHARE, STREAMS
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.failures import ConnectFailure

FRESH_S: Final = 2.0
"""An observation as old as this is served again: several scrapers do not multiply requests."""
BUDGET_S: Final = 4.0
"""The most seconds of search in an observation; Prometheus waits 10 s by default."""


@dataclass(frozen=True)
class WatchedGroup:
    """The figures of a group; `moved` and `needless` are totals since the first observation."""

    figures: GroupFigures
    moved: int | None = None
    needless: int | None = None


@dataclass(frozen=True)
class Watched:
    """What an observation found; without `sight` the cluster does not answer, for the reason `failure`.

    `pending` groups have no optimum yet.
    """

    seconds: float
    requests: int = 0
    sight: ClusterSight | None = None
    groups: tuple[WatchedGroup, ...] = ()
    pending: int = 0
    failure: InputError | None = None


class Watcher:
    """Observes a cluster; safe for several threads, of which one observes and the others wait."""

    def __init__(
        self,
        connect: Callable[[], LiveCluster],
        only: str | None = None,
        *,
        budget_s: float | None = BUDGET_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`only`: the name of one group. `budget_s` None for no limit of the search."""
        self._connect, self._only, self._budget_s, self._clock = connect, only, budget_s, clock
        self._cluster: LiveCluster | None = None
        self._lock = Lock()
        self._last: tuple[float, Watched] | None = None
        self._figures: dict[str, GroupFigures] = {}
        self._owned: dict[str, Owned] = {}
        self._moved: Counter[str] = Counter()
        self._needless: Counter[str] = Counter()

    def close(self) -> None:
        """End the connections."""
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None

    def observe(self) -> Watched:
        """An observation at most `FRESH_S` old; never raises `InputError`."""
        with self._lock:
            if self._last is not None and self._clock() - self._last[0] < FRESH_S:
                return self._last[1]
            watched = self._observed(self._clock())
            self._last = (self._clock(), watched)
            return watched

    def _observed(self, start: float) -> Watched:
        try:
            sight, requests = self._seen()
        except InputError as failure:
            self.close()
            return Watched(self._clock() - start, failure=failure)
        end = None if self._budget_s is None else self._clock() + self._budget_s
        pending = 0
        groups = []
        for each in sight.groups:
            figures, is_late = self._figured(each, end)
            pending += is_late
            groups.append(self._with_moves(figures))
        self._forget(sight)
        return Watched(self._clock() - start, requests, sight, tuple(groups), pending)

    def _seen(self) -> tuple[ClusterSight, int]:
        """The groups, and how many requests it took; a connection that was closed is opened again once."""
        if self._cluster is not None:
            before = self._cluster.requests
            try:
                sight = see(self._cluster, self._only)
            except ConnectFailure:
                self.close()
            else:
                if sight.brokers == self._cluster.nodes.keys():
                    return sight, self._cluster.requests - before
                self.close()
        self._cluster = self._connect()
        return see(self._cluster, self._only), self._cluster.requests

    def _figured(self, sight: GroupSight, end: float | None) -> tuple[GroupFigures, bool]:
        """The figures of a group, and whether those that take a search have to wait."""
        known = self._figures.get(sight.name)
        if known is not None and known.sight == sight:
            return known, False
        figures = quick_figures(sight)
        if end is not None and self._clock() > end:
            return figures, True
        figures = replace(figures, best=best_figures(sight), useful=useful_counts(sight))
        self._figures[sight.name] = figures
        return figures, False

    def _with_moves(self, figures: GroupFigures) -> WatchedGroup:
        """The figures with the totals of moves, those since the last stable observation included."""
        sight, name = figures.sight, figures.sight.name
        if sight.kind == SHARE:
            return WatchedGroup(figures)
        if sight.is_stable:
            if name in self._owned:
                moves = moves_between(self._owned[name], sight)
                self._moved[name] += moves.moved
                self._needless[name] += moves.needless
            self._owned[name] = owned_by(sight)
        needless = self._needless[name] if sight.kind != STREAMS else None
        return WatchedGroup(figures, self._moved[name], needless)

    def _forget(self, sight: ClusterSight) -> None:
        """Drop groups that are gone, once they are many: one that is missing in between keeps its totals."""
        names = {each.name for each in sight.groups}
        memories: tuple[dict[str, Any], ...] = (self._figures, self._owned, self._moved, self._needless)
        for memory in memories:
            if len(memory) > len(names) + GROUPS_MAX:
                for name in memory.keys() - names:
                    del memory[name]
