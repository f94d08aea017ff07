"""What a walk keeps: its header, a receipt for each level, and the tables of states and steps.

    visited/level=L   fingerprint, parent (0 at the start), data: the states whose shortest path has L steps
    steps/level=L     what the workers returned when level L was expanded (see `worker`)

A level counts once its receipt exists, which is written last and atomically. Both are Parquet. `visited`
is bucketed by fingerprint, so that only newly reached states are shuffled into the buckets: earlier
states are read in place, and no level moves them again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay import __version__
from kassay.model.errors import InputError
from kassay.model.explore.values import WalkProgress
from kassay.pipeline.spark import slots
from kassay.pipeline.store import Store
from kassay.pipeline.walk import worker
from kassay.pipeline.walk.worker import Noted, SparkWalk
from kassay.pipeline.workers import on_workers

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession


HEADER: Final = "walk.json"
LEVELS: Final = "levels"
SCHEMA: Final = "kassay/walk/4"
BUCKETS: Final = 16
"""Buckets for the states of every level, by fingerprint; a task joins one bucket of all levels."""


@dataclass(frozen=True)
class Receipt:
    """A finished level: the number of its states, of their steps, and of the states reached.

    `noted`, `checked` and `actions` are the results of all its tasks.
    """

    level: int
    states: int
    edges: int
    led_to: int
    noted: list[list[Any]]
    checked: list[str]
    actions: dict[str, str]
    elapsed_s: float


@dataclass
class Journal:
    """The documents of one walk."""

    store: Store
    walk: SparkWalk
    buckets: int
    receipts: list[Receipt] = field(default_factory=list)

    @property
    def states(self) -> int:
        """The states found so far."""
        return sum(each.states for each in self.receipts) + self.waiting

    @property
    def edges(self) -> int:
        """The steps taken so far."""
        return sum(each.edges for each in self.receipts)

    @property
    def waiting(self) -> int:
        """The states of the next level."""
        return self.receipts[-1].led_to if self.receipts else 0

    @property
    def elapsed_s(self) -> float:
        """The seconds spent on all levels, over all runs."""
        return sum(each.elapsed_s for each in self.receipts)

    def progress(self) -> WalkProgress:
        """The progress of the walk; its depth counts the finished levels."""
        return WalkProgress(self.states, self.edges, len(self.receipts), self.waiting, self.elapsed_s)

    def sign(self, receipt: Receipt) -> None:
        """Record that a level is finished."""
        self.store.write(f"{LEVELS}/{receipt.level:06}.json", vars(receipt))
        self.receipts.append(receipt)

    def noted(self) -> Noted:
        """The findings of all levels; examples are ordered by the length of their path."""
        total = Noted()
        for receipt in self.receipts:
            for name, severity, seen, (late, number, goal, message) in receipt.noted:
                example = (receipt.level + late, number, goal, message)
                total.note((name, severity), example, seen)
        return total


def open_journal(store: Store, walk: SparkWalk, buckets: int = BUCKETS) -> Journal:
    """The journal of the walk in this location, created if there is none.

    Raises InputError if the location has another walk, or one of another version of kassay.
    """
    header = {
        "schema": SCHEMA,
        "kassay": __version__,
        "model": walk.settings.model,
        "settings": walk.settings.to_json(),
        "symmetry": walk.symmetric,
        "buckets": buckets,
    }
    there = store.read(HEADER)
    if there is None:
        store.write(HEADER, header)
        return Journal(store, walk, buckets)
    for key in ("schema", "kassay"):
        if there.get(key) != header[key]:
            raise InputError(
                f"--out {store.place}: begun by {there.get(key)!r}, expected {header[key]!r}: "
                "another version wrote its states"
            )
    for key in ("model", "settings", "symmetry"):
        if there.get(key) != header[key]:
            raise InputError(
                f"--out {store.place}: has another walk, {_difference(there.get(key), header[key], key)}; "
                "expected its options, or another folder"
            )
    return Journal(store, walk, int(there["buckets"]), _receipts(store))


def _difference(there: Any, wanted: Any, key: str) -> str:
    """The first difference between the existing walk and the requested one."""
    if isinstance(there, dict) and isinstance(wanted, dict):
        for name in sorted({*there, *wanted}):
            if there.get(name) != wanted.get(name):
                return _difference(there.get(name), wanted.get(name), name)
    return f"of {key} {there}, not {wanted}"


def _receipts(store: Store) -> list[Receipt]:
    """The receipts of the finished levels, consecutive from the first."""
    receipts: list[Receipt] = []
    for name in store.names(LEVELS):
        if name != f"{len(receipts):06}.json":
            break
        document = store.read(f"{LEVELS}/{name}")
        try:
            receipts.append(Receipt(**(document or {})))
        except TypeError:
            raise InputError(f"{store.place}/{LEVELS}/{name}: no receipt of a level") from None
    return receipts


VISITED: Final = "visited"
STEPS: Final = "steps"
STATES_A_TASK: Final = 100_000
"""The least number of states per task, if a level has enough."""
_DDL: Final = "fingerprint BIGINT, parent BIGINT, data BINARY, level INT"
_SETTINGS: Final = {
    # Adaptive plans merge small partitions, and would then shuffle the visited states again.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.sources.bucketing.enabled": "true",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.shuffle.partitions": "{buckets}",
    "spark.sql.files.openCostInBytes": "65536",
}


class State(NamedTuple):
    """A state as stored in the table."""

    fingerprint: int
    parent: int
    data: bytes
    level: int


class WalkTables:
    """The tables of one walk in a session; data without a receipt is deleted first.

    Raises InputError if a table differs from the receipts.
    """

    def __init__(self, spark: SparkSession, journal: Journal) -> None:
        self.spark = spark.newSession()
        self.journal = journal
        self.store = journal.store
        for key, value in _SETTINGS.items():
            self.spark.conf.set(key, value.format(buckets=journal.buckets))
        self._name = f"visited_{blake2b(self.store.place.encode(), digest_size=8).hexdigest()}"
        self._open()

    def _open(self) -> None:
        """Register the finished levels and the waiting one with Spark."""
        levels = len(self.journal.receipts)
        for name, count in ((VISITED, levels + (levels > 0)), (STEPS, levels)):
            for folder in self.store.names(name):
                if folder.startswith("_") or int(folder.removeprefix("level=")) >= count:
                    self._remove(f"{name}/{folder}")
        self.spark.sql(f"DROP TABLE IF EXISTS {self._name}")
        self.spark.sql(
            f"CREATE TABLE {self._name} ({_DDL}) USING parquet PARTITIONED BY (level) "
            f"CLUSTERED BY (fingerprint) INTO {self.journal.buckets} BUCKETS "
            f"LOCATION '{self.store.address(VISITED)}'"
        )
        if levels:
            parts = " ".join(f"PARTITION (level={level})" for level in range(levels + 1))
            self.spark.sql(f"ALTER TABLE {self._name} ADD IF NOT EXISTS {parts}")
            self._check()

    def _check(self) -> None:
        counts = {row["level"]: row["count"] for row in self.visited().groupBy("level").count().collect()}
        expected = [each.states for each in self.journal.receipts] + [self.journal.waiting]
        for level, states in enumerate(expected):
            if counts.get(level, 0) != states:
                raise InputError(
                    f"{self.store.place}: damaged: level {level} has {counts.get(level, 0)} states, "
                    f"expected {states}"
                )

    def _remove(self, name: str) -> None:
        """Delete the folder of this name."""
        jvm: Any = self.spark._jvm
        path = jvm.org.apache.hadoop.fs.Path(self.store.address(name))
        path.getFileSystem(self.spark._jsparkSession.sessionState().newHadoopConf()).delete(path, True)

    def visited(self) -> DataFrame:
        """The states found."""
        return self.spark.table(self._name)

    def steps(self, *levels: int) -> DataFrame:
        """The workers' output for these levels."""
        places = [self.store.address(f"{STEPS}/level={level}") for level in levels]
        return self.spark.read.schema(worker.STEPS_DDL).parquet(*places)

    def states(self, level: int) -> list[State]:
        """The states of a level."""
        columns = self.visited().where(f"level = {level}").select(*State._fields).toArrow().to_pydict()
        return [State(*row) for row in sorted(zip(*columns.values()))]

    def fingerprints(self) -> set[int]:
        """The fingerprints of all states."""
        return set(self.visited().select("fingerprint").toArrow().column(0).to_pylist())

    def parents(self) -> pyarrow.Table:
        """Fingerprint, parent and level of all states."""
        return self.visited().select("fingerprint", "parent", "level").toArrow()

    def ancestors(self, wanted: Collection[tuple[int, int]]) -> pyarrow.Table:
        """The same for these states (level and fingerprint), and for all states on the paths to them."""
        import pyarrow as pa

        rows: list[dict[str, int]] = []
        above: set[int] = set()
        for level in range(max((level for level, _ in wanted), default=-1), -1, -1):
            above |= {fingerprint for at, fingerprint in wanted if at == level}
            few = self.visited().where(f"level = {level}").select("fingerprint", "parent", "level")
            here = [row.asDict() for row in few.where(few.fingerprint.isin(above)).collect()]
            rows += here
            above = {row["parent"] for row in here}
        schema = pa.schema({"fingerprint": pa.int64(), "parent": pa.int64(), "level": pa.int32()})
        return pa.Table.from_pylist(rows, schema)

    def sources(self, levels: Sequence[int]) -> pyarrow.Table:
        """The states of finished levels, with their steps."""
        rows = self.steps(*levels).where("source IS NOT NULL")
        return rows.select("source", "converged", "targets", "labels").toArrow()

    def append(self, states: Sequence[State], steps: Sequence[tuple[int, list[pyarrow.RecordBatch]]]) -> None:
        """Write levels that were explored in this process: the states found, and the steps by level."""
        import pyarrow as pa

        if states:
            columns = dict(zip(State._fields, map(list, zip(*states))))
            self._insert(
                self.spark.createDataFrame(
                    pa.table(
                        columns,
                        pa.schema(
                            dict(zip(State._fields, (pa.int64(), pa.int64(), pa.binary(), pa.int32())))
                        ),
                    )
                )
            )
        each = []
        for level, batches in steps:
            table = pa.Table.from_batches(batches)
            each.append(table.append_column("level", pa.array([level] * table.num_rows, pa.int32())))
        frame = self.spark.createDataFrame(pa.concat_tables(each)).coalesce(1)
        frame.write.mode("append").partitionBy("level").parquet(self.store.address(STEPS))

    def expand(self, level: int) -> list[dict[str, Any]]:
        """Expand and check the states of a level in the workers; returns their tasks' summaries."""
        tasks = max(slots(self.spark), self.journal.waiting // STATES_A_TASK)
        self.spark.conf.set("spark.sql.files.minPartitionNum", str(tasks))
        states = self.visited().where(f"level = {level}").select("fingerprint", "data")
        steps = states.mapInArrow(on_workers(partial(worker.steps_of, self.journal.walk)), worker.STEPS_DDL)
        steps.write.mode("overwrite").parquet(self.store.address(f"{STEPS}/level={level}"))
        said = self.steps(level).where("said IS NOT NULL").select("said").collect()
        return [json.loads(row[0]) for row in said]

    def admit(self, level: int) -> int:
        """Write the states that a level reached first as the next level; returns their number."""
        from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

        met = self.steps(level).where("met IS NOT NULL").selectExpr("met AS fingerprint", "parent", "data")
        before = self.visited().select("fingerprint").hint("shuffle_hash")
        fresh = met.join(before, "fingerprint", "left_anti").groupBy("fingerprint")
        self._insert(
            fresh.agg(
                F.min("parent").alias("parent"),
                F.first("data").alias("data"),
                F.lit(level + 1).alias("level"),
            )
        )
        count: int = self.visited().where(f"level = {level + 1}").count()
        return count

    def _insert(self, states: DataFrame) -> None:
        states.createOrReplaceTempView("fresh")
        self.spark.sql(f"INSERT INTO {self._name} SELECT {', '.join(State._fields)} FROM fresh")
