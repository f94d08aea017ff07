"""What leaves a worker: every step once, every state met at least once, and what was said."""

import gc
import json
import resource
import weakref
from typing import Any

import pytest

from kassay.engines.protocols.explore import explore
from kassay.pipeline.walk import worker
from kassay.pipeline.walk.worker import SparkWalk, WalkBench
from tests.pipeline.walk.walks import WORLDS, walk_of

pa = pytest.importorskip("pyarrow", reason="comes with the extra `spark`")
pytestmark = pytest.mark.spark


def walked_by_hand(walk: SparkWalk) -> tuple[dict[int, int], list[dict[str, Any]]]:
    """Fingerprints with their distances, and all rows, where every level is one task of one batch."""
    level, seen, depth, every = WalkBench(walk).first(), dict[int, int](), 0, list[dict[str, Any]]()
    seen |= {number: 0 for number, _ in level}
    while level:
        columns = [pa.array(list(column)) for column in zip(*level)]
        batch = pa.RecordBatch.from_arrays(columns, ["fingerprint", "data"])
        given = [row for out in worker.steps_of(walk, iter([batch])) for row in out.to_pylist()]
        every += given
        depth += 1
        met = {row["met"]: row["data"] for row in given if row["met"] is not None}
        level = [(number, data) for number, data in met.items() if number not in seen]
        seen |= {number: depth for number, _ in level}
    return seen, every


@pytest.mark.parametrize("world", WORLDS)
def test_the_rows_of_all_levels_are_the_graph(world: str) -> None:
    walk, alone = walk_of(WORLDS[world]), explore(WORLDS[world]).exploration
    seen, every = walked_by_hand(walk)
    sources = [row for row in every if row["source"] is not None]
    assert len(seen) == alone.states
    assert max(seen.values()) == alone.diameter
    assert sorted(row["source"] for row in sources) == sorted(seen)
    targets = [pa.py_buffer(row["targets"]) for row in sources]
    assert sum(len(each) for each in targets) == 8 * alone.edges
    assert [len(row["targets"]) for row in sources] == [len(row["labels"]) for row in sources]
    said = [json.loads(row["said"]) for row in every if row["said"] is not None]
    assert sum(one["edges"] for one in said) == alone.edges
    noted: dict[tuple[str, str], int] = {}
    for one in said:
        for name, severity, times, _ in one["noted"]:
            noted[name, severity] = noted.get((name, severity), 0) + times
    assert alone.liveness is not None
    assert noted.pop(worker.DEAD_END, 0) == len(alone.liveness.dead_ends)
    assert noted == {(v.invariant, str(v.severity)): v.seen for v in alone.violations}
    assert {name for one in said for name in one["checked"]} == alone.checked


def test_a_worker_that_holds_too_much_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    walk = walk_of(WORLDS["draft"])
    before, _ = walked_by_hand(walk)
    monkeypatch.setattr(worker, "RESIDENT_MAX", 1)
    assert walked_by_hand(walk)[0] == before


def test_the_collector_passes_over_the_caches_of_a_worker_and_frees_those_it_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    walk = walk_of(WORLDS["eager"])
    walked_by_hand(walk)
    bench = worker._BENCHES[walk]
    assert not any(each is bench for each in gc.get_objects())
    bench.actions[0] = bench  # type: ignore[assignment]  # a cycle, which only the collector frees
    dropped = weakref.ref(bench)
    del bench
    monkeypatch.setattr(worker, "RESIDENT_MAX", 1)
    walked_by_hand(walk)
    assert dropped() is None


@pytest.mark.parametrize("kind", [resource.RLIMIT_AS, resource.RLIMIT_DATA])
def test_a_worker_near_a_limit_of_its_own_is_full(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = dict.fromkeys((resource.RLIMIT_AS, resource.RLIMIT_DATA), resource.RLIM_INFINITY)
    monkeypatch.setattr(worker.resource, "getrlimit", lambda each: (limits[each], limits[each]))
    assert not worker._is_full()
    limits[kind] = 1 << 50
    assert not worker._is_full()
    limits[kind] = 1 << 20
    assert worker._is_full()
