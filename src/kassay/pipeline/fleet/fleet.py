"""The replay of a fleet, load by load: reads new snapshots, brings the tables up to date, sums them up.

What is read is stored as it is, in `lines`; the other tables follow from it. Events and states are computed
again from the day of the first new snapshot on, starting with the last snapshot of each group before that
day. Groups in which something changed are replayed again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.targets.resolve import Target
from kassay.model.errors import InputError
from kassay.pipeline.fleet.dialects import LOST
from kassay.pipeline.fleet.history import changed_groups, events_of, states_of
from kassay.pipeline.fleet.ledger import DAY, FleetLedger, Parts
from kassay.pipeline.fleet.replay import Subscriptions, replays
from kassay.pipeline.fleet.snapshots import input_files, read_lines, settled, still_there
from kassay.pipeline.fleet.tables import (
    DATED,
    EVENTS,
    LINES,
    REJECTED,
    REPLAYS,
    SNAPSHOTS,
    STATES,
    TABLES,
)
from kassay.pipeline.tables import Table
from kassay.writing.files import json_text
from kassay.writing.text import counted

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


SCHEMA: Final = "kassay/fleet/2"
PIECES: Final = 16
"""Tasks per core."""
SUMMARY: Final = """
    SELECT assignor, count(*) AS groups, sum(rebalances) AS rebalances, sum(to_switch) AS to_switch,
      sum(moved) AS moved, sum(moved_least) AS moved_least, sum(balance) AS balance,
      max(spread_worst) AS spread_worst,
      sum(int(against_actual = 'better')) AS better, sum(int(against_actual = 'same')) AS same,
      sum(int(against_actual = 'worse')) AS worse, sum(int(against_actual = 'unknown')) AS unknown
    FROM replays GROUP BY assignor ORDER BY assignor != 'actual', balance, moved, assignor"""
WORST: Final = """
    SELECT group_id AS `group`, members, partitions, rebalances, moved, moved_least, balance, spread_worst
    FROM replays WHERE assignor = 'actual' AND (balance > 0 OR moved > moved_least)
    ORDER BY balance DESC, moved - moved_least DESC, group_id LIMIT 10"""
CHANGES: Final = """
    SELECT against_actual, place, group_id AS `group`, assignor, members, partitions, balance_more,
      moved_more FROM (
      SELECT *, row_number() OVER (PARTITION BY assignor, against_actual
        ORDER BY abs(balance_more) DESC, abs(moved_more) DESC, group_id) AS place
      FROM replays WHERE against_actual IN ('better', 'worse'))
    WHERE place <= 3 ORDER BY against_actual, assignor, place"""
"""The groups that each candidate improves and worsens most."""


@dataclass(frozen=True)
class FleetWork:
    """What is done with a fleet's folder: the candidates, and the subscriptions that are known."""

    spark: SparkSession
    ledger: FleetLedger
    targets: Sequence[Target]
    known: Subscriptions

    @property
    def subscriptions(self) -> str:
        """A digest of the known subscriptions: all groups are replayed again when they change."""
        rows = sorted([*key, *topics] for key, topics in self.known.items())
        return blake2b(json_text(rows).encode(), digest_size=16).hexdigest()


def replay_fleet(
    work: FleetWork, paths: Sequence[str], tell: Callable[[str], object] = lambda _: None
) -> dict[str, Any]:
    """Bring the tables up to date with the files in these places; returns the summary of the tables.

    A load that was cut short is finished first. `tell` is called with how much is new. Raises `InputError`
    for a place that cannot be read.
    """
    ledger = work.ledger
    before = finish_load(work, tell)
    files = ledger.unread(input_files(work.spark, paths))
    stale = ledger.latest.get("subscriptions") != work.subscriptions
    new = load(work, ledger.plan(files)) if files or stale else {}
    new = {name: before.get(name, 0) + new.get(name, 0) for name in ("files", "snapshots")}
    read = sum(len(ledger.planned[number]) for number in ledger.done) - new["files"]
    files_read = f"{counted(new['files'], 'file')}, {read:,} read before"
    tell(f"{counted(new['snapshots'], 'new snapshot')} in {files_read}")
    return summary(work, new)


