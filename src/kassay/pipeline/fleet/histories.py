"""What happened to each group between its snapshots, by Spark's windows.

Snapshots show states, so events are inferred: a member that was there between two snapshots is not
seen, and of a partition that moved twice one move shows. Moves are a lower bound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

NEVER: Final = -1


class Happened(NamedTuple):
    """`events` has a row an event, `states` a row a group and time with what changed since the last one."""

    events: DataFrame
    states: DataFrame


def histories(snapshots: DataFrame) -> Happened:
    """The events and states of every group, in order of time."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    by_time = Window.partitionBy("group").orderBy("at")
    instants = snapshots.select("group", "at").distinct()
    instants = instants.select(
        "group",
        "at",
        F.lag("at").over(by_time).alias("before"),
        F.lead("at").over(by_time).alias("after"),
    )
    rows = snapshots.join(instants, ["group", "at"])
    events = _members(rows).unionByName(_partitions(rows))
    return Happened(events, _states(rows, events))


def _members(rows: DataFrame) -> DataFrame:
    """Joins, leaves and changed subscriptions."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as above

    by_member = Window.partitionBy("group", "member").orderBy("at")
    members = rows.where(F.col("member").isNotNull()).select(
        "*",
        F.lag("at").over(by_member).alias("last"),
        F.lead("at").over(by_member).alias("next"),
        F.lag("topics").over(by_member).alias("read"),
    )
    came = F.col("before").isNotNull() & ~F.col("last").eqNullSafe(F.col("before"))
    goes = F.col("after").isNotNull() & ~F.col("next").eqNullSafe(F.col("after"))
    stayed = F.col("last").eqNullSafe(F.col("before")) & F.col("before").isNotNull()
    other = stayed & (F.array_sort("topics") != F.array_sort("read"))
    return (
        _event(members.where(came), "join", "at")
        .unionByName(_event(members.where(goes), "leave", "after"))
        .unionByName(_event(members.where(other), "resubscribe", "at"))
    )


def _partitions(rows: DataFrame) -> DataFrame:
    """New partitions, moves, and partitions that nobody owns."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F  # noqa: N812  # as above

    by_partition = Window.partitionBy("group", "tp").orderBy("at")
    each = rows.select("group", "at", "before", "member", F.explode("owned").alias("tp"))
    # A partition listed for a member and for nobody at once is that member's; max takes the member.
    each = each.groupBy("group", "at", "before", "tp").agg(F.max("member").alias("member"))
    each = each.select(
        "group",
        "at",
        "before",
        "member",
        F.col("tp.topic").alias("topic"),
        F.col("tp.partition").alias("partition"),
        F.lag("at").over(by_partition).alias("last"),
        F.lag("member").over(by_partition).alias("was"),
    )
    new = each.where(F.col("before").isNotNull() & F.col("last").isNull())
    stayed = F.col("before").isNotNull() & F.col("last").eqNullSafe(F.col("before"))
    moved = each.where(stayed & F.col("was").isNotNull() & (F.col("was") != F.col("member")))
    nobody = each.where(F.col("member").isNull())
    return (
        _event(new, "new-partition", "at")
        .unionByName(_event(moved, "move", "at"))
        .unionByName(_event(nobody, "unowned", "at"))
    )


def _event(rows: DataFrame, kind: str, at: str) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812  # as above

    def column(name: str, type_: str) -> Column:
        found = F.col(name) if name in rows.columns else F.lit(None)
        return found.cast(type_).alias(name)

    return rows.select(
        "group",
        F.col(at).alias("at"),
        F.lit(kind).alias("event"),
        column("member", "string"),
        column("topic", "string"),
        column("partition", "int"),
        column("was", "string"),
        F.lit(True).alias("inferred"),
    )


def _states(rows: DataFrame, events: DataFrame) -> DataFrame:
    """How each group stood at each time, and how much had changed."""
    from pyspark.sql import functions as F  # noqa: N812  # as above

    load = F.size("owned")
    there = F.col("member").isNotNull()
    states = rows.groupBy("group", "at").agg(
        F.count("member").alias("members"),
        F.sum(load).alias("partitions"),
        F.coalesce(F.sum(F.when(~there, load)), F.lit(0)).alias("unowned"),
        F.max(F.when(there, load)).alias("most"),
        F.min(F.when(there, load)).alias("least"),
        F.coalesce(F.sum(F.when(there, load * load)), F.lit(0)).alias("sum_squares"),
    )
    counted = events.groupBy("group", "at").agg(
        *(
            F.count(F.when(F.col("event") == kind, 1)).alias(name)
            for kind, name in (
                ("join", "joins"),
                ("leave", "leaves"),
                ("resubscribe", "resubscribed"),
                ("new-partition", "new_partitions"),
                ("move", "moved_at_least"),
            )
        )
    )
    return states.join(counted, ["group", "at"], "left").fillna(0)
