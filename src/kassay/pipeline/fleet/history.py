"""What happened between snapshots, by Spark's windows: events, and the state of each group at each time.

Snapshots show states, so events are inferred: a member that existed only between two snapshots is
invisible, and a partition that moved twice shows one move. Moves are a lower bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


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


def changed_groups(snapshots: DataFrame, first_new: DataFrame, last_old: DataFrame) -> DataFrame:
    """The groups that are replayed again: something differs from the time before, or a snapshot came late.

    `snapshots` has each group from the last time before its first new one; `first_new` and `last_old` have a
    time, `seen_at`, for each group.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as above

    shown = F.xxhash64("member_id", "owned", "topics", "instance_id", "client_id", "rack")
    by_time = Window.partitionBy("group_id").orderBy("seen_at")
    instants = snapshots.groupBy("group_id", "seen_at").agg(
        F.bit_xor(shown).alias("shown"), F.count(F.lit(1)).alias("members")
    )
    now = F.struct("shown", "members")
    differs = instants.select(
        "group_id", "seen_at", (~now.eqNullSafe(F.lag(now).over(by_time))).alias("differs")
    )
    first = first_new.withColumnRenamed("seen_at", "first_new")
    changed = differs.join(first, "group_id").where(
        F.col("differs") & (F.col("seen_at") >= F.col("first_new"))
    )
    late = last_old.join(first, "group_id").where(F.col("first_new") <= F.col("seen_at"))
    return changed.select("group_id").unionByName(late.select("group_id")).distinct()
