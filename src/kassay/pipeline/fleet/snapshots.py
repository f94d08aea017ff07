"""From files to the table of snapshots: a row a group, time and member; and what was rejected."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from kassay.model.errors import InputError
from kassay.pipeline.fleet.dialects import LOST, OFFSETS, Rejected, Seen, parse

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

TP: Final = "struct<topic: string, partition: int>"
SEEN_DDL: Final = (
    f"`group` string, at bigint, member string, owned array<{TP}>, topics array<string>, instance_id string, "
    "client_id string, rack string, view string, file string, line int, reason string, text string"
)
SNAPSHOTS_DDL: Final = (
    f"`group` string, at bigint, member string, owned array<{TP}>, topics array<string>, "
    "instance_id string, client_id string, rack string"
)


class Fleet(NamedTuple):
    """`snapshots` has a row a group, time and member (null: unowned); `rejected` a row a bad line."""

    snapshots: DataFrame
    rejected: DataFrame


def read_fleet(spark: SparkSession, paths: Sequence[str]) -> Fleet:
    """The snapshots in these files and folders; text, JSON lines, or Parquet of `SNAPSHOTS_DDL`.

    Raises `InputError` for a place with nothing in it.
    """
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    must_exist(paths)
    tables = [path for path in paths if _is_parquet(path)]
    texts = [path for path in paths if path not in tables]
    rows = _parsed(spark, texts).persist()
    good = rows.where(F.col("reason").isNull())
    told = good.where(F.col("view") != LOST)
    instants = told.where(F.col("view") == OFFSETS).select("group", "at").distinct()
    lost = good.where(F.col("view") == LOST)
    # Without topics the row says who is there; the offsets view of the same instant says what they own.
    beside = lost.join(instants, ["group", "at"], "left_semi")
    alone = lost.join(instants, ["group", "at"], "left_anti").select(
        "file",
        "line",
        F.lit(
            "topics are lost in this output: expected the offsets view of the same instant beside it"
        ).alias("reason"),
        F.concat_ws(" ", "group", "member").alias("text"),
    )
    rejected = (
        rows.where(F.col("reason").isNotNull()).select("file", "line", "reason", "text").unionByName(alone)
    )
    snapshots = _merged(told.unionByName(beside))
    for path in tables:
        snapshots = snapshots.unionByName(_table(spark, path))
    return Fleet(snapshots, rejected)


def must_exist(paths: Sequence[str]) -> None:
    """Raise `InputError` for a path on this machine that is not there."""
    for path in paths:
        if "://" not in path and not Path(path).exists():
            raise InputError(f"{path}: no such file or folder, expected snapshots of consumer groups")


def _is_parquet(path: str) -> bool:
    return path.endswith(".parquet") or ("://" not in path and any(Path(path).rglob("*.parquet")))


def _table(spark: SparkSession, path: str) -> DataFrame:
    found = spark.read.parquet(path)
    expected = [
        part.split()[0].strip("`") for part in SNAPSHOTS_DDL.replace("topic: string, ", "").split(", ")
    ]
    missing = [name for name in expected if name not in found.columns]
    if missing:
        raise InputError(
            f"{path}: column {missing[0]!r} is missing, expected those of the table of snapshots"
        )
    return found.select(*expected)


def _parsed(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    from pyspark.sql import functions as F  # noqa: N812  # as above

    if not paths:
        return spark.createDataFrame([], SEEN_DDL)
    texts = spark.read.option("recursiveFileLookup", "true").text(list(paths), wholetext=True)
    # The whole path: a partition folder such as at=2026-11-21T05-00-00Z may be what tells the time.
    texts = texts.select("value", F.input_file_name().alias("file"))
    return texts.mapInArrow(_parse_all, SEEN_DDL)


def _parse_all(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of whole files; for `mapInArrow`."""
    for batch in batches:
        for text, file in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
            rows = [_as_row(found) for found in parse(text, unquote(file).removeprefix("file://"))]
            if rows:
                yield _packed(rows)


def _as_row(found: Seen | Rejected) -> dict[str, object]:
    row = found._asdict()
    if isinstance(found, Seen):
        row["owned"] = [{"topic": topic, "partition": partition} for topic, partition in found.owned]
        row["topics"] = None if found.topics is None else list(found.topics)
    return row


def _packed(rows: list[dict[str, object]]) -> pyarrow.RecordBatch:
    import pyarrow as pa

    text, tp = pa.string(), pa.struct([("topic", pa.string()), ("partition", pa.int32())])
    fields = [
        ("group", text), ("at", pa.int64()), ("member", text), ("owned", pa.list_(tp)),
        ("topics", pa.list_(text)), ("instance_id", text), ("client_id", text), ("rack", text),
        ("view", text),
        ("file", text), ("line", pa.int32()), ("reason", text), ("text", text),
    ]  # fmt: skip
    names = [name for name, _ in fields]
    full = [{name: row.get(name) for name in names} for row in rows]
    return pa.RecordBatch.from_pylist(full, pa.schema(fields))


def _merged(rows: DataFrame) -> DataFrame:
    """One row a group, time and member, out of however many lines told of it."""
    from pyspark.sql import functions as F  # noqa: N812  # as above

    grouped = rows.groupBy("group", "at", "member").agg(
        F.array_sort(F.array_distinct(F.flatten(F.collect_list("owned")))).alias("owned"),
        F.first("topics", ignorenulls=True).alias("topics"),
        *(F.max(name).alias(name) for name in ("instance_id", "client_id", "rack")),
    )
    return grouped.select("group", "at", "member", "owned", "topics", "instance_id", "client_id", "rack")


def read_subscriptions(path: Path) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Who reads what, by group and member id or client id; raises `InputError` naming the line.

    A JSON line each: `{"group": "billing", "member": "app-1", "topics": ["orders"]}`; `*` is everybody.
    """
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            topics = row["topics"]
            if not all(isinstance(topic, str) for topic in topics):
                raise ValueError("topics")
            found[str(row["group"]), str(row["member"])] = tuple(topics)
        except (ValueError, TypeError, KeyError):
            raise InputError(
                f'{path}:{number}: expected {{"group": ..., "member": ..., "topics": [...]}}'
            ) from None
    return found