def finish_load(work: FleetWork, tell: Callable[[str], object] = lambda _: None) -> dict[str, int]:
    """Do the load that was cut short, if there is one; returns how much was new.

    `tell` is called with the files that are gone since, which it does not read.
    """
    number = work.ledger.unfinished
    if number is None:
        return {}
    planned = work.ledger.planned[number]
    gone = {file for file in planned if not still_there(work.spark, file)}
    if gone:
        more = f", and {len(gone) - 1:,} more" if len(gone) > 1 else ""
        tell(f"gone before it was read: {min(gone).path}{more}")
        work.ledger.replan(number, [file for file in planned if file not in gone])
    return load(work, number)


def load(work: FleetWork, number: int) -> dict[str, int]:
    """Do a planned load: read its files, bring the tables up to date, sign; returns how much was new."""
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    spark, ledger, files = work.spark, work.ledger, work.ledger.planned[number]
    lines = ledger.store.address(f"tables/{LINES.name}/load={number}")
    read_lines(spark, files).write.mode("overwrite").parquet(lines)
    fresh = spark.read.schema(LINES.ddl).parquet(lines).where(F.col("reason").isNull())
    first, instants = fresh.agg(
        F.min(F.unix_micros("seen_at")), F.count_distinct(F.struct("group_id", "seen_at"))
    ).collect()[0]
    since = None if first is None else datetime.fromtimestamp(first // 1_000_000, UTC).date().isoformat()
    parts = ledger.parts()
    parts[LINES.name] |= ledger.wrote(number, LINES, since)
    now = Update(work, number, since, parts)
    now.rejected()
    if since is not None:
        now.dated()
    now.replays(fresh.groupBy("group_id").agg(F.min("seen_at").alias("seen_at")))
    wrote = {name: ledger.wrote(number, table, since) for name, table in TABLES.items()}
    new = {"files": len(files), "snapshots": instants}
    ledger.sign(number, {"since": since, "subscriptions": work.subscriptions, "new": new, "wrote": wrote})
    return new


@dataclass(frozen=True)
class Update:
    """One load at work: the tables as they were, `parts`, with the lines of this load among them."""

    work: FleetWork
    number: int
    since: str | None
    parts: Parts

    def _frame(self, table: Table, *, before: str | None = None) -> DataFrame:
        return self.work.ledger.frame(self.work.spark, table, self.parts, before=before)

    def _write(self, frame: DataFrame, table: Table) -> None:
        """Write the table, or its days, in as few files as their size asks for."""
        from pyspark.sql import functions as F  # noqa: N812  # as above

        root = self.work.ledger.store.address(f"tables/{table.name}")
        own = frame.select(*table.names)
        if table not in DATED:
            own.hint("rebalance").write.mode("overwrite").parquet(f"{root}/load={self.number}")
            return
        day = F.date_from_unix_date(F.floor(F.unix_seconds("seen_at") / 86_400).cast("int"))
        dated = own.withColumns({DAY: day, "load": F.lit(self.number)}).hint("rebalance", DAY)
        writer = dated.write.mode("overwrite").option("partitionOverwriteMode", "dynamic")
        writer.partitionBy(DAY, "load").parquet(root)

    def _written(self, table: Table) -> DataFrame:
        """What this load has written so far."""
        own: Parts = {table.name: self.work.ledger.wrote(self.number, table, self.since)}
        return self.work.ledger.frame(self.work.spark, table, own)

    def rejected(self) -> None:
        """Write the lines that cannot be used, of all loads: a later file may make an earlier line useful."""
        from pyspark.sql import functions as F  # noqa: N812  # as above

        lines = self._frame(LINES)
        if lines.where(F.col("view") == LOST).isEmpty():
            lines = lines.where(F.col("reason").isNotNull())  # this alone is cheap, by the files' statistics
        self._write(settled(lines).rejected, REJECTED)

    def dated(self) -> None:
        """Write snapshots, events and states of the days from `since` on."""
        from pyspark.sql import functions as F  # noqa: N812  # as above

        begin = F.timestamp_seconds(F.unix_date(F.lit(self.since).cast("date")) * 86_400)
        recent = self._frame(LINES).where(F.col("seen_at") >= begin)
        self._write(settled(recent).snapshots, SNAPSHOTS)
        context = self._context()
        self._write(events_of(context.repartition("group_id")).where(F.col("seen_at") >= begin), EVENTS)
        self._write(states_of(self._written(SNAPSHOTS), self._written(EVENTS)), STATES)

    def _context(self) -> DataFrame:
        """The snapshots from `since` on, and the last one of each group before."""
        from pyspark.sql import functions as F  # noqa: N812  # as above

        last = (
            self._frame(STATES, before=self.since).groupBy("group_id").agg(F.max("seen_at").alias("seen_at"))
        )
        earlier = self._frame(SNAPSHOTS, before=self.since).join(last, ["group_id", "seen_at"], "left_semi")
        return earlier.unionByName(self._written(SNAPSHOTS))

    def _by_group(self, snapshots: DataFrame) -> DataFrame:
        """Many pieces, as groups differ in size by orders of magnitude: tasks balance and fit in memory."""
        groups = snapshots.select("group_id").distinct().count()
        slots = PIECES * self.work.spark.sparkContext.defaultParallelism
        return snapshots.repartition(max(1, min(groups, slots)), "group_id")

    def replays(self, first_new: DataFrame) -> None:
        """Write the replays, computed again for the groups in which something changed."""
        from pyspark.sql import functions as F  # noqa: N812  # as above

        ledger = self.work.ledger
        every = self._frame(SNAPSHOTS, before=self.since).unionByName(self._written(SNAPSHOTS))
        if ledger.latest.get("subscriptions") != self.work.subscriptions:
            again, chosen, kept = None, every, self._frame(REPLAYS).limit(0)
        else:
            last_old = self._frame(STATES).groupBy("group_id").agg(F.max("seen_at").alias("seen_at"))
            again = changed_groups(self._context(), first_new, last_old).persist()
            chosen = every.join(again, "group_id", "left_semi")
            kept = self._frame(REPLAYS).join(again, "group_id", "left_anti")
        replayed = replays(self._by_group(chosen), self.work.targets, self.work.known)
        self._write(replayed.unionByName(kept), REPLAYS)
        if again is not None:
            again.unpersist()


def exit_code(summary: Mapping[str, Any], where: str) -> int:
    """0 if each candidate was compared with the actual history of each group, 3 if any result is unknown.

    If no group had members, everything is unknown. Raises `InputError` if no snapshot could be read.
    """
    if not summary["snapshots"]:
        rejected = summary["rejected"]
        reason = next(iter(rejected), "no lines")
        lines = f"{counted(sum(rejected.values()), 'line')} rejected in all: {reason}"
        raise InputError(f"{where}: no snapshot so far ({lines}), expected snapshots of consumer groups")
    unknown = any(row["unknown"] for row in summary["assignors"])
    return 0 if summary["groups_replayed"] and not unknown else 3


def summary(work: FleetWork, new: Mapping[str, int]) -> dict[str, Any]:
    """The tables summed up; `new`: the files and snapshots of this run."""
    spark, parts = work.spark, work.ledger.parts()
    for table in (REPLAYS, EVENTS, REJECTED, STATES):
        work.ledger.frame(spark, table, parts).createOrReplaceTempView(table.name)
    rejected = spark.sql("SELECT reason, count(*) AS lines FROM rejected GROUP BY reason ORDER BY lines DESC")
    events = spark.sql("SELECT event, count(*) AS times FROM events GROUP BY event ORDER BY event")
    groups, snapshots = spark.sql("SELECT count(DISTINCT group_id), count(*) FROM states").collect()[0]
    return {
        "schema": SCHEMA,
        "new": dict(new),
        "loads": len(work.ledger.done),
        "groups": groups,
        "groups_replayed": spark.sql("SELECT DISTINCT group_id FROM replays").count(),
        "snapshots": snapshots,
        "assignors": _rows(spark.sql(SUMMARY)),
        "worst": _rows(spark.sql(WORST)),
        "changes": _rows(spark.sql(CHANGES)),
        "events": {row.event: row.times for row in events.collect()},
        "rejected": {row.reason: row.lines for row in rejected.collect()},
    }


def _rows(frame: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict() for row in frame.collect()]
