"""Reads files into the table of snapshots, with one row per group, time and member; and rejected lines."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kassay.model.errors import InputError
from kassay.pipeline.fleet.dialects import LOST, OFFSETS, PARTITION_MAX, Rejected, Seen, parse
from kassay.pipeline.fleet.ledger import InputFile
from kassay.pipeline.fleet.tables import LINES, OWNED, SNAPSHOTS
from kassay.pipeline.tables import arrow_type
from kassay.pipeline.workers import on_workers
from kassay.reading.documents import head_of, is_file, is_folder, parse_json, read_text
from kassay.reading.values import read_as

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

AS_IN_JSON: Final = {"group": "group_id", "at": "seen_at", "member": "member_id"}
"""The columns of Parquet that is named as JSON lines are, and those of the table."""
_OWNED_AS_IN_JSON: Final = "array<struct<topic:string,partition:int>>"
BYTES: Final = "binaryFile"
"""Spark's format of whole files; a column that is not read costs nothing."""
_MAGIC: Final = b"PAR1"
TABLE: Final = "table"
"""The `view` of rows from Parquet."""


class Settled(NamedTuple):
    """`snapshots` has one row per group, time and member (null: unowned); `rejected` one per bad line."""

    snapshots: DataFrame
    rejected: DataFrame


def settled(lines: DataFrame) -> Settled:
    """The snapshots that these lines tell, and the lines that cannot be used."""
    from pyspark.sql import functions as F  # noqa: N812  # as every user of Spark knows it

    good = lines.where(F.col("reason").isNull())
    usable = good.where(F.col("view") != LOST)
    instants = usable.where(F.col("view") == OFFSETS).select("group_id", "seen_at").distinct()
    lost = good.where(F.col("view") == LOST)
    # A row without topics identifies the members; the offsets view of the same instant has their partitions.
    owning = lost.join(instants, ["group_id", "seen_at"], "left_semi")
    alone = lost.join(instants, ["group_id", "seen_at"], "left_anti").select(
        "file",
        "line",
        F.lit(
            "topics are missing from this output: expected the offsets view of the same instant as well"
        ).alias("reason"),
        F.concat_ws(" ", "group_id", "member_id").alias("text"),
    )
    rejected = lines.where(F.col("reason").isNotNull()).select("file", "line", "reason", "text")
    return Settled(_merged(usable.unionByName(owning)), rejected.unionByName(alone))


def input_files(spark: SparkSession, paths: Sequence[str]) -> list[InputFile]:
    """The files in these places, as Spark lists them: it skips names that begin with `.` or `_`."""
    must_exist(paths)
    listed = spark.read.format(BYTES).option("recursiveFileLookup", "true").load(list(paths))
    return [InputFile(row.path, row.length) for row in listed.select("path", "length").collect()]


def read_lines(spark: SparkSession, files: Sequence[InputFile]) -> DataFrame:
    """The rows of `LINES`: text, JSON lines, or Parquet of `SNAPSHOTS`; the end of the name decides."""
    named = [file for file in files if file.path.endswith(".parquet")]
    whole = {file for file in named if _ends_as_parquet(spark, file)}
    tables = [file.path for file in named if file in whole]
    damaged = [
        Rejected(file.path.removeprefix("file:"), 1, "no Parquet file: its end is missing", "")
        for file in named
        if file not in whole
    ]
    texts = [file.path for file in files if not file.path.endswith(".parquet")]
    rows = spark.createDataFrame([], LINES.ddl)
    if texts:
        # The whole path: a partition folder such as at=2026-11-21T05-00-00Z may contain the time.
        whole = spark.read.format(BYTES).load(list(map(_literal, texts))).select("path", "content")
        rows = whole.mapInArrow(on_workers(_parse_all), LINES.ddl)
    if tables:
        rows = rows.unionByName(_table(spark, tables)) if texts else _table(spark, tables)
    if damaged:
        rows = rows.unionByName(spark.createDataFrame([_of(each) for each in damaged], LINES.ddl))
    return rows


def _of(rejected: Rejected) -> tuple[object, ...]:
    """The row of `LINES`."""
    return tuple(getattr(rejected, name, None) for name in LINES.names)


def still_there(spark: SparkSession, file: InputFile) -> bool:
    """Whether the file that was listed exists."""
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(file.path)
    return bool(path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).exists(path))


