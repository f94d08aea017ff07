"""One walk by several processes, each of which has a share of the states, assigned by a stable hash.

The walk by several processes: level by level, so that the first path found is a shortest one. These
levels are small: several processes would spend more time waiting than walking, and the other processes
are still starting. All of them then have what these levels hold, as if they had walked it together. The
process that has the first share starts the others and has all go from level to level. At the end the
graphs of all shares are merged: states by level, and within a level by process; parts stay bytes,
because merging needs hardly any of them as values.
"""

from __future__ import annotations

import signal
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Final, Generic, TypeVar

from kassay.model.errors import InputError
from kassay.model.explore.search import Search, concluded, uncollected
from kassay.model.explore.shard import (
    Beginning,
    MakeShare,
    Outbox,
    Shard,
    ShardFinding,
    ShardGraph,
    WalkShare,
    named_findings,
    serve,
)
from kassay.model.explore.stable import StateCodec
from kassay.model.explore.states import PackedStates, Parts
from kassay.model.explore.values import Exploration, Graph, WalkLimits, WalkProgress
from kassay.model.lazy import lazy

S = TypeVar("S", bound=Hashable)


class WrittenParts(Parts[S]):
    """Parts identified by their bytes, which only equal parts share, and decoded on access."""

    def __init__(self, parts: Parts[S], codec: StateCodec) -> None:
        super().__init__(parts.split, parts.join, parts.places)
        self._codec = codec
        self._by_bytes: dict[bytes, int] = {}
        self._read: dict[int, Any] = {}
        self._written: list[bytes] = []

    def number_of(self, data: bytes) -> int:
        """The number of the part with these bytes; assigns the next one to a new part."""
        number = self._by_bytes.setdefault(data, len(self._written))
        if number == len(self._written):
            self._written.append(data)
        return number

    def part_number(self, part: Hashable) -> int:
        """The part's number; assigns the next one to a new part."""
        number = self._numbers[part] = self.number_of(self._codec.encode(part))
        return number

    def part(self, number: int) -> Any:
        """The part with this number."""
        part = self._read.get(number)
        if part is None:
            part = self._read[number] = self._codec.decode(self._written[number])
        return part

    def all(self) -> Sequence[Any]:
        """All parts, by number."""
        return [self.part(number) for number in range(len(self._written))]

    def unpack(self, key: bytes) -> S:
        """The state with this key."""
        return self.join(tuple([self.part(number) for number in self._layout.unpack(key)]))


class MergedStates(Generic[S]):
    """The states of all shares, combined on first access; most walks never need it."""

    def __init__(self, count: int, put_together: Callable[[], PackedStates[S]]) -> None:
        self._count = count
        self._put_together = put_together

    @lazy
    def _states(self) -> PackedStates[S]:
        return self._put_together()

    def put(self, state: S) -> int:
        """The state's number; no state is new."""
        return self._states.put(state)

    def number(self, state: S) -> int:
        """The state's number, or -1 if it has none."""
        return self._states.number(state)

    def expanded(self, node: int) -> None:
        """Do nothing: all states stay stored."""

    def __getitem__(self, node: int) -> S:
        return self._states[node]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[S]:
        return iter(self._states)


def merged(shards: Sequence[ShardGraph], parts: Parts[S], codec: StateCodec) -> tuple[Graph[S], array[int]]:
    """The graph as of one process, except for the order within a level, and the number of each name."""
    count = sum(len(shard.parents) for shard in shards)
    graph: Graph[S] = Graph(MergedStates(count, partial(_packed, shards, parts, codec)))
    numbers = _numbered(shards)
    relabels = [
        array("I", [graph.actions.setdefault(action, len(graph.actions)) for action in shard.actions])
        for shard in shards
    ]
    for level in range(max(len(shard.levels) for shard in shards)):
        for shard, relabel in zip(shards, relabels, strict=True):
            low, high = _bounds(shard, level)
            graph.depths.extend([level] * (high - low))
            graph.good += shard.good[low:high]
            graph.parents.extend(
                [parent if parent < 0 else numbers[parent] for parent in shard.parents[low:high]]
            )
            expanded = len(shard.first) - 1
            start, end = shard.first[min(low, expanded)], shard.first[min(high, expanded)]
            shift = len(graph.targets) - start
            graph.first.extend([at + shift for at in shard.first[low + 1 : high + 1]])
            graph.targets.extend(map(numbers.__getitem__, shard.targets[start:end]))
            graph.labels.extend(map(relabel.__getitem__, shard.labels[start:end]))
    return graph, numbers


