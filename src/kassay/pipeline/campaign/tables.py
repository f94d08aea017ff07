"""The tables of a campaign, and how a batch's rows are written.

A deterministic column depends only on the campaign's spec. A table's version increases when a reader of the
old format would misread the new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kassay.pipeline.tables import Column, Summary, Table, arrow_struct, measures, summary_of

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame


SCHEMA: Final = "kassay/campaign/4"
"""Increases when a seed gives other histories or receipts count differently: old and new do not mix."""


_LANE: Final = (
    Column("target", "string", "the target's spec"),
    Column("profile", "string", "the profile: small, mixed, large, or shape:NAME"),
)
_HISTORY: Final = (
    *_LANE,
    Column("history", "bigint", "the history's number"),
    Column("seed", "bigint", "its seed: blake2b of the campaign's seed and the number, as a signed number"),
)


TABLES: Final[dict[str, Table]] = {}
"""The tables by name, in the order of this file."""


def _table(
    name: str, meaning: str, *columns: Column, batched: bool = False, measured: bool = False, version: int = 1
) -> Table:
    """Add a table to `TABLES`; the columns of a `measured` table depend on the machine, not the spec."""
    own = tuple(column._replace(deterministic=not measured) for column in columns)
    return TABLES.setdefault(name, Table(name, meaning, own, batched, version))


RUNS: Final = _table(
    "runs",
    "a row a history and target",
    Column("campaign", "string", "the campaign's name"),
    *_HISTORY,
    Column("members", "int", "members that ever join (brokers, for a placer)"),
    Column("partitions", "int", "partitions at the start and of new topics"),
    Column("events", "int", "events after the first members have come"),
    Column("rebalances", "int", "rounds (or requests) on which the target was called and checked"),
    Column("broken", "array<string>", "the claims that this history breaks, in order"),
    batched=True,
    version=2,
)
DISTANCE: Final = (
    Column("members", "int", "most members in one outcome"),
    Column(
        "partitions",
        "int",
        "most readable partitions (copies of a share group; connectors, tasks) in one outcome",
    ),
    Column("equal", "boolean", "whether every member may have everything in every outcome"),
    Column("outcomes", "int", "outcomes measured: the instances of the study"),
    Column("invalid", "int", "outcomes not measured: something lost, given twice, or to a non-reader"),
    Column("unsettled", "int", "changes after which the group did not come to rest"),
    Column(
        "balance",
        "bigint",
        "sum of squared loads less the least possible, summed (of a share group by `docs/optimum.md`)",
    ),
    Column("balance_worst", "bigint", "the same, of the worst outcome"),
    Column("spread_worst", "int", "largest less smallest load less that of the optimum, worst outcome"),
    Column("unbalanced", "int", "outcomes whose loads are not optimal"),
    Column(
        "moved",
        "bigint",
        "taken from its previous owner, summed; of Streams tasks 3 a restore and 1 a change of process",
    ),
    Column("moved_least", "bigint", "the same, of the optimum"),
    Column("movement", "bigint", "needless moves, summed over the outcomes with optimal loads"),
    Column("movement_worst", "bigint", "needless moves of the worst such outcome"),
    Column("rack", "bigint", "needless rack mismatches, where loads and moves are optimal, summed"),
    Column("rack_worst", "bigint", "the same, of the worst outcome"),
    Column("rounds", "array<int>", "rounds until the group was at rest, a number a settled change"),
)
"""Columns of a target's distance from the optimum."""
GAPS: Final = _table(
    "gaps",
    "a row a history and target: the distance to the certified optimum, summed over its outcomes",
    *_HISTORY,
    *DISTANCE,
    batched=True,
    version=2,
)
VERDICTS: Final = _table(
    "verdicts",
    "a row a target, claim and profile, and one over all profiles (*)",
    *_LANE,
    Column("claim", "string", "the claim's id"),
    Column("verdict", "string", "holds, violated or unknown"),
    Column("why", "string", "in a few words"),
    Column("checked", "bigint", "judgements that could have failed"),
    Column("failed", "bigint", "histories that break it"),
    Column("contradictory", "bigint", "those of them that break it on contradictory input only"),
    Column("histories", "bigint", "histories played"),
)
FINDINGS: Final = _table(
    "findings",
    "a row a finding: a target, claim, class of input and kind of violation, shown by the smallest history",
    Column("identity", "string", "what makes two findings one: digest of target, claim, input and kind"),
    *_LANE,
    Column("claim", "string", "the claim's id"),
    Column("input", "string", "ordinary or contradictory"),
    Column("kind", "string", "the violation without its names and numbers"),
    Column("failed", "bigint", "histories that show it"),
    Column("others", "int", "further kinds of the same target, claim and input that are left out"),
    Column("broken_by", "string", "the claim whose shrunk history shows it; empty where a played one did"),
    Column("history", "bigint", "the history that stands for it: the smallest, then the earliest"),
    Column("seed", "bigint", "that history's seed"),
    Column("members", "int", "members after shrinking"),
    Column("partitions", "int", "partitions after shrinking"),
    Column("events", "int", "events after shrinking"),
    Column("message", "string", "the violation in one line"),
    Column("trace", "string", "the shrunk trace, JSON of kassay/trace/5"),
    version=4,
)
REACHED: Final = _table(
    "reached",
    "a row a target, profile and situation, and one over all profiles (*)",
    *_LANE,
    Column("situation", "string", "the situation's id"),
    Column("times", "bigint", "how often it was reached; 0 is said too"),
)
TIMINGS: Final = _table(
    "timings",
    "a row a task: where and how long it ran",
    *_LANE,
    Column("batch", "int", "the batch"),
    Column("first_history", "bigint", "the number of the first history"),
    Column("histories", "bigint", "histories played"),
    Column("work_s", "double", "seconds spent playing"),
    Column("host", "string", "the machine"),
    Column("pid", "bigint", "the worker process"),
    Column("attempt", "int", "which try of the task this was, from 0"),
    Column("peak_kib", "bigint", "the worker process's peak memory so far"),
    measured=True,
    version=2,
)
BATCHES: Final = _table(
    "batches",
    "a row a batch: what it took; memory is that of the driver's machine, sampled while it ran",
    Column("batch", "int", "the batch"),
    Column("histories", "bigint", "histories played"),
    Column("tasks", "int", "tasks that it was cut into"),
    Column("slots", "int", "tasks that ran at once"),
    Column("elapsed_s", "double", "seconds from the receipt before it, or the start, to its own"),
    Column("work_s", "double", "seconds spent playing, summed over the tasks"),
    Column("median_s", "double", "seconds of the median task"),
    Column("longest_s", "double", "seconds of the longest task"),
    Column("driver_kib", "bigint", "peak memory of the driver's Python"),
    Column("java_kib", "bigint", "peak memory of its Java"),
    Column("workers_kib", "bigint", "peak memory of the processes below them, all together"),
    Column("all_kib", "bigint", "peak memory of all of them at one time"),
    measured=True,
)

