"""The columns are those that analysts expect, and the documented queries have one answer in two engines."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from kassay.pipeline.campaign import tables as campaigns
from kassay.pipeline.campaign.spec import Pace
from kassay.pipeline.fleet import tables as fleets
from kassay.pipeline.fleet.generate import FleetSpec, texts
from tests.paths import DOCS
from tests.pipeline.campaign.campaigns import SPEC, run
from tests.pipeline.fleet.fleets import replayed

TABLES = {**campaigns.TABLES, **fleets.TABLES}
COLUMNS = [(table.name, column) for table in TABLES.values() for column in table.columns]
TYPES = (
    "string",
    "int",
    "bigint",
    "double",
    "boolean",
    "timestamp",
    "array<string>",
    "array<int>",
    fleets.OWNED,
)
ELSEWHERE = {
    "at",
    "date",
    "day",
    "group",
    "index",
    "key",
    "member",
    "partition",
    "rows",
    "start",
    "time",
    "value",
}
"""Words that other engines reserve, or that are attributes of a DataFrame."""
QUERIES = {
    text.partition("\n")[0]: text.partition("\n")[2].strip()
    for text in re.split(r"^-- (?=.*\?\n)", (DOCS / "campaigns/queries.sql").read_text("utf-8"), flags=re.M)[
        1:
    ]
}


def test_the_names_of_tables_and_the_types_of_columns_are_plain() -> None:
    assert len(TABLES) == len(campaigns.TABLES) + len(fleets.TABLES)
    assert {column.type for _, column in COLUMNS} == set(TYPES)
    assert {column.type for _, column in COLUMNS if column.name.endswith("_s")} == {"double"}
    assert {column.name for _, column in COLUMNS if column.type == "timestamp"} == {"seen_at"}
    assert all(column.meaning for _, column in COLUMNS)


@pytest.mark.spark
def test_no_column_is_a_reserved_word(spark: Any) -> None:
    duckdb = pytest.importorskip("duckdb")
    spark.conf.set("spark.sql.ansi.enabled", "true")
    reserved = {
        row[0].lower() for row in spark.sql("SELECT keyword FROM sql_keywords() WHERE reserved").collect()
    }
    listed = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category != 'unreserved'"
    reserved |= {row[0] for row in duckdb.sql(listed).fetchall()} | ELSEWHERE
    assert {"group", "order"} <= reserved
    assert {column.name for _, column in COLUMNS} & reserved == set()


@pytest.fixture(scope="module")
def stored(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The files of each table of a small campaign and a small fleet."""
    folder = tmp_path_factory.mktemp("stored")
    spec = replace(SPEC, histories=(("small", 24), ("shape:range-idle", 2)), pace=Pace(batch_histories=20))
    run(spark, spec, folder / "campaign")
    texts(spark, FleetSpec(6, 8, 5), 1).write.partitionBy("at").text(f"file://{folder}/snapshots")
    (folder / "snapshots" / "stray.txt").write_text("some words\n", encoding="utf-8")
    replayed(spark, [folder / "snapshots"], folder / "fleet", ["range", "sticky"])
    yield {
        **{name: f"{folder}/campaign/tables/{name}" for name in campaigns.TABLES},
        **{name: f"{folder}/fleet/tables/{name}" for name in fleets.TABLES},
    }


@pytest.mark.spark
@pytest.mark.parametrize("name", TABLES)
def test_pandas_reads_numbers_as_numbers_and_times_as_times(stored: dict[str, str], name: str) -> None:
    import pyarrow.parquet as pq

    table = TABLES[name]
    frame = pq.read_table(stored[name], partitioning=None).to_pandas()
    assert list(frame.columns) == list(table.names)
    for column in table.columns:
        kind, nulls = frame[column.name].dtype.kind, frame[column.name].isna().any()
        expected = {"int": "if", "bigint": "if", "double": "f", "boolean": "b", "timestamp": "M"}
        assert kind in expected.get(column.type, "O"), (name, column.name, kind)
        assert kind != "f" or column.type == "double" or nulls


@pytest.mark.spark
@pytest.mark.parametrize("question", QUERIES)
def test_a_documented_query_has_one_answer_in_duckdb_and_in_spark(
    spark: Any, stored: dict[str, str], question: str
) -> None:
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect() as other:
        other.sql("SET TimeZone = 'UTC'")
        for name, place in stored.items():
            other.sql(f"CREATE VIEW {name} AS FROM read_parquet('{place}/**/*.parquet')")
            spark.read.parquet(f"file://{place}").createOrReplaceTempView(name)
        found = other.sql(QUERIES[question].rstrip(";"))
        frame = spark.sql(QUERIES[question].rstrip(";"))
        assert found.columns == frame.columns
        rows = found.fetchall()
    assert rows, "an empty answer shows nothing"
    assert [tuple(map(_plain, row)) for row in rows] == [tuple(map(_plain, row)) for row in frame.collect()]


def _plain(value: Any) -> Any:
    """Spark's instants have no zone in Python; the session is one of UTC."""
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


def test_there_are_ten_queries_and_more() -> None:
    assert len(QUERIES) >= 10
