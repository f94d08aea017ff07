"""The replay of a fleet: reads snapshots, derives histories, compares candidates, writes tables.

Snapshots show states, so events are inferred: a member that existed only between two snapshots is
invisible, and a partition that moved twice shows one move. Moves are a lower bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from kassay.engines.targets.resolve import Target
from kassay.model.errors import InputError
from kassay.pipeline.fleet.replay import Subscriptions, replays
from kassay.pipeline.fleet.snapshots import read_fleet
from kassay.writing.text import counted

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


COUNTS: Final = {
    "join": "joins",
    "leave": "leaves",
    "resubscribe": "resubscribed",
    "new-partition": "new_partitions",
    "move": "moved_at_least",
    "unowned": "unowned",
}
"""The column of `states` that counts the events of a kind."""


def events_of(snapshots: DataFrame) -> DataFrame:
    """One row per event; `seen_at` is the first snapshot that shows it.

    Every step groups by group: snapshots partitioned by group need no further shuffle.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    by_group, time = Window.partitionBy("group_id"), F.unix_micros("seen_at")
    earlier = by_group.orderBy(time).rangeBetween(Window.unboundedPreceding, -1)
    later = by_group.orderBy(time.desc()).rangeBetween(Window.unboundedPreceding, -1)
    # The neighbouring instants of the group, by a window: a join would have to shuffle or to broadcast.
    rows = snapshots.select(
        "*", F.max("seen_at").over(earlier).alias("before"), F.min("seen_at").over(later).alias("after")
    )
    return _members(rows).unionByName(_partitions(rows))


def _members(rows: DataFrame) -> DataFrame:
    """Joins, leaves and changed subscriptions."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as above

    by_member = Window.partitionBy("group_id", "member_id").orderBy("seen_at")
    members = rows.where(F.col("member_id").isNotNull()).select(
        "*",
        F.lag("seen_at").over(by_member).alias("last"),
        F.lead("seen_at").over(by_member).alias("next"),
        F.lag("topics").over(by_member).alias("read"),
    )
    stayed = F.col("last").eqNullSafe(F.col("before"))
    goes = F.col("after").isNotNull() & ~F.col("next").eqNullSafe(F.col("after"))
    other = F.array_sort("topics") != F.array_sort("read")
    return _exploded(
        members,
        {
            "join": (F.col("before").isNotNull() & ~stayed, "seen_at"),
            "leave": (goes, "after"),
            "resubscribe": (F.col("before").isNotNull() & stayed & other, "seen_at"),
        },
    )


def _partitions(rows: DataFrame) -> DataFrame:
    """New partitions, moves, and unowned partitions."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as above

    by_partition = Window.partitionBy("group_id", "topic", "partition_number").orderBy("seen_at")
    each = rows.select("group_id", "seen_at", "before", "member_id", F.inline("owned"))
    # A partition listed both with a member and as unowned is the member's; max selects the member.
    each = each.groupBy("group_id", "seen_at", "before", "topic", "partition_number").agg(
        F.max("member_id").alias("member_id")
    )
    each = each.select(
        "*",
        F.lag("seen_at").over(by_partition).alias("last"),
        F.lag("member_id").over(by_partition).alias("previous_member_id"),
    )
    there = F.col("before").isNotNull()
    stayed = there & F.col("last").eqNullSafe(F.col("before"))
    return _exploded(
        each,
        {
            "new-partition": (there & F.col("last").isNull(), "seen_at"),
            "move": (stayed & (F.col("previous_member_id") != F.col("member_id")), "seen_at"),
            "unowned": (F.col("member_id").isNull(), "seen_at"),
        },
    )


def _exploded(rows: DataFrame, kinds: Mapping[str, tuple[Column, str]]) -> DataFrame:
    """The events of these kinds, each with its condition and its time column, in one pass."""
    from pyspark.sql import functions as F  # noqa: N812  # as above

    def column(name: str, type_: str) -> Column:
        return (F.col(name) if name in rows.columns else F.lit(None)).cast(type_).alias(name)

    events = F.array_compact(
        F.array(
            *(
                F.when(holds, F.struct(F.lit(kind).alias("event"), F.col(at).alias("time")))
                for kind, (holds, at) in kinds.items()
            )
        )
    )
    exploded = rows.where(F.size(events) > 0).select("*", F.explode(events).alias("change"))
    return exploded.select(
        "group_id",
        F.col("change.time").alias("seen_at"),
        "change.event",
        column("member_id", "string"),
        column("topic", "string"),
        column("partition_number", "int"),
        column("previous_member_id", "string"),
    )


def states_of(snapshots: DataFrame, events: DataFrame) -> DataFrame:
    """One row per group and time: its state, and the number of changes since the previous one."""
    from pyspark.sql import functions as F  # noqa: N812  # as above

    load = F.when(F.col("member_id").isNotNull(), F.size("owned"))
    states = snapshots.groupBy("group_id", "seen_at").agg(
        F.count("member_id").alias("members"),
        F.coalesce(F.sum(load), F.lit(0)).alias("owned"),
        F.max(load).alias("most"),
        F.min(load).alias("least"),
        F.coalesce(F.sum(load * load), F.lit(0)).alias("sum_squares"),
    )
    per_time = events.groupBy("group_id", "seen_at").agg(
        *(F.count(F.when(F.col("event") == kind, 1)).alias(name) for kind, name in COUNTS.items())
    )
    joined = (
        states.hint("merge")
        .join(per_time.hint("merge"), ["group_id", "seen_at"], "left")
        .fillna(0, [*COUNTS.values()])
    )
    return joined.withColumn("partitions", F.col("owned") + F.col("unowned"))


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


def exit_code(summary: Mapping[str, Any], where: str) -> int:
    """0 if each candidate was compared with the actual history of each group, 3 if any result is unknown.

    If no group had members, everything is unknown. Raises `InputError` if no snapshot could be read.
    """
    if not summary["snapshots"]:
        rejected = summary["rejected"]
        reason = next(iter(rejected), "no lines")
        lines = f"{counted(sum(rejected.values()), 'line')}, all rejected ({reason})"
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
    groups = snapshots.select("group_id").distinct().count()
    # Groups differ in size by orders of magnitude: many pieces balance the tasks, and each fits in memory.
    pieces = max(1, min(groups, PIECES * spark.sparkContext.defaultParallelism))
    by_group = snapshots.repartition(pieces, "group_id")
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
        "groups_replayed": spark.sql("SELECT DISTINCT group_id FROM replays").count(),
        "snapshots": snapshots.select("group_id", "seen_at").distinct().count(),
        "assignors": [row.asDict() for row in spark.sql(SUMMARY).collect()],
        "worst": [row.asDict() for row in spark.sql(WORST).collect()],
        "changes": [row.asDict() for row in spark.sql(CHANGES).collect()],
        "events": {row.event: row.times for row in events.collect()},
        "rejected": {row.reason: row.lines for row in rejected.collect()},
    }
