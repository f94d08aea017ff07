"""The tables of a fleet's history: their columns and types."""

from __future__ import annotations

from typing import Final

from kassay.pipeline.tables import Column, Table

OWNED: Final = "array<struct<topic: string, partition_number: int>>"
_INSTANT: Final = (
    Column("group_id", "string", "the group"),
    Column("seen_at", "timestamp", "the time of the snapshot"),
)

_SNAPSHOT: Final = (
    *_INSTANT,
    Column("member_id", "string", "the member; null: partitions without an owner"),
    Column("owned", OWNED, "its partitions"),
    Column("topics", "array<string>", "its subscription; null if it is unknown"),
    Column("instance_id", "string", "its group.instance.id"),
    Column("client_id", "string", "its client.id"),
    Column("rack", "string", "its client.rack"),
)

TABLES: Final[dict[str, Table]] = {}
"""The tables by name, in the order of this file."""


def _table(name: str, meaning: str, *columns: Column) -> Table:
    return TABLES.setdefault(name, Table(name, meaning, columns))


LINES: Final = _table(
    "lines",
    "a row a group, time, member and file, or a rejected line: what was read, from which the rest is made",
    *_SNAPSHOT,
    Column("view", "string", "the form of the input"),
    Column("file", "string", "the file"),
    Column("line", "int", "the line; of Parquet the row"),
    Column("reason", "string", "why the line could not be used"),
    Column("text", "string", "its first 200 characters"),
)
SNAPSHOTS: Final = _table("snapshots", "a row a group, time and member", *_SNAPSHOT)
REJECTED: Final = _table(
    "rejected",
    "a row a line that could not be used",
    Column("file", "string", "the file"),
    Column("line", "int", "the line; of Parquet the row"),
    Column("reason", "string", "why"),
    Column("text", "string", "its first 200 characters"),
)
EVENTS: Final = _table(
    "events",
    "a row an event; all are inferred from two snapshots",
    *_INSTANT,
    Column("event", "string", "join, leave, resubscribe, new-partition, move or unowned"),
    Column("member_id", "string", "the member; of a move the new owner"),
    Column("topic", "string", "the topic"),
    Column("partition_number", "int", "the partition"),
    Column("previous_member_id", "string", "of a move the previous owner"),
)
STATES: Final = _table(
    "states",
    "a row a group and time, with the changes since the last snapshot",
    *_INSTANT,
    Column("members", "bigint", "members"),
    Column("owned", "bigint", "partitions with an owner"),
    Column("most", "int", "partitions of the member with most"),
    Column("least", "int", "partitions of the member with least"),
    Column("sum_squares", "bigint", "sum of squared loads"),
    Column("joins", "bigint", "members that joined"),
    Column("leaves", "bigint", "members that left"),
    Column("resubscribed", "bigint", "members whose subscription changed"),
    Column("new_partitions", "bigint", "partitions that were not there before"),
    Column("moved_at_least", "bigint", "partitions with another owner"),
    Column("unowned", "bigint", "partitions without an owner"),
    Column("partitions", "bigint", "partitions in all"),
)
REPLAYS: Final = _table(
    "replays",
    "a row a group and assignor; `actual` is what really happened",
    Column("group_id", "string", "the group"),
    Column("assignor", "string", "the candidate, or actual"),
    Column("members", "int", "most members at a time"),
    Column("partitions", "int", "partitions at the end"),
    Column("rebalances", "int", "changes after the first snapshot"),
    Column("to_switch", "bigint", "partitions that the candidate's first rebalance moves"),
    Column(
        "moved", "bigint", "partitions that left an owner who could have kept them, after the first rebalance"
    ),
    Column("moved_least", "bigint", "the same, of the optimum"),
    Column("balance", "bigint", "sum of squared loads less the least possible, summed over the states"),
    Column("balance_worst", "bigint", "the same, of the worst state"),
    Column("spread_worst", "int", "largest less smallest load less that of the optimum, worst state"),
    Column("invalid", "int", "states not measured: something lost, given twice, or to a non-reader"),
    Column("unsettled", "int", "changes after which the group did not come to rest"),
    Column("unanswered", "int", "rebalances without an answer of the candidate"),
    Column("inferred", "boolean", "whether a subscription was guessed"),
    Column(
        "against_actual", "string", "better, same, worse or unknown, by balance, then moves; - for actual"
    ),
    Column("balance_more", "bigint", "balance less that of actual"),
    Column("moved_more", "bigint", "moves less those of actual"),
)

DATED: Final = (SNAPSHOTS, EVENTS, STATES)
"""The tables with a partition for each day."""
