"""From a batch's rows to its tables, and the hashes that tell whether a table is what was written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from kassay.pipeline.schemas import BATCHED, TABLES, Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Summary = dict[str, dict[str, Any]]
"""For each table its `rows` and the `hash` over them."""
NOTHING: Final = {"rows": 0, "hash": "0"}

_KEYS: Final = {
    "tallies": ("target", "profile", "claim"),
    "seen": ("target", "profile", "situation"),
    "candidates": ("target", "profile", "claim", "input"),
}


def of_batch(rows: DataFrame) -> dict[str, DataFrame]:
    """The tables of a batch: what tasks counted is added up, so that no task shows in them."""
    return {table.name: merged(_only(rows, table), table) for table in BATCHED}


def _only(rows: DataFrame, table: Table) -> DataFrame:
    return rows.where(rows["table"] == table.name).select(f"{table.name}.*")


def merged(rows: DataFrame, table: Table) -> DataFrame:
    """Rows of one key added up to one; of candidates the smallest, then earliest, is kept."""
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    keys = _KEYS.get(table.name)
    if keys is None:
        return rows
    grouped = rows.groupBy(*keys)
    if table.name == "candidates":
        # Unlike arrays, structs of one length compare field by field in every version of Spark.
        best = F.min(F.struct("size", "index")).alias("best")
        found = grouped.agg(F.sum("failed").alias("failed"), best)
        found = found.select(*keys, "failed", "best.size", "best.index")
    else:
        counts = [c for c in table.names if c not in keys]
        found = grouped.agg(*(F.sum(c).alias(c) for c in counts))
    return found.select(*table.names)


def summary(frames: Mapping[str, DataFrame], columns: str = "names") -> Summary:
    """Rows and hash of each table; the hash does not depend on the order of the rows.

    `columns` is `names` for all columns, `deterministic` for those that the spec decides.
    """
    if not frames:
        return {}
    parts = [_summed(frame, TABLES[name], columns, ()) for name, frame in frames.items()]
    found = {name: dict(NOTHING) for name in frames}
    for row in reduce(lambda a, b: a.unionByName(b), parts).collect():
        found[row["table"]] = {"rows": row["rows"], "hash": str(row["hash"] or 0)}
    return found


def summary_by_batch(frame: DataFrame, table: Table) -> dict[int, dict[str, Any]]:
    """Rows and hash of each batch of a table."""
    rows = _summed(frame, table, "names", ("batch",)).collect()
    return {row["batch"]: {"rows": row["rows"], "hash": str(row["hash"] or 0)} for row in rows}


def _summed(frame: DataFrame, table: Table, columns: str, by: Iterable[str]) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812  # as above

    names: tuple[str, ...] = getattr(table, columns)
    value = F.xxhash64(*names).cast("decimal(38,0)")
    grouped = frame.groupBy(*by).agg(F.count(F.lit(1)).alias("rows"), F.sum(value).alias("hash"))
    return grouped.select(F.lit(table.name).alias("table"), *by, "rows", "hash")
