"""From files to the table of snapshots, and what is rejected."""

import json
from pathlib import Path
from typing import Any

import pytest

from kassay.model.errors import InputError
from kassay.pipeline.fleet.snapshots import SNAPSHOTS_DDL, read_fleet, read_subscriptions


def test_subscriptions_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"group": "g", "member": "*", "topics": ["t"]}) + "\n\n", encoding="utf-8")
    assert read_subscriptions(path) == {("g", "*"): ("t",)}
    path.write_text('{"group": "g"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"s\.jsonl:1: member: missing"):
        read_subscriptions(path)


@pytest.mark.spark
def test_the_view_without_topics_needs_the_offsets_view(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(
        "# at=2026-11-21T05:00:00Z\nGROUP CONSUMER-ID HOST ASSIGNMENT\nlost m /h (0)\nboth m /h (0)\n"
        "GROUP TOPIC PARTITION CONSUMER-ID HOST\nboth t 0 m /h\n",
        encoding="utf-8",
    )
    fleet = read_fleet(spark, [str(tmp_path)])
    assert [(r.group, len(r.owned)) for r in fleet.snapshots.collect()] == [("both", 1)]
    (bad,) = fleet.rejected.collect()
    assert (bad.line, "offsets view" in bad.reason) == (3, True)


@pytest.mark.spark
def test_places_without_snapshots_are_named(spark: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="/no/such: no such file"):
        read_fleet(spark, ["/no/such"])
    with pytest.raises(InputError, match="no files in it"):
        read_fleet(spark, [str(tmp_path)])
    for name in ("a.txt", "b.parquet"):
        (tmp_path / name).write_text("x\n", encoding="utf-8")
    with pytest.raises(InputError, match="Parquet and other files"):
        read_fleet(spark, [str(tmp_path)])


@pytest.mark.spark
def test_the_parquet_form_is_read_and_its_bad_rows_rejected(spark: Any, tmp_path: Path) -> None:
    ddl = SNAPSHOTS_DDL
    good = ("g", 1_795_237_200_000, "m", [("t", 0)], ["t"], None, "app", None)
    bad = [
        (None, *good[1:]),
        (good[0], None, *good[2:]),
        (*good[:3], None, *good[4:]),
        (*good[:3], [("t", -1)], *good[4:]),
        (*good[:4], [None], *good[5:]),
    ]
    spark.createDataFrame([good, *bad], ddl).coalesce(1).write.parquet(f"{tmp_path}/table")
    fleet = read_fleet(spark, [f"{tmp_path}/table"])
    assert [tuple(row[:3]) for row in fleet.snapshots.collect()] == [good[:3]]
    rejected = sorted((row.line, row.reason.split(":")[0]) for row in fleet.rejected.collect())
    assert rejected == [(2, "group"), (3, "at"), (4, "owned"), (5, "owned"), (6, "topics")]
    spark.createDataFrame([good], ddl).drop("rack").write.parquet(f"{tmp_path}/narrow")
    with pytest.raises(InputError, match="column 'rack' is missing"):
        read_fleet(spark, [f"{tmp_path}/narrow"])
    texts_ = spark.createDataFrame([good], ddl.replace("at bigint", "at string"), verifySchema=False)
    texts_.write.parquet(f"{tmp_path}/texts")
    with pytest.raises(InputError, match="column 'at': expected bigint, got string"):
        read_fleet(spark, [f"{tmp_path}/texts"])
