"""The work of a Spark task: histories played, and the distance of each from the certified optimum.

The distance between a target's answers in one history and the certified optimum.

Movement is judged only where the loads are optimal, rack locality only where the moves are the fewest as
well: the goals are lexicographic.

Code of a Spark worker: chunks of seeds in, table rows out, on the same path as `certify`.
"""

from __future__ import annotations

import json
import os
import platform
import resource
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.engines.runs.blocks import TWIN_EVERY, TWINS_MAX, Bench, open_bench
from kassay.kinds.measures import Measure
from kassay.kinds.registry import driver_for
from kassay.model.kinds import Kind
from kassay.pipeline.campaign.lanes import Chunk, Lane
from kassay.pipeline.campaign.records import Sums
from kassay.pipeline.campaign.tables import DISTANCE, GAPS, RUNS, SUMS, work_schema
from kassay.pipeline.tables import signed
from kassay.pipeline.workers import TargetFile, as_on_driver
from kassay.properties.sources import derive_seed

if TYPE_CHECKING:
    import pyarrow


class Distance:
    """Sums the gaps of one history's outcomes; call `see` with each rebalance of the target's kind."""

    def __init__(self, kind: Kind) -> None:
        self._rest = driver_for(kind).rest
        self._sums = dict.fromkeys((c.name for c in DISTANCE if c.type in ("int", "bigint")), 0)
        self._equal = True
        self._rounds: list[int] = []

    def see(self, played: Any) -> None:
        """Add the outcomes of one rebalance."""
        seen = self._rest(played)
        if seen is None:
            return
        if seen.rounds is None:
            self._sums["unsettled"] += 1
        else:
            self._rounds.append(seen.rounds)
        for measure in seen.measures:
            self.take(measure)

    def take(self, measure: Measure | None) -> None:
        """Add one outcome; None if it cannot be measured."""
        sums = self._sums
        if measure is None:
            sums["invalid"] += 1
            return
        sums["outcomes"] += 1
        sums["members"] = max(sums["members"], measure.members)
        sums["partitions"] = max(sums["partitions"], measure.units)
        self._equal = self._equal and measure.equal
        sums["moved"] += measure.moved
        sums["moved_least"] += measure.moved_least
        sums["unbalanced"] += measure.balance > 0
        sums["spread_worst"] = max(sums["spread_worst"], measure.spread)
        for goal, value in (
            ("balance", measure.balance), ("movement", measure.movement), ("rack", measure.rack),
        ):  # fmt: skip
            sums[goal] += value or 0
            sums[f"{goal}_worst"] = max(sums[f"{goal}_worst"], value or 0)

    def row(self) -> dict[str, Any]:
        """The columns of the table `gaps`, without those that identify the history."""
        return {**self._sums, "equal": self._equal, "rounds": self._rounds}


OPEN_MAX: Final = 16
"""Open targets per worker process."""
TWINNED_MAX: Final = 2
"""Open targets that may have a second process: each costs memory, and few histories need it."""
ROWS: Final = 2000
"""Rows per batch that leaves a worker."""
_PER_KIB: Final = 1024 if platform.system() == "Darwin" else 1
"""Unit of `ru_maxrss`: bytes on macOS, KiB elsewhere."""

Row = tuple[str, Any]


@dataclass(frozen=True)
class Work:
    """A batch as sent to the workers: row i of the input refers to chunk i."""

    campaign: str
    identity: str
    gap: bool
    lanes: dict[int, Lane]
    chunks: tuple[Chunk, ...]
    files: Mapping[str, TargetFile]


class Opened(NamedTuple):
    """An open target, and whether a second process of it may be open, for claims about other processes."""

    bench: Bench
    stack: ExitStack
    twinned: bool


class Benches:
    """The open targets of this worker process; the least recently used is closed if there are too many."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], Opened] = {}

    def get(self, identity: str, lane: Lane, start: int, files: Mapping[str, TargetFile]) -> Bench:
        """The lane's target for histories from `start` on; opens it if necessary."""
        key, twinned = (identity, lane.number), start < TWIN_EVERY * TWINS_MAX
        lane_bench = self._open.pop(key, None)
        if lane_bench is not None and lane_bench.twinned > twinned:
            lane_bench.stack.close()  # later histories need no second process, which would only be idle
            lane_bench = None
        if lane_bench is None:
            twins = [other for other, opened in self._open.items() if opened.twinned]
            if twinned and len(twins) >= TWINNED_MAX:
                self._close(twins[0])
            if len(self._open) >= OPEN_MAX:
                self._close(next(iter(self._open)))
            stack = ExitStack()
            job = as_on_driver(lane.job, files)
            lane_bench = Opened(stack.enter_context(open_bench(job)), stack, twinned)
        self._open[key] = lane_bench
        return lane_bench.bench

    def _close(self, key: tuple[str, int]) -> None:
        self._open.pop(key).stack.close()


_BENCHES: Final = Benches()


def play(work: Work, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of the chunks in the input; for `mapInArrow`."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from _packed(rows_of(work, work.chunks[number]))


def _packed(rows: Iterator[Row]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa

    schema, waiting = work_schema(), list[dict[str, Any]]()
    empty = dict.fromkeys(schema.names)
    for name, row in rows:
        waiting.append({**empty, name: row})
        if len(waiting) >= ROWS:
            yield pa.RecordBatch.from_pylist(waiting, schema)
            waiting = []
    if waiting:
        yield pa.RecordBatch.from_pylist(waiting, schema)


def rows_of(work: Work, chunk: Chunk) -> Iterator[Row]:
    """The rows of one chunk: its histories, and last their sums and cost."""
    lane = work.lanes[chunk.lane]
    bench = _BENCHES.get(work.identity, lane, chunk.start, work.files)
    labels = {"target": lane.target, "profile": lane.profile}
    kind, sums = lane.job.target.kind, Sums()
    measures = work.gap and bench.driver.measured
    started = time.perf_counter_ns()
    for index in range(chunk.start, chunk.stop):
        distance = Distance(kind) if measures else None
        case, seen = bench.look(index, distance.see if distance else None)
        sums.take(index, case, seen, bench.driver)
        own = {**labels, "history": index, "seed": signed(derive_seed(lane.job.options.seed, index))}
        yield (
            RUNS.name,
            {
                "campaign": work.campaign,
                **own,
                **bench.driver.counts(case),
                "rebalances": seen.rebalances,
                "broken": sorted({violation.claim for violation in seen.violations}),
            },
        )
        if distance is not None:
            yield GAPS.name, {**own, **distance.row()}
    spent = time.perf_counter_ns() - started
    receipt = {**chunk._asdict(), "sums": sums.to_json(), "task": _circumstances(spent)}
    yield SUMS, json.dumps(receipt)


def _circumstances(spent: int) -> dict[str, Any]:
    """The machine and the cost of a task."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return {
        "nanoseconds": spent,
        "host": platform.node(),
        "pid": os.getpid(),
        "attempt": context.attemptNumber() if context is not None else 0,
        "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _PER_KIB,
    }
