"""The tables of a walk, all Parquet, and the job that admits the states of a level which are new.

    visited/level=L   fingerprint, parent (0 at the start), data: the states whose shortest path has L steps
    steps/level=L     what the workers returned when level L was expanded (see `worker`)
    seen/N-B          the fingerprints of the first N levels, derived from them, in B buckets

New is what a level reached and no earlier level has: an anti-join by sorting and merging, which needs little
memory for any number of states. Earlier fingerprints lie in sorted buckets, `seen` and then the levels after
it, so none of them is moved or sorted again. Some levels later, or when the states outgrow their buckets, all
of them are merged into a new `seen`, with more buckets.

Rows do not depend on who walked or in how many tasks: a state's parent is the least of the states before it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence
from functools import partial, reduce
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.pipeline.spark import slots
from kassay.pipeline.walk import worker
from kassay.pipeline.walk.records import Journal, Merged
from kassay.pipeline.workers import on_workers

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

VISITED: Final = "visited"
STEPS: Final = "steps"
SEEN: Final = "seen"
BUCKET_STATES: Final = 1_000_000
"""Fingerprints of a bucket at which it is split."""
LEVELS_MAX: Final = 8
"""Levels since the last merge that are read one by one."""
TASK_STATES: Final = 2_000
"""States of a level that are worth a task of their own."""
TASKS_MAX: Final = 16
"""Tasks of a level for each slot: a larger one sends more states only once."""
_SEEN_DDL: Final = "fingerprint BIGINT"
_DDL: Final = f"{_SEEN_DDL}, parent BIGINT, data BINARY"
_SETTINGS: Final = {
    # Fingerprints are spread evenly and buckets have their size, so adaptive plans have nothing to do here.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.join.preferSortMergeJoin": "true",
    "spark.sql.sources.bucketing.enabled": "true",
    # A bucket is one file, written in order: its rows are merged as they are read.
    "spark.sql.legacy.bucketedTableScan.outputOrdering": "true",
    "spark.sql.files.openCostInBytes": "65536",
}


class State(NamedTuple):
    """A state as stored in the table."""

    fingerprint: int
    parent: int
    data: bytes
    level: int


class Written(NamedTuple):
    """A level as written: its states, their digest in any order, and its buckets (0: none)."""

    states: int
    digest: int
    buckets: int


NOTHING: Final = Written(0, 0, 0)


def buckets_for(states: int, at_once: int, bucket_states: int = BUCKET_STATES) -> int:
    """The buckets for so many states to grow to twice as many, at least two for each slot; a power of two."""
    wanted = max(2 * at_once, -(-2 * states // bucket_states))
    return 1 << (wanted - 1).bit_length()


class WalkTables:
    """The tables of one walk in a session; data without a receipt is deleted first.

    Raises InputError if a table differs from the receipts.
    """

    def __init__(
        self,
        spark: SparkSession,
        journal: Journal,
        *,
        bucket_states: int = BUCKET_STATES,
        levels_max: int = LEVELS_MAX,
    ) -> None:
        self.spark = spark.newSession()
        self.journal = journal
        self.store = journal.store
        self.bucket_states = bucket_states
        self.levels_max = levels_max
        for key, value in _SETTINGS.items():
            self.spark.conf.set(key, value)
        self._name = f"walk_{blake2b(self.store.place.encode(), digest_size=8).hexdigest()}"
        self._registered: set[str] = set()
        self._open()

    def _open(self) -> None:
        """Keep the finished levels, the waiting one and the last merge; check them."""
        levels = len(self.journal.receipts)
        for name, count in ((VISITED, levels + (levels > 0)), (STEPS, levels)):
            for folder in self.store.names(name):
                if folder.startswith("_") or int(folder.removeprefix("level=")) >= count:
                    self._remove(f"{name}/{folder}")
        if levels:
            self._check()
        merged = self.journal.merged
        if merged.levels and self._merged().count() != merged.states:
            self.journal.merged = merged = Merged(0, 0, 0)  # all of it lies in the levels
        for folder in self.store.names(SEEN):
            if f"{SEEN}/{folder}" != _place(merged):
                self._remove(f"{SEEN}/{folder}")

    def _check(self) -> None:
        folders = set(self.store.names(VISITED))
        there = self._written([each for each in self._all() if f"level={each}" in folders])
        for receipt in self.journal.receipts:
            level, (states, digest) = receipt.level + 1, there.get(receipt.level + 1, (0, 0))
            damaged = f"{self.store.place}: damaged: level {level} has"
            if states != receipt.led_to:
                raise InputError(f"{damaged} {states} states, expected {receipt.led_to}")
            if digest != receipt.digest:
                raise InputError(f"{damaged} other states than were written")

    def _all(self) -> range:
        """The finished levels, and the waiting one if there is one."""
        return range(len(self.journal.receipts) + (self.journal.waiting > 0))

    def _written(self, levels: Collection[int]) -> dict[int, tuple[int, int]]:
        """Count and digest of each level."""
        if not levels:
            return {}
        rows = self._levels(levels, "level", "xxhash64(fingerprint, parent) AS hash").groupBy("level")
        return {
            row["level"]: (row["states"], row["digest"])
            for row in rows.agg({"*": "count", "hash": "bit_xor"}).toDF("level", "states", "digest").collect()
        }

    def _remove(self, name: str) -> None:
        """Delete the folder of this name."""
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(self.store.address(name))
        path.getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf()).delete(path, True)

    def _levels(self, levels: Collection[int], *columns: str) -> DataFrame:
        """The states of these levels, with their level."""
        base, reader = self.store.address(VISITED), self.spark.read.schema(f"{_DDL}, level INT")
        places = [f"{base}/level={level}" for level in levels]
        return reader.option("basePath", base).parquet(*places).selectExpr(*columns)

    def visited(self) -> DataFrame:
        """The states found: fingerprint, parent and level."""
        return self._levels(self._all(), "fingerprint", "parent", "level")

    def steps(self, *levels: int) -> DataFrame:
        """The workers' output for these levels."""
        places = [self.store.address(f"{STEPS}/level={level}") for level in levels]
        return self.spark.read.schema(worker.STEPS_DDL).parquet(*places)

    def states(self, level: int) -> list[State]:
        """The states of a level."""
        columns = self._levels([level], *State._fields).toArrow().to_pydict()
        return [State(*row) for row in sorted(zip(*columns.values()))]

    def fingerprints(self) -> set[int]:
        """The fingerprints of all states."""
        return set(self.visited().select("fingerprint").toArrow().column(0).to_pylist())

    def parents(self) -> pyarrow.Table:
        """Fingerprint, parent and level of all states."""
        return self.visited().toArrow()

    def ancestors(self, wanted: Collection[tuple[int, int]]) -> pyarrow.Table:
        """The same for these states (level and fingerprint), and for all states on the paths to them."""
        import pyarrow as pa

        rows: list[dict[str, int]] = []
        above: set[int] = set()
        for level in range(max((level for level, _ in wanted), default=-1), -1, -1):
            above |= {fingerprint for at, fingerprint in wanted if at == level}
            few = self._levels([level], "fingerprint", "parent", "level")
            here = [row.asDict() for row in few.where(few.fingerprint.isin(above)).collect()]
            rows += here
            above = {row["parent"] for row in here}
        schema = pa.schema({"fingerprint": pa.int64(), "parent": pa.int64(), "level": pa.int32()})
        return pa.Table.from_pylist(rows, schema)

    def sources(self, levels: Sequence[int]) -> pyarrow.Table:
        """The states of finished levels, with their steps."""
        rows = self.steps(*levels).where("source IS NOT NULL")
        return rows.select("source", "converged", "targets", "labels").toArrow()

    def append(
        self, states: Sequence[State], steps: Sequence[tuple[int, list[pyarrow.RecordBatch]]]
    ) -> dict[int, Written]:
        """Write levels that were explored in this process: the states found, and the steps by level."""
        import pyarrow as pa

        each = []
        for level, batches in steps:
            table = pa.Table.from_batches(batches)
            each.append(table.append_column("level", pa.array([level] * table.num_rows, pa.int32())))
        self._append(STEPS, pa.concat_tables(each))
        if not states:
            return {}
        kinds = pa.schema(dict(zip(State._fields, (pa.int64(), pa.int64(), pa.binary(), pa.int32()))))
        self._append(VISITED, pa.table(dict(zip(State._fields, map(list, zip(*states)))), kinds))
        there = self._written({state.level for state in states})
        return {level: Written(*counted, 0) for level, counted in there.items()}

    def _append(self, name: str, table: pyarrow.Table) -> None:
        frame = self.spark.createDataFrame(table).coalesce(1)
        frame.write.mode("append").partitionBy("level").parquet(self.store.address(name))

    def expand(self, level: int) -> list[dict[str, Any]]:
        """Expand and check the states of a level in the workers; returns their tasks' summaries."""
        at_once = slots(self.spark)
        tasks = max(at_once, min(self.journal.waiting // TASK_STATES, TASKS_MAX * at_once))
        self.spark.conf.set("spark.sql.files.minPartitionNum", str(tasks))
        # In order, so that what a task sends once has the least of its parents in that task.
        states = self._levels([level], "fingerprint", "data").sortWithinPartitions("fingerprint")
        steps = states.mapInArrow(on_workers(partial(worker.steps_of, self.journal.walk)), worker.STEPS_DDL)
        steps.write.mode("overwrite").parquet(self.store.address(f"{STEPS}/level={level}"))
        said = self.steps(level).where("said IS NOT NULL").select("said").collect()
        return [json.loads(row[0]) for row in said]

    def admit(self, level: int) -> Written:
        """Write the states that a level reached first as the next level."""
        runs = self._runs(level)
        buckets = self.journal.merged.buckets
        fresh = self.fresh(level, runs)
        self._insert(f"{VISITED}/level={level + 1}", _DDL, fresh, buckets)
        return Written(*self._written([level + 1]).get(level + 1, (0, 0)), buckets)

    def fresh(self, level: int, runs: Sequence[DataFrame]) -> DataFrame:
        """The states that a level reached and that no run has."""
        from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

        self.spark.conf.set("spark.sql.shuffle.partitions", str(self.journal.merged.buckets))
        met = self.steps(level).where("met IS NOT NULL").selectExpr("met AS fingerprint", "parent", "data")
        left = reduce(lambda rest, run: rest.join(run, "fingerprint", "left_anti"), runs, met)
        parent, data = F.min("parent").alias("parent"), F.first("data").alias("data")
        return left.groupBy("fingerprint").agg(parent, data)

    def _runs(self, level: int) -> list[DataFrame]:
        """The fingerprints up to this level, as tables with equal buckets; merged first if need be."""
        journal = self.journal
        merged, since = journal.merged, range(journal.merged.levels, level + 1)
        needed = buckets_for(journal.states // 2, slots(self.spark), self.bucket_states)
        unlike = any(each.buckets != merged.buckets for each in journal.receipts[max(0, merged.levels - 1) :])
        if merged.buckets < needed or unlike or len(since) > self.levels_max:
            merged, since = self._merge(level + 1), range(0)
        places = [f"{VISITED}/level={each}" for each in since]
        return [
            self._merged(),
            *(self._table(place, _DDL, merged.buckets).select("fingerprint") for place in places),
        ]

    def _merge(self, levels: int) -> Merged:
        """Merge the fingerprints of the first levels into one table, with buckets for all states."""
        before, states = self.journal.merged, self.journal.states
        merged = Merged(levels, states, buckets_for(states, slots(self.spark), self.bucket_states))
        runs = [self._merged()] if before.levels else []
        if before.levels < levels:
            runs.append(self._levels(range(before.levels, levels), "fingerprint"))
        every = reduce(lambda one, other: one.union(other), runs).repartition(merged.buckets, "fingerprint")
        self._insert(_place(merged), _SEEN_DDL, every, merged.buckets)
        self.journal.sign_merged(merged)
        if before.levels:
            self._remove(_place(before))
        return merged

    def _merged(self) -> DataFrame:
        merged = self.journal.merged
        return self._table(_place(merged), _SEEN_DDL, merged.buckets)

    def _insert(self, place: str, ddl: str, rows: DataFrame, buckets: int) -> None:
        """Write rows that are distributed by fingerprint, a file for each bucket."""
        self._table(place, ddl, buckets)
        rows.write.insertInto(self._table_name(place), overwrite=True)

    def _table(self, place: str, ddl: str, buckets: int) -> DataFrame:
        """A table in sorted buckets."""
        name = self._table_name(place)
        if name not in self._registered:
            self.spark.sql(f"DROP TABLE IF EXISTS {name}")
            self.spark.sql(
                f"CREATE TABLE {name} ({ddl}) USING parquet CLUSTERED BY (fingerprint) "
                f"SORTED BY (fingerprint) INTO {buckets} BUCKETS LOCATION '{self.store.address(place)}'"
            )
            self._registered.add(name)
        return self.spark.table(name)

    def _table_name(self, place: str) -> str:
        return f"{self._name}_{re.sub(r'[/=-]', '_', place)}"


def _place(merged: Merged) -> str:
    return f"{SEEN}/{merged.levels}-{merged.buckets}"
