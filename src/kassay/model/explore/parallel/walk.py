"""The walk of several processes: level by level, so that what is met first is nearest to the start."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.parallel.merged import merged, merged_findings
from kassay.model.explore.parallel.shard import MakeShare, ShardGraph, WalkShare, serve
from kassay.model.explore.search import Search, concluded
from kassay.model.explore.values import Exploration, WalkLimits, WalkProgress

S = TypeVar("S", bound=Hashable)


def explore_by(
    processes: int,
    shares: WalkShare[S],
    make: MakeShare,
    *,
    budget: WalkLimits | None = None,
    progress: Callable[[WalkProgress], None] | None = None,
) -> Exploration[S]:
    """The same walk as `explore`, its states dealt to so many processes.

    `make` is sent to each of them, where it makes what `shares` is here; the result has states of the latter.

    Counts, verdicts and the lengths of traces are those of one process. States are numbered otherwise within
    a level, limits are looked at between levels, and the whole graph is put together here at the end. Raises
    InputError if a process is killed, and whatever one raises.
    """
    search = Search(shares.model, shares.invariants, budget or WalkLimits(), progress)
    with _processes(processes, make, search.budget) as connections:
        crew = Crew(connections, progress)
        limit = crew.walk(search.budget)
        graphs = crew.all("end", [()] * processes)
    put_together(search, shares, graphs)
    return concluded(search, shares.invariants, limit)


def put_together(search: Search[S], shares: WalkShare[S], graphs: Sequence[ShardGraph]) -> None:
    """Let a search know what all processes have met."""
    search.graph, numbers = merged(graphs, shares.parts, shares.codec)
    search.findings = merged_findings(graphs, search.graph, numbers, shares.codec)
    search.asked = set().union(*(graph.asked for graph in graphs))


class Crew:
    """The processes of a walk, as the one that leads them sees them."""

    def __init__(
        self,
        connections: Sequence[Connection],
        progress: Callable[[WalkProgress], None] | None = None,
    ) -> None:
        self.connections = connections
        self.progress = progress
        self.started = time.monotonic()
        self._so_far = [WalkProgress(0, 0, 0, 0, 0.0)] * len(connections)

    def walk(self, budget: WalkLimits) -> str | None:
        """Level by level until none is left; the name of the limit that came first, or None."""
        count = len(self.connections)
        while True:
            letters = self.all("expand", [()] * count)
            names = self.all("take", [([letters[i][j] for i in range(count)],) for j in range(count)])
            sizes = self.all("name", [([names[j][i] for j in range(count)],) for i in range(count)])
            if any(size.stop for size in sizes):
                return "first violation"
            if not any(size.waiting for size in sizes):
                return None
            if budget.states_max is not None and sum(size.states for size in sizes) > budget.states_max:
                return "states"
            if budget.time_s is not None and time.monotonic() - self.started > budget.time_s:
                return "time"

    def all(self, order: str, values: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Give every process an order, and wait for all of them."""
        try:
            for connection, each in zip(self.connections, values, strict=True):
                connection.send((order, *each))
            return [self._answer(number) for number in range(len(self.connections))]
        except (EOFError, BrokenPipeError, ConnectionResetError):
            raise InputError("a process of the walk was killed; expected memory for all of them") from None

    def _answer(self, number: int) -> Any:
        while True:
            word, value = self.connections[number].recv()
            if word == "done":
                return value
            if word == "failed":
                raise value
            self._so_far[number] = value
            if self.progress is not None:
                states, edges, depth, waiting, _ = map(list, zip(*self._so_far, strict=True))
                elapsed_s = time.monotonic() - self.started
                self.progress(WalkProgress(sum(states), sum(edges), max(depth), sum(waiting), elapsed_s))


@contextmanager
def _processes(count: int, make: MakeShare, budget: WalkLimits) -> Iterator[list[Connection]]:
    """The processes, which end with the block however it ends."""
    spawn = get_context("spawn")
    running, connections = [], []
    # Where it is started with the first process, it unblocks interrupts for all of them.
    resource_tracker.ensure_running()
    # They inherit what is blocked: a terminal's interrupt is not to reach them before they ignore it.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        for number in range(count):
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
