"""The result of a walk, read from its tables; equal to that of the search in a single process.

Liveness is checked on the whole graph in arrays, if that fits into the memory allowed for it. For a larger
walk, and for one that a limit ended, only the paths to the findings are read, predecessor by predecessor.
Dead ends are then those that the workers noted, and the result says that livelocks were not judged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.protocols.explore import ExploreResult, shares_of
from kassay.model.errors import InputError
from kassay.model.explore.search import Search, concluded
from kassay.model.explore.stable import PartsCodec
from kassay.model.explore.values import (
    Action,
    Exploration,
    Graph,
    Liveness,
    Reduced,
    Severity,
    Stuck,
    WalkLimits,
    retrace,
)
from kassay.pipeline.walk.records import Receipt
from kassay.pipeline.walk.tables import WalkTables
from kassay.pipeline.walk.worker import DEAD_END, Noted

if TYPE_CHECKING:
    import numpy
    import pyarrow
    from pyspark.sql import SparkSession

LIVENESS_MEMORY: Final = "spark.kassay.liveness.memory"
"""The property with the memory for the graph in this process, as Spark writes sizes."""
MEMORY: Final = 2 << 30
"""Its default, in bytes."""
STATE_BYTES: Final = 72
STEP_BYTES: Final = 16
"""Of nine million states with 49 million steps it took 1,300 MiB, tables that are read included."""
EDGES_AT_ONCE: Final = 5_000_000
UNJUDGED: Final = "edges"
"""The limit of a complete walk that is too large to check for livelocks."""


@dataclass(frozen=True)
class StoredExploration(Exploration[Any]):
    """An exploration whose graph need not be in memory; its figures come from the journal."""

    by_distance: tuple[int, ...] = ()
    steps: int = 0

    @property
    def states(self) -> int:
        """Distinct states after canonicalisation."""
        return sum(self.by_distance)

    @property
    def edges(self) -> int:
        """Steps taken, self-loops included."""
        return self.steps

    @property
    def diameter(self) -> int:
        """The greatest distance of a state from the start."""
        return len(self.by_distance) - 1

    @property
    def widths(self) -> list[int]:
        """The number of states at each distance from the start."""
        return [*self.by_distance]


class StoredStates:
    """The states of a walk, numbered by level and fingerprint; the states themselves are in tables."""

    def __init__(self, rows: pyarrow.Table, fingerprint: Callable[[Any], int]) -> None:
        import numpy as np

        self._fingerprint = fingerprint
        rows = rows.sort_by([("level", "ascending"), ("fingerprint", "ascending")])
        self._parents, self._levels = rows["parent"].to_numpy(), rows["level"].to_numpy()
        fingerprints = rows["fingerprint"].to_numpy()
        self._order = np.argsort(fingerprints, kind="stable").astype(np.uint32)
        self._sorted = fingerprints[self._order]

    def graph(self) -> Graph[Any]:
        """These states with the tree of shortest paths to them, without their steps."""
        import numpy as np

        graph: Graph[Any] = Graph()
        graph.states = self
        parents = np.where(self._levels == 0, -1, self.numbers(self._parents).astype(np.int64))
        graph.parents.frombytes(parents.astype(np.int32).tobytes())
        graph.depths.frombytes(self._levels.astype(np.uint32).tobytes())
        return graph

    def fingerprint(self, state: Any) -> int:
        """The state's fingerprint."""
        return self._fingerprint(state)

    def number(self, state: Any) -> int:
        """The state's number, -1 if it has none."""
        return self.number_of(self._fingerprint(state))

    def number_of(self, fingerprint: int) -> int:
        """The number of the state of this fingerprint, -1 if there is none."""
        import numpy as np

        place = int(np.searchsorted(self._sorted, fingerprint))
        there = place < len(self) and int(self._sorted[place]) == fingerprint
        return int(self._order[place]) if there else -1

    def numbers(self, fingerprints: numpy.ndarray) -> numpy.ndarray:
        """The numbers of states; arbitrary for an unknown one."""
        import numpy as np

        numbers: numpy.ndarray = self._order[np.searchsorted(self._sorted, fingerprints) % len(self)]
        return numbers

    def put(self, state: Any) -> int:
        """The state's number; raises LookupError for an unknown state."""
        number = self.number(state)
        if number < 0:
            raise LookupError("the walk did not meet this state")
        return number

    def expanded(self, node: int) -> None:
        """No effect: nothing is kept here."""

    def __getitem__(self, node: int) -> Any:
        raise LookupError(f"state {node} lies in the tables of the walk")

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return len(self._sorted)


