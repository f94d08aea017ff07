"""From files to the table of snapshots, and what is rejected."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.fleet.snapshots import Settled, input_files, read_lines, read_subscriptions, settled
from kassay.pipeline.fleet.tables import SNAPSHOTS


def test_subscriptions_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"group": "g", "member": "*", "topics": ["t"]}) + "\n\n", encoding="utf-8")
    assert read_subscriptions(path) == {("g", "*"): ("t",)}
    path.write_text('{"group": "g"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"s\.jsonl:1: member: missing"):
        read_subscriptions(path)


def read_places(spark: Any, paths: list[str]) -> Settled:
    return settled(read_lines(spark, input_files(spark, paths)))


@pytest.mark.spark
def test_the_view_without_topics_needs_the_offsets_view(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "# at=2026-11-21T05:00:00Z\nGROUP CONSUMER-ID HOST ASSIGNMENT\nlost m /h (0)\nboth m /h (0)\n"
        "GROUP TOPIC PARTITION CONSUMER-ID HOST\nboth t 0 m /h\n",
        encoding="utf-8",
    )
    fleet = read_places(spark, [str(tmp_path)])
    assert [(r.group_id, len(r.owned)) for r in fleet.snapshots.collect()] == [("both", 1)]
    (bad,) = fleet.rejected.collect()
    assert (bad.line, "offsets view" in bad.reason) == (3, True)


@pytest.mark.spark
def test_places_without_snapshots_are_named(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="/no/such: no such file"):
        read_places(spark, ["/no/such"])
    with pytest.raises(InputError, match="no files in it"):
        read_places(spark, [str(tmp_path)])
    (tmp_path / "[a] {b}*.txt").write_text("x\n", encoding="utf-8")
    (rejected,) = read_places(spark, [str(tmp_path)]).rejected.collect()
    assert (rejected.file, rejected.reason) == (f"{tmp_path}/[a] {{b}}*.txt", "a row before any header")


@pytest.mark.spark
def test_the_parquet_form_is_read_and_its_bad_rows_rejected(spark: Any, tmp_path: Path) -> None:
    ddl = SNAPSHOTS.ddl
    good = ("g", datetime(2026, 11, 21, 5, tzinfo=UTC), "m", [("t", 0)], ["t"], None, "app", None)
    bad = [
        (None, *good[1:]),
        (good[0], None, *good[2:]),
        (*good[:3], None, *good[4:]),
        (*good[:3], [("t", -1)], *good[4:]),
        (*good[:4], [None], *good[5:]),
    ]
    spark.createDataFrame([good, *bad], ddl).coalesce(1).write.parquet(f"{tmp_path}/table")
    fleet = read_places(spark, [f"{tmp_path}/table"])
    expected = ("g", good[1].replace(tzinfo=None), "m", [("t", 0)])
    assert [tuple(row[:4]) for row in fleet.snapshots.collect()] == [expected]
    rejected = sorted((row.line, row.reason.split(":")[0]) for row in fleet.rejected.collect())
    assert rejected == [(2, "group_id"), (3, "seen_at"), (4, "owned"), (5, "owned"), (6, "topics")]
    as_in_json = spark.createDataFrame([good], ddl).withColumnsRenamed(
        {"group_id": "group", "member_id": "member"}
    )
    as_in_json = as_in_json.selectExpr(
        *("`group`", "unix_millis(seen_at) AS at", "member", "topics", "instance_id", "client_id", "rack"),
        "CAST(owned AS array<struct<topic: string, partition: int>>) AS owned",
    )
    as_in_json.write.parquet(f"{tmp_path}/json")
    assert [tuple(row[:4]) for row in read_places(spark, [f"{tmp_path}/json"]).snapshots.collect()] == [
        expected
    ]
    spark.createDataFrame([good], ddl).drop("rack").write.parquet(f"{tmp_path}/narrow")
    with pytest.raises(InputError, match="column 'rack' is missing"):
        read_places(spark, [f"{tmp_path}/narrow"])
    texts_ = spark.createDataFrame(
        [good], ddl.replace("`seen_at` timestamp", "`seen_at` string"), verifySchema=False
    )
    texts_.write.parquet(f"{tmp_path}/texts")
    with pytest.raises(InputError, match="column 'seen_at': expected timestamp, got string"):
        read_places(spark, [f"{tmp_path}/texts"])


@pytest.mark.spark
def test_what_is_no_parquet_file_is_one_rejected_line(spark: Any, tmp_path: Path) -> None:
    good = ("g", datetime(2026, 11, 21, 5, tzinfo=UTC), "m", [("t", 0)], ["t"], None, "app", None)
    spark.createDataFrame([good], SNAPSHOTS.ddl).coalesce(1).write.parquet(f"{tmp_path}/table")
    whole = next((tmp_path / "table").glob("*.parquet")).read_bytes()
    for name, damaged in {"short": b"x\n", "cut": whole[:-9], "longer": whole + b"PAR"}.items():
        (tmp_path / "table" / f"{name}.parquet").write_bytes(damaged)
    fleet = read_places(spark, [f"{tmp_path}/table"])
    assert [row.group_id for row in fleet.snapshots.collect()] == ["g"]
    rejected = fleet.rejected.collect()
    assert sorted(Path(row.file).stem for row in rejected) == ["cut", "longer", "short"]
    assert {(row.line, row.reason) for row in rejected} == {(1, "no Parquet file: its end is missing")}
