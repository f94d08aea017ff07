"""The state of one process during a walk, and the work of a Spark worker.

A worker takes states and returns what it met, the steps that led there and what was said. One table per
level of the search holds three kinds of rows, distinguished by their filled columns: states reached
(`met`, `parent`, `data`), states with all their steps (`source`, `converged`, `targets`, `labels`), and
a task's summary (`said`).
"""

from __future__ import annotations

import gc
import json
import os
import resource
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.protocols.explore import shares_of
from kassay.engines.protocols.settings import ExploreSettings
from kassay.model.explore.search import Search
from kassay.model.explore.stable import PartsCodec
from kassay.model.explore.values import Action, Finding, Reduced, Severity, WalkLimits

if TYPE_CHECKING:
    import pyarrow


DEAD_END: Final = ("dead end", str(Severity.REAL))
"""Noted for a state where a run may not stay, and which only faults leave."""
REMEMBERED_MAX: Final = 400_000
"""Limit on remembered fingerprints of states, and on those that a task remembers as sent."""


@dataclass(frozen=True)
class SparkWalk:
    """The definition of a walk, as sent to the workers."""

    settings: ExploreSettings
    symmetric: str


@dataclass(frozen=True)
class Expanded:
    """A state's steps: targets by fingerprint, actions by label; whether the state may be terminal."""

    converged: bool
    targets: list[int]
    labels: list[int]
    sent: list[tuple[int, bytes]]


@dataclass
class Noted:
    """Findings of invariants by name and severity: their count, and the least example.

    An example is (1 for a step and 0 for a state, fingerprint of the violating state or of the step's source,
    fingerprint of the step's target or 0, message).
    """

    seen: dict[tuple[str, str], int] = field(default_factory=dict)
    least: dict[tuple[str, str], tuple[int, int, int, str]] = field(default_factory=dict)

    def note(self, key: tuple[str, str], example: tuple[int, int, int, str], times: int = 1) -> None:
        """Count a finding and keep the lesser example."""
        self.seen[key] = self.seen.get(key, 0) + times
        self.least[key] = min(example, self.least.get(key, example))


class WalkBench(Search[Any]):
    """Expands encoded states of one walk, like the search in a single process."""

    def __init__(self, walk: SparkWalk) -> None:
        shares = shares_of(walk.settings, symmetric=walk.symmetric)
        super().__init__(shares.model, shares.invariants, WalkLimits(None), None)
        self.codec = PartsCodec(shares.parts, shares.codec)
        self.noted = Noted()
        self.actions: dict[int, str] = {}
        model = self.model
        self._canonical = model.full.canonical if isinstance(model, Reduced) else model.canonical
        self._labels: dict[Action, int] = {}
        self._fingerprints: dict[Hashable, int] = {}
        self._sent: set[int] = set()
        self.sources = self.edges = 0

    def begin(self) -> None:
        """Start a new task: forget what was noted and sent."""
        self.noted, self.actions = Noted(), {}
        self.sources = self.edges = 0
        self._labels.clear()
        self._sent.clear()

    def note(self, name: str, finding: Finding, node: int, via: tuple[Action, Any] | None) -> None:
        """Count a finding about a state or the current step."""
        goal = 0 if via is None else self.fingerprint(self.model.canonical(via[1]))
        self.noted.note((name, finding.severity), (via is not None, node, goal, finding.message))

    def first(self) -> list[tuple[int, bytes]]:
        """The distinct initial states, as fingerprints and bytes."""
        starts = dict.fromkeys(map(self.model.canonical, self.model.initial()))
        return [(self.fingerprint(state), self.codec.encode(state)) for state in starts]

    def fingerprint(self, state: Any) -> int:
        """The fingerprint of a canonical state."""
        number = self._fingerprints.get(state)
        if number is None:
            if len(self._fingerprints) >= REMEMBERED_MAX:
                self._fingerprints.clear()
            number = self._fingerprints[state] = self.codec.fingerprint(state)
        return number

    def expanded(self, number: int, data: bytes) -> Expanded:
        """Check a state and take all its steps. States that this task already `sent` are not sent again."""
        model, canonical = self.model, self.model.canonical
        state = self.codec.decode(data)
        self.judge_state(state, number)
        lefts = [None if reads is None else reads(state) for reads, *_ in self.step_checks]
        targets: list[int] = []
        labels: list[int] = []
        sent: list[tuple[int, bytes]] = []
        if len(self._sent) >= REMEMBERED_MAX:
            self._sent.clear()
        self._sent.add(number)
        stays = True
        for action, after in model.steps(state):
            if lefts and after is not state:
                self.judge_step(state, lefts, number, action, after)
            reached = after
            after = canonical(after)
            target = self.fingerprint(after)
            if stays and not action.fault:
                # To a renaming of itself it has left.
                stays = target == number and self._canonical(reached) == state
            targets.append(target)
            labels.append(self._label(action))
            if target not in self._sent:
                self._sent.add(target)
                sent.append((target, self.codec.encode(after)))
        self.sources += 1
        self.edges += len(targets)
        converged = model.converged(state)
        if stays and not converged:
            self.noted.note(DEAD_END, (0, number, 0, ""))
        return Expanded(converged, targets, labels, sent)

    def _label(self, action: Action) -> int:
        """The action's number, the same in every process."""
        label = self._labels.get(action)
        if label is None:
            text = json.dumps(action)
            digest = blake2b(text.encode(), digest_size=8).digest()
            label = self._labels[action] = int.from_bytes(digest, "big", signed=True)
            self.actions[label] = text
        return label