def result_of(tables: WalkTables, limit: str | None, memory: int | None = None) -> ExploreResult:
    """The verdict and the shortest traces of a walk; `limit` is the limit that ended it.

    `memory` is that for the graph in bytes, None for what the session's properties allow.
    """
    journal = tables.journal
    walk = journal.walk
    memory = memory_of(tables.spark) if memory is None else memory
    shares = shares_of(walk.settings, symmetric=walk.symmetric)
    search = Search(shares.model, shares.invariants, WalkLimits(None), None)
    noted = journal.noted()
    whole = limit is None and journal.states * STATE_BYTES + journal.edges * STEP_BYTES <= memory
    if whole:
        rows = tables.parents()
    else:
        rows = tables.ancestors({(length - (goal != 0), at) for length, at, goal, _ in noted.least.values()})
    states = StoredStates(rows, PartsCodec(shares.parts, shares.codec).fingerprint)
    search.graph = states.graph()
    if whole:
        _read_steps(search.graph, states, tables)
    search.graph.good.extend(bytes(len(states) - len(search.graph.good)))  # for states not expanded
    dead_ends = _dead_ends(search, noted, states)
    _recall(search, noted, states)
    search.checked.update(name for receipt in journal.receipts for name in receipt.checked)
    done = concluded(search, shares.invariants, limit, check_liveness=whole)
    liveness = done.liveness
    if limit is None and not whole:
        limit, liveness = UNJUDGED, Liveness(dead_ends, (), len(dead_ends), cycles_judged=False)
    by_distance = *(each.states for each in journal.receipts), *([journal.waiting] if journal.waiting else [])
    exploration = StoredExploration(
        done.graph,
        done.violations,
        liveness,
        limit,
        journal.elapsed_s,
        done.checked,
        by_distance,
        journal.edges,
    )
    built = shares.model.full if isinstance(shares.model, Reduced) else shares.model
    return ExploreResult(walk.settings, exploration, built, symmetric=walk.symmetric, fingerprints=True)


def memory_of(spark: SparkSession) -> int:
    """The bytes that the session's properties allow for the graph; raises InputError for what is no size."""
    text = spark.conf.get(LIVENESS_MEMORY, None)
    if text is None:
        return MEMORY
    jvm: Any = spark._jvm
    try:
        return int(jvm.org.apache.spark.network.util.JavaUtils.byteStringAsBytes(text))
    except Exception:  # py4j's errors have no common class
        raise InputError(f"{LIVENESS_MEMORY} {text!r}: no size, expected for example 512m or 8g") from None


def _dead_ends(search: Search[Any], noted: Noted, states: StoredStates) -> tuple[Stuck[Any], ...]:
    """The dead ends that the workers noted, which are taken out of `noted`; the first has a trace."""
    count, example = noted.seen.pop(DEAD_END, 0), noted.least.pop(DEAD_END, None)
    if example is None:
        return ()
    trace = retrace(search.model, search.graph, states.number_of(example[1]))
    return Stuck(trace, 1), *[Stuck((), 1)] * (count - 1)


def _read_steps(graph: Graph[Any], states: StoredStates, tables: WalkTables) -> None:
    """Read the steps of every finished level into a graph that has its states."""
    import numpy as np

    labels: dict[int, int] = {}
    for receipt in tables.journal.receipts:
        for label, text in receipt.actions.items():
            labels.setdefault(
                int(label), graph.actions.setdefault(Action(*json.loads(text)), len(graph.actions))
            )
    known = np.array(sorted(labels), dtype=np.int64)
    numbers = np.array([labels[label] for label in known.tolist()], dtype=np.uint32)
    for levels in _together(tables.journal.receipts):
        columns = tables.sources(levels)
        order = np.argsort(states.numbers(columns["source"].to_numpy()))
        columns = columns.take(order)
        targets, lengths = _numbers_in(columns["targets"])
        taken, _ = _numbers_in(columns["labels"])
        ends = np.cumsum(lengths, dtype=np.uint64) + np.uint64(len(graph.targets))
        graph.first.frombytes(ends.astype(np.uint64).tobytes())
        graph.targets.frombytes(states.numbers(targets).astype(np.uint32).tobytes())
        graph.labels.frombytes(numbers[np.searchsorted(known, taken)].tobytes())
        graph.good.extend(columns["converged"].to_numpy().astype(np.uint8).tobytes())


def _together(receipts: Sequence[Receipt]) -> Iterator[list[int]]:
    """The finished levels in order, grouped by what is read at once."""
    levels: list[int] = []
    edges = 0
    for receipt in receipts:
        if levels and edges + receipt.edges > EDGES_AT_ONCE:
            yield levels
            levels, edges = [], 0
        levels.append(receipt.level)
        edges += receipt.edges
    if levels:
        yield levels


def _numbers_in(column: pyarrow.ChunkedArray) -> tuple[Any, Any]:
    """The numbers packed in a column, concatenated, and their count in each row."""
    import numpy as np

    rows = column.to_pylist()
    return np.frombuffer(b"".join(rows), dtype=np.int64), np.array([len(row) // 8 for row in rows], np.int64)


def _recall(search: Search[Any], noted: Noted, states: StoredStates) -> None:
    """Add the noted findings to a search, as if it had found them itself."""
    model = search.model
    for key, (_, at, goal, message) in noted.least.items():
        node, via = states.number_of(at), None
        if goal:
            last = retrace(model, search.graph, node)[-1].state
            via = next(
                step for step in model.steps(last) if states.fingerprint(model.canonical(step[1])) == goal
            )
        search.findings[key[0], Severity(key[1])] = [noted.seen[key], node, via, message]
