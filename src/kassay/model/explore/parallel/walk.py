"""The walk by several processes: level by level, so that the first path found is a shortest one."""

from __future__ import annotations

import signal
import time
from array import array
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Final, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.parallel.dealt import dealt, first_levels
from kassay.model.explore.parallel.merged import merged, merged_findings
from kassay.model.explore.parallel.shard import (
    Beginning,
    MakeShare,
    Shard,
    ShardGraph,
    WalkShare,
    named_findings,
    serve,
)
from kassay.model.explore.search import Search, concluded, uncollected
from kassay.model.explore.values import Exploration, WalkLimits, WalkProgress

S = TypeVar("S", bound=Hashable)


ALONE_MOST: Final = 3_000
"""One process walks this many states alone: there is little to share, and the others are starting."""


def explore_by(
    processes: int,
    shares: WalkShare[S],
    make: MakeShare,
    *,
    budget: WalkLimits | None = None,
    progress: Callable[[WalkProgress], None] | None = None,
    alone_most: int = ALONE_MOST,
) -> Exploration[S]:
    """The same walk as `explore`, with its states divided among several processes including this one.

    `make` is sent to each of the others and creates there what `shares` is here; the result has states of
    `shares`. The first levels, up to `alone_most` states, are walked by this process alone.

    Counts, verdicts and trace lengths equal those of one process. States are numbered differently within a
    level, limits are checked between levels, and this process assembles the whole graph at the end. Raises
    InputError if a process is killed, and any exception that a process raises.
    """
    search = Search(shares.model, shares.invariants, budget or WalkLimits(), progress)
    graphs: list[ShardGraph] = []
    with uncollected(), _processes(processes, make, search.budget) as connections:
        levels = first_levels(search, min(alone_most, search.budget.states_max or alone_most))
        states = len(search.graph.states)
        limit = reached(search.budget, states, states - levels[-1], search.stop, search.started)
        if limit is None:
            own = Shard(shares, 0, processes, search.budget)
            begun, names = dealt(search.graph, levels, shares, processes)
            limit, graphs = Crew(own, connections, progress, search.started).walk(begun)
    if graphs:
        put_together(search, shares, graphs, names)
    return concluded(search, shares.invariants, limit or None)


def put_together(
    search: Search[S], shares: WalkShare[S], graphs: Sequence[ShardGraph], names: array[int]
) -> None:
    """Add to a search what all processes have found since it named its states."""
    alone = named_findings(search, shares.codec, names.__getitem__)
    search.graph, numbers = merged(graphs, shares.parts, shares.codec)
    findings = chain(alone, *(graph.findings for graph in graphs))
    search.findings = merged_findings(findings, search.graph, numbers, shares.codec)
    search.asked = search.asked.union(*(graph.asked for graph in graphs))


def reached(budget: WalkLimits, states: int, waiting: int, stop: bool, started: float) -> str | None:
    """The name of the limit that ends a walk, "" if no state waits, or None to continue."""
    if stop:
        return "first violation"
    if not waiting:
        return ""
    if budget.states_max is not None and states > budget.states_max:
        return "states"
    if budget.time_s is not None and time.monotonic() - started > budget.time_s:
        return "time"
    return None


class Crew:
    """The processes of a walk, as seen by the first one, which leads it."""

    def __init__(
        self,
        own: Shard[Any],
        connections: Sequence[Connection],
        progress: Callable[[WalkProgress], None] | None = None,
        started: float | None = None,
    ) -> None:
        self.own = own
        self.connections = connections
        self.progress = progress
        self.started = time.monotonic() if started is None else started
        self.own.progress = self._hear
        self._so_far: list[WalkProgress] = []
        self._answers: dict[int, Any] = {}

    def walk(self, begun: Sequence[Beginning]) -> tuple[str, list[ShardGraph]]:
        """Walk level by level; returns the first limit reached, or "", and the graphs of all processes."""
        count = len(begun)
        self._so_far = [
            WalkProgress(len(each.parents), len(each.targets), len(each.levels) - 1, 0, 0.0) for each in begun
        ]
        self.all("begin", [(each,) for each in begun])
        limit = None
        while limit is None:
            letters = self.all("expand", [()] * count)
            names = self.all("take", [([letters[i][j] for i in range(count)],) for j in range(count)])
            sizes = self.all("name", [([names[j][i] for j in range(count)],) for i in range(count)])
            states, waiting, stops = map(list, zip(*sizes, strict=True))
            limit = reached(self.own.budget, sum(states), sum(waiting), any(stops), self.started)
        return limit, self.all("end", [()] * count)

    def all(self, order: str, values: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Give every process an order and carry out this process' own part; returns all answers."""
        try:
            for connection, each in zip(self.connections, values[1:], strict=True):
                connection.send((order, *each))
            answer = self.own.obey(order, *values[0])
            return [answer, *map(self._answer, range(len(self.connections)))]
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise InputError("a process of the walk was killed; expected memory for all of them") from None

    def _answer(self, number: int) -> Any:
        while number not in self._answers:
            self._read(number)
        return self._answers.pop(number)

    def _hear(self, walked: WalkProgress) -> None:
        """Report the progress of this share, and receive meanwhile so that no process has to wait."""
        for number, connection in enumerate(self.connections):
            while number not in self._answers and connection.poll():
                self._read(number)
        self._tell(0, walked)

    def _read(self, number: int) -> None:
        word, value = self.connections[number].recv()
        if word == "failed":
            raise value
        if word == "done":
            self._answers[number] = value
        else:
            self._tell(number + 1, value)

    def _tell(self, number: int, walked: WalkProgress) -> None:
        self._so_far[number] = walked
        if self.progress is not None:
            states, edges, depth, waiting, _ = map(list, zip(*self._so_far, strict=True))
            elapsed_s = time.monotonic() - self.started
            self.progress(WalkProgress(sum(states), sum(edges), max(depth), sum(waiting), elapsed_s))


@contextmanager
def _processes(count: int, make: MakeShare, budget: WalkLimits) -> Iterator[list[Connection]]:
    """All other processes; they end with the block, however it ends."""
    spawn = get_context("spawn")
    running, connections = [], []
    # The resource tracker unblocks interrupts when it starts, so it must start before the first process.
    resource_tracker.ensure_running()
    # Children inherit the blocked signals: no terminal interrupt may reach them before they ignore it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for number in range(1, count):
            ours, theirs = spawn.Pipe()
            process = spawn.Process(target=serve, args=(theirs, make, number, count, budget), daemon=True)
            process.start()
            theirs.close()
            running.append(process)
            connections.append(ours)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    try:
        yield connections
    finally:
        for process in running:
            process.terminate()
            process.join()
        for connection in connections:
            connection.close()
