"""What runs in a Spark worker: chunks of seeds in, rows of the tables out, by the path of `certify`."""

from __future__ import annotations

import os
import platform
import resource
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kassay.certify.blocks import Bench, open_bench
from kassay.certify.examine import Tally
from kassay.pipeline.distance import Distance
from kassay.pipeline.lanes import Chunk, Lane
from kassay.pipeline.schemas import BATCHED, work_schema
from kassay.properties.sources import derive_seed

if TYPE_CHECKING:
    import pyarrow

OPEN_MAX: Final = 16
"""Targets that one worker process keeps open."""
ROWS: Final = 2000
"""Rows that leave a worker at once."""
_PER_KIB: Final = 1024 if platform.system() == "Darwin" else 1
"""What `ru_maxrss` counts in: bytes on macOS, KiB elsewhere."""

Row = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Work:
    """A batch as it travels to the workers: row i of the input stands for chunk i."""

    campaign: str
    identity: str
    gap: bool
    lanes: dict[int, Lane]
    chunks: tuple[Chunk, ...]


class Benches:
    """The open targets of this worker process, the least used closed when there are too many."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, int], tuple[Bench, ExitStack]] = {}

    def get(self, identity: str, lane: Lane) -> Bench:
        """The lane's target, opened if need be."""
        key = identity, lane.number
        found = self._open.pop(key, None)
        if found is None:
            if len(self._open) >= OPEN_MAX:
                self._close(next(iter(self._open)))
            stack = ExitStack()
            found = stack.enter_context(open_bench(lane.job)), stack
        self._open[key] = found
        return found[0]

    def _close(self, key: tuple[str, int]) -> None:
        self._open.pop(key)[1].close()


_BENCHES: Final = Benches()


def play(work: Work, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of the chunks that the input names; for `mapInArrow`."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from _packed(rows_of(work, work.chunks[number]))


def _packed(rows: Iterator[Row]) -> Iterator[pyarrow.RecordBatch]:
    import pyarrow as pa

    schema, waiting = work_schema(), list[dict[str, Any]]()
    empty = {"table": None, **{table.name: None for table in BATCHED}}
    for name, row in rows:
        waiting.append({**empty, "table": name, name: row})
        if len(waiting) >= ROWS:
            yield pa.RecordBatch.from_pylist(waiting, schema)
            waiting = []
    if waiting:
        yield pa.RecordBatch.from_pylist(waiting, schema)


def rows_of(work: Work, chunk: Chunk) -> Iterator[Row]:
    """The rows of one chunk: histories first, then what they add up to."""
    lane = work.lanes[chunk.lane]
    bench = _BENCHES.get(work.identity, lane)
    labels = {"target": lane.target, "profile": lane.profile}
    measures = work.gap and lane.job.target.kind in "CS"
    tally, smallest = Tally(), dict[tuple[str, str], dict[str, Any]]()
    started = time.perf_counter_ns()
    for index in range(chunk.start, chunk.stop):
        distance = Distance() if measures else None
        case, seen = bench.look(index, distance.see if distance else None)
        tally.take(index, case, seen, bench.driver)
        classes: dict[str, set[bool]] = {}
        for violation in seen.violations:
            classes.setdefault(violation.claim, set()).add(violation.contradictory)
        own = {**labels, "index": index, "seed": derive_seed(lane.job.options.seed, index)}
        yield (
            "runs",
            {
                "campaign": work.campaign,
                **own,
                **bench.driver.counts(case),
                "rebalances": seen.asked,
                "broken": sorted(classes),
            },
        )
        if distance is not None:
            yield "gaps", {**own, **distance.row()}
        if classes:
            size = list(bench.driver.size(case))
            for claim, inputs in classes.items():
                _note(smallest, claim, "contradictory" if all(inputs) else "ordinary", size, index)
    spent = time.perf_counter_ns() - started
    for claim, count in tally.counts.items():
        counts = {"checked": count.checked, "failed": count.failed, "contradictory": count.contradictory}
        yield "tallies", {**labels, "claim": claim, **counts}
    for candidate in smallest.values():
        yield "candidates", {**labels, **candidate}
    for situation, times in tally.reached.items():
        yield "seen", {**labels, "situation": situation, "times": times}
    yield "timings", {**labels, "start": chunk.start, "stop": chunk.stop, **_circumstances(spent)}


def _note(
    smallest: dict[tuple[str, str], dict[str, Any]], claim: str, kind: str, size: list[int], index: int
) -> None:
    """Keep the smallest, then earliest, history that breaks the claim on such input."""
    found = smallest.get((claim, kind))
    if found is None:
        smallest[claim, kind] = {"claim": claim, "input": kind, "failed": 1, "size": size, "index": index}
        return
    found["failed"] += 1
    if (size, index) < (found["size"], found["index"]):
        found["size"], found["index"] = size, index


def _circumstances(spent: int) -> dict[str, Any]:
    """Where a task ran and what it took; no column of it is deterministic."""
    from pyspark import TaskContext

    context = TaskContext.get()
    return {
        "nanoseconds": spent,
        "host": platform.node(),
        "pid": os.getpid(),
        "attempt": context.attemptNumber() if context is not None else 0,
        "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _PER_KIB,
    }
