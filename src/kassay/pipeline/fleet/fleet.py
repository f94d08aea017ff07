"""The replay of a fleet: reads snapshots, derives histories, compares candidates, writes tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from kassay.certify.targets.resolve import Target
from kassay.model.errors import InputError
from kassay.pipeline.fleet.histories import events_of, states_of
from kassay.pipeline.fleet.replay import Subscriptions, replays
from kassay.pipeline.fleet.snapshots import read_fleet

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA: Final = "kassay/fleet/1"
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
    SELECT `group`, members, partitions, rebalances, moved, moved_least, balance, spread_worst
    FROM replays WHERE assignor = 'actual' AND (balance > 0 OR moved > moved_least)
    ORDER BY balance DESC, moved - moved_least DESC, `group` LIMIT 10"""
CHANGES: Final = """
    SELECT against_actual, place, `group`, assignor, members, partitions, balance_more, moved_more FROM (
      SELECT *, row_number() OVER (PARTITION BY assignor, against_actual
        ORDER BY abs(balance_more) DESC, abs(moved_more) DESC, `group`) AS place
      FROM replays WHERE against_actual IN ('better', 'worse'))
    WHERE place <= 3 ORDER BY against_actual, assignor, place"""
"""The groups that each candidate improves and worsens most."""


def exit_code(summary: Mapping[str, Any], where: str) -> int:
    """0 if each candidate was compared with the actual history of each group, 3 if any result is unknown.

    If no group had members, everything is unknown. Raises `InputError` if no snapshot could be read.
    """
    if not summary["snapshots"]:
        rejected = summary["rejected"]
        reason = next(iter(rejected), "no lines")
        lines = f"{sum(rejected.values())} lines, all rejected ({reason})"
        raise InputError(f"{where}: {lines}, expected snapshots of consumer groups")
    unknown = any(row["unknown"] for row in summary["assignors"])
    return 0 if summary["groups_replayed"] and not unknown else 3


def replay_fleet(
    spark: SparkSession, paths: Sequence[str], out: str, targets: Sequence[Target], known: Subscriptions
) -> dict[str, Any]:
    """Write the tables snapshots, rejected, events, states and replays; returns their summary.

    Raises `InputError` for an empty path.
    """
    fleet = read_fleet(spark, paths)
    fleet.rejected.write.mode("overwrite").parquet(f"{out}/rejected")
    fleet.snapshots.write.mode("overwrite").parquet(f"{out}/snapshots")
    fleet.parsed.unpersist()
    # From here on, the written table is the source, so that nothing is parsed twice.
    snapshots = spark.read.parquet(f"{out}/snapshots")
    groups = snapshots.select("group").distinct().count()
    # Groups differ in size by orders of magnitude: many pieces balance the tasks, and each fits in memory.
    pieces = max(1, min(groups, PIECES * spark.sparkContext.defaultParallelism))
    by_group = snapshots.repartition(pieces, "group")
    events_of(by_group).write.mode("overwrite").parquet(f"{out}/events")
    states_of(snapshots, spark.read.parquet(f"{out}/events")).write.mode("overwrite").parquet(f"{out}/states")
    replays(by_group, targets, known).write.mode("overwrite").parquet(f"{out}/replays")
    for name in ("replays", "events", "rejected"):
        spark.read.parquet(f"{out}/{name}").createOrReplaceTempView(name)
    rejected = spark.sql("SELECT reason, count(*) AS lines FROM rejected GROUP BY reason ORDER BY lines DESC")
    events = spark.sql("SELECT event, count(*) AS times FROM events GROUP BY event ORDER BY event")
    return {
        "schema": SCHEMA,
        "groups": groups,
        "groups_replayed": spark.sql("SELECT DISTINCT `group` FROM replays").count(),
        "snapshots": snapshots.select("group", "at").distinct().count(),
        "assignors": [row.asDict() for row in spark.sql(SUMMARY).collect()],
        "worst": [row.asDict() for row in spark.sql(WORST).collect()],
        "changes": [row.asDict() for row in spark.sql(CHANGES).collect()],
        "events": {row.event: row.times for row in events.collect()},
        "rejected": {row.reason: row.lines for row in rejected.collect()},
    }