STEPS_DDL: Final = (
    "met bigint, parent bigint, data binary, "
    "source bigint, converged boolean, targets binary, labels binary, said string"
)
RESIDENT_MAX: Final = 1_500 << 20
"""Resident bytes of a worker before it discards its caches."""
LIMIT_SHARE: Final = 3 / 4
"""The share of its own limits of memory, if it has any, from which on it discards them too."""
_STATM: Final = Path("/proc/self/statm")
_BENCHES: Final[dict[SparkWalk, WalkBench]] = {}


def steps_of(walk: SparkWalk, batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of the input's states, given as fingerprint and bytes; for `mapInArrow`."""
    bench = _bench_of(walk)
    bench.begin()
    for batch in batches:
        numbers, states = (batch.column(i).to_pylist() for i in (0, 1))
        yield packed(numbers, [bench.expanded(*pair) for pair in zip(numbers, states)])
    # PySpark collects garbage after each task, which took longer than the task: the caches stay out of it.
    gc.freeze()
    yield packed_words(bench)


def _bench_of(walk: SparkWalk) -> WalkBench:
    """This process's bench: caches of models, invariants and codec serve all tasks of a walk.

    It only affects speed, so it is discarded when it has grown too large.
    """
    bench = _BENCHES.get(walk)
    if bench is None or _is_full():
        bench = None
        _BENCHES.clear()
        gc.unfreeze()
        gc.collect()
        # States contain no cycles, and the collector would scan all caches again and again.
        gc.disable()
        bench = _BENCHES[walk] = WalkBench(walk)
    return bench


def _is_full() -> bool:
    """Whether this process holds more than it should; False if the system does not report it."""
    try:
        pages = list(map(int, _STATM.read_text(encoding="ascii").split()))
    except OSError:
        return False
    size, resident, data = (pages[i] * os.sysconf("SC_PAGE_SIZE") for i in (0, 1, 5))
    # Spark's `spark.executor.pyspark.memory` limits the address space.
    return (
        resident > RESIDENT_MAX or _is_near(size, resource.RLIMIT_AS) or _is_near(data, resource.RLIMIT_DATA)
    )


def _is_near(held: int, kind: int) -> bool:
    """Whether this process comes near one of its own limits, if it has that one."""
    most, _ = resource.getrlimit(kind)
    return most != resource.RLIM_INFINITY and held > LIMIT_SHARE * most


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
        "checked": sorted(bench.checked),
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
