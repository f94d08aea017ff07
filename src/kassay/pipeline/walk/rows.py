"""Code of a Spark worker: states in; reached states, their steps and findings out.

One table per level of the search holds three kinds of rows, distinguished by their filled columns: states
reached (`met`, `parent`, `data`), states with all their steps (`source`, `converged`, `targets`, `labels`),
and a task's summary (`said`).
"""

from __future__ import annotations

import gc
import json
import os
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.pipeline.walk.bench import Expanded, SparkWalk, WalkBench

if TYPE_CHECKING:
    import pyarrow

STEPS_DDL: Final = (
    "met bigint, parent bigint, data binary, "
    "source bigint, converged boolean, targets binary, labels binary, said string"
)
RESIDENT_MAX: Final = 1_500 << 20
"""Resident bytes of a worker before it discards its caches."""
_STATM: Final = Path("/proc/self/statm")
_BENCHES: Final[dict[SparkWalk, WalkBench]] = {}


def steps_of(walk: SparkWalk, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of the input's states, given as fingerprint and bytes; for `mapInArrow`."""
    bench = _bench_of(walk)
    bench.begin()
    for batch in batches:
        numbers, states = (batch.column(i).to_pylist() for i in (0, 1))
        yield packed(numbers, [bench.expanded(*pair) for pair in zip(numbers, states)])
    yield packed_words(bench)


def _bench_of(walk: SparkWalk) -> WalkBench:
    """This process's bench: caches of models, invariants and codec serve all tasks of a walk.

    It only affects speed, so it is discarded when it has grown too large.
    """
    bench = _BENCHES.get(walk)
    if bench is None or _resident() > RESIDENT_MAX:
        bench = None
        _BENCHES.clear()
        gc.collect()
        # States contain no cycles, and the collector would scan all caches again and again.
        gc.disable()
        bench = _BENCHES[walk] = WalkBench(walk)
    return bench


def _resident() -> int:
    """The resident bytes of this process; 0 if the system does not report them."""
    with suppress(OSError):
        return int(_STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def packed(numbers: Sequence[int], expanded: Sequence[Expanded]) -> pyarrow.RecordBatch:
    """The states reached from these states, and these states with their steps."""
    met = [
        (target, number, data)
        for number, one in zip(numbers, expanded, strict=True)
        for target, data in one.sent
    ]
    blank = len(met)
    return _batch(
        met=[row[0] for row in met],
        parent=[row[1] for row in met],
        data=[row[2] for row in met],
        source=[None] * blank + list(numbers),
        converged=[None] * blank + [one.converged for one in expanded],
        targets=[None] * blank + [_bytes(one.targets) for one in expanded],
        labels=[None] * blank + [_bytes(one.labels) for one in expanded],
    )


def words_of(bench: WalkBench) -> dict[str, Any]:
    """The findings of the bench since its task began, as JSON values."""
    return {
        "noted": [[*key, bench.noted.seen[key], bench.noted.least[key]] for key in sorted(bench.noted.seen)],
        "asked": sorted(bench.asked),
        "actions": {str(label): text for label, text in bench.actions.items()},
        "sources": bench.sources,
        "edges": bench.edges,
    }


def packed_words(bench: WalkBench) -> pyarrow.RecordBatch:
    """The row with the findings of the bench since its task began."""
    return _batch(said=[json.dumps(words_of(bench))])


def _bytes(numbers: Iterable[int]) -> bytes:
    return array("q", numbers).tobytes()


def _batch(**columns: list[Any]) -> pyarrow.RecordBatch:
    """A batch of the steps' table; omitted or short columns are filled with null."""
    import pyarrow as pa

    types = {"bigint": pa.int64(), "binary": pa.binary(), "boolean": pa.bool_(), "string": pa.string()}
    fields = [field.split() for field in STEPS_DDL.split(", ")]
    rows = max(map(len, columns.values()))
    arrays = []
    for name, kind in fields:
        values = columns.get(name, [])
        arrays.append(pa.array(values + [None] * (rows - len(values)), types[kind]))
    return pa.RecordBatch.from_arrays(arrays, [name for name, _ in fields])
