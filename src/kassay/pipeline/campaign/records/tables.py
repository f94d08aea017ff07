"""Writer of a batch's table rows, and the hashes that verify a written table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kassay.pipeline.campaign.records.schemas import Table

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

Summary = dict[str, Any]
"""The `rows` of a table and the `hash` over them."""
NOTHING: Final[Summary] = {"rows": 0, "hash": "0"}
ROWS_A_FILE: Final = 400_000


def write(rows: DataFrame, table: Table, place: str, expected: int) -> Summary:
    """Write the rows of one table from a batch, about `expected`; returns their summary.

    The summary is computed while writing: another pass would cost as much as the write itself.
    """
    from pyspark.sql import Observation

    seen = Observation(table.name)
    own = rows.where(rows[table.name].isNotNull()).select(f"{table.name}.*")
    watched = own.observe(seen, *_measures(table.names))
    watched.coalesce(1 + expected // ROWS_A_FILE).write.mode("overwrite").parquet(place)
    return _summary(seen.get)


def summary(frame: DataFrame, columns: tuple[str, ...]) -> Summary:
    """Number of rows, and hash of these columns; the hash does not depend on the order of the rows."""
    return _summary(frame.agg(*_measures(columns)).collect()[0])


def summary_by_batch(frame: DataFrame, table: Table) -> dict[int, Summary]:
    """Rows and hash of each batch of a table."""
    rows = frame.groupBy("batch").agg(*_measures(table.names)).collect()
    return {row["batch"]: _summary(row) for row in rows}


def _summary(measured: Any) -> Summary:
    return {"rows": measured["rows"], "hash": str(measured["hash"] or 0)}


def _measures(columns: tuple[str, ...]) -> tuple[Column, Column]:
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    value = F.xxhash64(*columns).cast("decimal(38,0)")
    return F.count(F.lit(1)).alias("rows"), F.sum(value).alias("hash")