def _ends_as_parquet(spark: SparkSession, file: InputFile) -> bool:
    """Whether the file ends as Parquet does: one that is still written, or cut off, has no such end."""
    if file.size < 2 * len(_MAGIC) + 4:
        return False
    jvm: Any = spark._jvm
    path = jvm.org.apache.hadoop.fs.Path(file.path)
    stream = path.getFileSystem(spark._jsparkSession.sessionState().newHadoopConf()).open(path)
    try:
        stream.seek(file.size - len(_MAGIC))
        return bool(stream.readInt() == int.from_bytes(_MAGIC, "big"))
    finally:
        stream.close()


def _literal(path: str) -> str:
    """The path as a pattern that matches it alone."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", path)


def must_exist(paths: Sequence[str]) -> None:
    """Raise `InputError` for a local path that does not exist or has no files."""
    for path in paths:
        place = Path(path)
        if "://" not in path and not (is_file(place) or any(_files(place))):
            what = "no files in it" if is_folder(place) else "no such file or folder"
            raise InputError(f"{path}: {what}, expected snapshots of consumer groups")


def must_be_apart(paths: Sequence[str], out: str) -> None:
    """Raise `InputError` if the results would lie among the snapshots, or the snapshots among the results."""
    if "://" in out:
        return
    folder = Path(out).resolve()
    for place in (Path(path).resolve() for path in paths if "://" not in path):
        hidden = folder.is_relative_to(place) and any(
            part.startswith((".", "_")) for part in folder.relative_to(place).parts
        )
        if place.is_relative_to(folder) or (folder.is_relative_to(place) and not hidden):
            raise InputError(f"--out {out}: not apart from the snapshots in {place}; expected another folder")


def _files(place: Path) -> Iterator[Path]:
    """The files that Spark reads in and below a folder: it skips names that begin with `.` or `_`."""
    for file in place.rglob("*") if is_folder(place) else ():
        inside = file.relative_to(place).parts
        if is_file(file) and not any(part.startswith((".", "_")) and "=" not in part for part in inside):
            yield file


def _table(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """The rows of the Parquet form; invalid ones with the reason and their number as `line`."""
    from pyspark.sql import functions as F  # noqa: N812  # as above

    frame, path = spark.read.parquet(*map(_literal, paths)), paths[0]
    for name, own in AS_IN_JSON.items():
        if name in frame.columns and own not in frame.columns:
            frame = frame.withColumnRenamed(name, own)
    types = {field.name: field.dataType.simpleString() for field in frame.schema}
    if types.get("seen_at") == "bigint":
        frame = frame.withColumn("seen_at", F.timestamp_millis("seen_at"))
    if types.get("owned") == _OWNED_AS_IN_JSON:
        frame = frame.withColumn("owned", F.col("owned").cast(OWNED))
    types = {field.name: field.dataType.simpleString() for field in frame.schema}
    columns = spark.createDataFrame([], SNAPSHOTS.ddl).schema
    for column in columns:
        name, expected = column.name, column.dataType.simpleString()
        if name not in types:
            raise InputError(f"{path}: column {name!r} is missing, expected those of the table of snapshots")
        if types[name] not in (expected, "void"):
            raise InputError(f"{path}: column {name!r}: expected {expected}, got {types[name]}")
    wrong = F.exists(
        "owned",
        lambda tp: (
            tp["topic"].isNull()
            | tp["partition_number"].isNull()
            | ~tp["partition_number"].between(0, PARTITION_MAX)
        ),
    )
    reason = (
        F.when(F.col("group_id").isNull(), "group_id: expected a text, got null")
        .when(F.col("seen_at").isNull(), "seen_at: expected a time, got null")
        .when(F.col("owned").isNull(), "owned: expected a list, got null")
        .when(wrong, f"owned: expected topics and partitions from 0 to {PARTITION_MAX}")
        .when(F.exists("topics", lambda topic: topic.isNull()), "topics: expected texts, got null")
    )
    text = F.substring(F.to_json(F.struct("group_id", "seen_at", "member_id", "owned", "topics")), 1, 200)
    # The row number is an int in any realistic file.
    line = (F.col("_metadata.row_index") + 1).cast("int")
    return frame.select(
        *(F.col(column.name).cast(column.dataType) for column in columns),
        F.lit(TABLE).alias("view"),
        F.regexp_replace(F.col("_metadata.file_path"), "^file://", "").alias("file"),
        line.alias("line"),
        reason.alias("reason"),
        text.alias("text"),
    )


def _parse_all(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    """The rows of whole files; for `mapInArrow`."""
    for batch in batches:
        for file, content in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist()):
            text = content.decode("utf-8", "replace")
            rows = list(rows_of(parse(text, file.removeprefix("file:"))))
            if rows:
                yield _packed(rows)


def rows_of(lines: Iterable[Seen | Rejected]) -> Iterator[Seen | Rejected]:
    """Merge all rows of a member at an instant into one, with the first row's line number.

    The offsets view has one row per partition; Spark then sorts members instead of partitions.
    """
    together: dict[tuple[object, ...], tuple[Seen, list[tuple[str, int]]]] = {}
    for row in lines:
        if isinstance(row, Rejected):
            yield row
            continue
        group, at, member, owned, topics, *rest, _, _ = row
        key = (group, at, member, topics, *rest)
        if key in together:
            together[key][1].extend(owned)
        else:
            together[key] = row, list(owned)
    for first, all_owned in together.values():
        yield first._replace(owned=tuple(all_owned))


def _packed(rows: Sequence[Seen | Rejected]) -> pyarrow.RecordBatch:
    """The rows as columns of `LINES`."""
    import pyarrow as pa

    own = {
        "group_id": ("group", pa.string()),
        "member_id": ("member", pa.string()),
        "topics": ("topics", pa.list_(pa.string())),
        **{name: (name, pa.string()) for name in ("instance_id", "client_id", "rack", "view", "file")},
        "line": ("line", pa.int32()),
        **{name: (name, pa.string()) for name in ("reason", "text")},
    }
    columns = {
        column: pa.array([getattr(row, name, None) for row in rows], type_)
        for column, (name, type_) in own.items()
    }
    times = (getattr(row, "at", None) for row in rows)
    microseconds = pa.array([None if at is None else 1000 * at for at in times], pa.int64())
    starts, topics, partitions = [0], list[str](), list[int]()
    for row in rows:
        if isinstance(row, Seen):
            topics += [topic for topic, _ in row.owned]
            partitions += [partition for _, partition in row.owned]
        starts.append(len(topics))
    tps = pa.StructArray.from_arrays(
        [pa.array(topics, pa.string()), pa.array(partitions, pa.int32())], ["topic", "partition_number"]
    )
    columns["owned"] = pa.ListArray.from_arrays(pa.array(starts, pa.int32()), tps)
    columns["seen_at"] = microseconds.cast(arrow_type("timestamp"))
    return pa.RecordBatch.from_pydict({name: columns[name] for name in LINES.names})


def _merged(rows: DataFrame) -> DataFrame:
    """One row per group, time and member, merged from all lines about it."""
    from pyspark.sql import functions as F  # noqa: N812  # as above

    grouped = rows.groupBy("group_id", "seen_at", "member_id").agg(
        F.array_sort(F.array_distinct(F.flatten(F.collect_list("owned")))).alias("owned"),
        *(F.max(name).alias(name) for name in ("topics", "instance_id", "client_id", "rack")),
    )
    return grouped.select(
        "group_id", "seen_at", "member_id", "owned", "topics", "instance_id", "client_id", "rack"
    )


@dataclass(frozen=True)
class _Subscription:
    group: str
    member: str
    topics: tuple[str, ...]


def are_subscriptions(path: str) -> bool:
    """Whether the file is one of subscriptions, by its first line; no folder or remote file is."""
    if "://" in path or not is_file(path):
        return False
    first = head_of(path).lstrip().partition("\n")[0]
    return first.startswith("{") and {*re.findall(r'"(\w+)"\s*:', first)} == {"group", "member", "topics"}


def read_subscriptions(path: Path) -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Subscriptions by group and member id or client id; raises `InputError` with the line.

    One JSON object per line: `{"group": "billing", "member": "app-1", "topics": ["orders"]}`; `*` means every
    member.
    """
    lines = enumerate(read_text(path).splitlines(), start=1)
    rows = [
        read_as(_Subscription, parse_json(line, str(path), number), f"{path}:{number}")
        for number, line in lines
        if line.strip()
    ]
    return {(row.group, row.member): row.topics for row in rows}