BATCHED: Final = tuple(t for t in TABLES.values() if t.batched)

SUMS: Final = "sums"
"""The column with a task's counts as JSON; it goes into the receipt."""
WORK_DDL: Final = ", ".join([f"`{t.name}` {t.struct}" for t in BATCHED] + [f"`{SUMS}` string"])
"""The output of a worker: each row fills one column, with a table row or a task's sums."""


def work_schema() -> pyarrow.Schema:
    """`WORK_DDL` as an Arrow schema."""
    import pyarrow as pa

    return pa.schema([*((t.name, arrow_struct(t)) for t in BATCHED), (SUMS, pa.string())])


ROWS_A_FILE: Final = 400_000


def write_batch(rows: DataFrame, table: Table, place: str, expected: int) -> Summary:
    """Write the rows of one table from a batch, about `expected`; returns their summary.

    The summary is computed while writing: another pass would cost as much as the write itself.
    """
    from pyspark.sql import Observation

    seen = Observation(table.name)
    watched = rows_of_table(rows, table, expected).observe(seen, *measures(table.names))
    watched.write.mode("overwrite").parquet(place)
    return summary_of(seen.get)


def rows_of_table(rows: DataFrame, table: Table, expected: int) -> DataFrame:
    """The rows of one table from a batch, in as many partitions as there shall be files."""
    own = rows.where(rows[table.name].isNotNull()).select(f"{table.name}.*")
    return own.coalesce(1 + expected // ROWS_A_FILE)
