"""Tables: their columns and types, as Spark and Arrow read them, and the hashes of what is stored.

Columns are made for analysts: no name is a reserved word, an instant is a TIMESTAMP, a measure ends with its
unit (`_s` seconds, `_kib`), and pandas reads every number as a number. A deterministic column does not depend
on the machine, the number of workers, the batches or the time. The hashes show whether a table still is what
was written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column as SparkColumn
    from pyspark.sql import DataFrame


class Column(NamedTuple):
    """One column; `type` is Spark's name of its type."""

    name: str
    type: str
    meaning: str
    deterministic: bool = True


@dataclass(frozen=True)
class Table:
    """One table; `batched` tables are written batch by batch, others at the end from the receipts."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    batched: bool = False
    version: int = 1

    @property
    def ddl(self) -> str:
        """The columns as Spark's DDL."""
        return self._listed(" ")

    @property
    def struct(self) -> str:
        """The columns as Spark's struct type."""
        return f"struct<{self._listed(': ')}>"

    def _listed(self, between: str) -> str:
        return ", ".join(f"`{column.name}`{between}{column.type}" for column in self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    @property
    def deterministic(self) -> tuple[str, ...]:
        """The names of the deterministic columns."""
        return tuple(column.name for column in self.columns if column.deterministic)

    def to_json(self) -> dict[str, Any]:
        """The table as in a campaign's header."""
        return {
            "version": self.version,
            "columns": {c.name: {"type": c.type, "deterministic": c.deterministic} for c in self.columns},
        }


_SCALARS: Final = {
    "string": "string",
    "bigint": "int64",
    "int": "int32",
    "double": "float64",
    "boolean": "bool_",
    "date": "date32",
}


def arrow_type(name: str) -> pyarrow.DataType:
    """The Arrow type of a column's type."""
    import pyarrow as pa

    if name.startswith("array<"):
        return pa.list_(arrow_type(name[6:-1]))
    if name.startswith("struct<"):
        return pa.struct(
            [(field, arrow_type(of)) for field, of in (f.split(": ") for f in name[7:-1].split(", "))]
        )
    if name == "timestamp":
        return pa.timestamp("us", tz="UTC")
    return getattr(pa, _SCALARS[name])()


def arrow_struct(table: Table) -> pyarrow.StructType:
    """The table's columns as an Arrow struct."""
    import pyarrow as pa

    return pa.struct([pa.field(c.name, arrow_type(c.type)) for c in table.columns])


Summary = dict[str, Any]
"""The `rows` of a table and the `hash` over them."""
NO_ROWS: Final[Summary] = {"rows": 0, "hash": "0"}


def summary(frame: DataFrame, columns: tuple[str, ...]) -> Summary:
    """Number of rows, and hash of these columns; the hash does not depend on the order of the rows."""
    return summary_of(frame.agg(*measures(columns)).collect()[0])


def summary_by_batch(frame: DataFrame, table: Table) -> dict[int, Summary]:
    """Rows and hash of each batch of a table."""
    rows = frame.groupBy("batch").agg(*measures(table.names)).collect()
    return {row["batch"]: summary_of(row) for row in rows}


def summary_of(measured: Any) -> Summary:
    """The summary from the row of `measures`."""
    return {"rows": measured["rows"], "hash": str(measured["hash"] or 0)}


def measures(columns: tuple[str, ...]) -> tuple[SparkColumn, SparkColumn]:
    """Rows and hash as Spark aggregates them."""
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    value = F.xxhash64(*columns).cast("decimal(38,0)")
    return F.count(F.lit(1)).alias("rows"), F.sum(value).alias("hash")


def signed(number: int) -> int:
    """The bits of an unsigned 64-bit number as a BIGINT, which is signed.

    >>> signed(2**64 - 1), signed(7)
    (-1, 7)
    """
    return number - 2**64 if number >= 2**63 else number