def _packed(shards: Sequence[ShardGraph], parts: Parts[S], codec: StateCodec) -> PackedStates[S]:
    """The packed states of all shares, in the order of the merged graph."""
    written = WrittenParts(parts, codec)
    known = [array("I", map(written.number_of, shard.parts)) for shard in shards]
    packed = bytearray()
    for level in range(max(len(shard.levels) for shard in shards)):
        for shard, mine in zip(shards, known, strict=True):
            low, high = _bounds(shard, level)
            keys = array("I", shard.keys[low * parts.size : high * parts.size])
            packed += array("I", map(mine.__getitem__, keys)).tobytes()
    states = PackedStates(written)
    states.extend(bytes(packed))
    return states


def _bounds(shard: ShardGraph, level: int) -> tuple[int, int]:
    """The start and the end of a level of a share."""
    ends = [*shard.levels, len(shard.parents)]
    return (ends[level], ends[level + 1]) if level + 1 < len(ends) else (ends[-1], ends[-1])


def _numbered(shards: Sequence[ShardGraph]) -> array[int]:
    """The number of each name, ordered by level, then by process."""
    count = len(shards)
    numbers = array("I", bytes(4 * count * max(len(shard.parents) for shard in shards)))
    own = [array("I") for _ in shards]
    following = 0
    for level in range(max(len(shard.levels) for shard in shards)):
        for shard, mine in zip(shards, own, strict=True):
            low, high = _bounds(shard, level)
            mine.extend(range(following, following + high - low))
            following += high - low
    for number, mine in enumerate(own):
        numbers[number : number + count * len(mine) : count] = mine
    return numbers


def merged_findings(
    shared: Iterable[ShardFinding], graph: Graph[S], numbers: array[int], codec: StateCodec
) -> dict[tuple[str, Any], list[Any]]:
    """The findings as of one search: the total count of each, and its occurrence nearest to the start."""
    findings: dict[tuple[str, Any], list[Any]] = {}
    nearest: dict[tuple[str, Any], tuple[int, int]] = {}
    for each in shared:
        node = numbers[each.node]
        kind, rank = (each.invariant, each.severity), (graph.depths[node] + (each.via is not None), node)
        entry = findings.setdefault(kind, [0, node, None, ""])
        entry[0] += each.seen
        if rank < nearest.get(kind, (rank[0] + 1, 0)):
            nearest[kind] = rank
            via = None if each.via is None else (each.via[0], codec.decode(each.via[1]))
            entry[1:] = [node, via, each.message]
    return findings


def first_levels(search: Search[S], most: int) -> list[int]:
    """Walk by level until there are more than `most` states or none to expand; returns each level's start."""
    search.start()
    states, levels = search.graph.states, [0]
    while not search.stop and levels[-1] < len(states) <= most:
        low, high = levels[-1], len(states)
        levels.append(high)
        for node in range(low, high):
            search.expand(node)
    return levels


def shared_out(
    graph: Graph[S], levels: Sequence[int], shares: WalkShare[S], count: int
) -> tuple[list[Beginning], array[int]]:
    """The initial share of each process, and the name of each state."""
    nodes: list[list[int]] = [[] for _ in range(count)]
    names = array("I")
    for node, state in enumerate(graph.states):
        owner = shares.place(state) % count
        names.append(len(nodes[owner]) * count + owner)
        nodes[owner].append(node)
    return [_beginning(graph, levels, shares, mine, names) for mine in nodes], names


def _beginning(
    graph: Graph[S], levels: Sequence[int], shares: WalkShare[S], nodes: list[int], names: array[int]
) -> Beginning:
    """The share that consists of these states."""
    outbox = Outbox(shares.parts, shares.codec)
    parents, first, targets, labels = array("i"), array("Q", [0]), array("I"), array("I")
    for node in nodes:
        outbox.post(graph.states[node], 0)
        parent = graph.parents[node]
        parents.append(parent if parent < 0 else names[parent])
        if node < graph.expanded:
            for label, target in graph.edges(node):
                labels.append(label)
                targets.append(names[target])
            first.append(len(targets))
    starts = [bisect_left(nodes, level) for level in levels]
    return Beginning(starts, outbox.letter(), parents, first, targets, labels, list(graph.actions))


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
            begun, names = shared_out(search.graph, levels, shares, processes)
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
    search.checked = search.checked.union(*(graph.checked for graph in graphs))


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
