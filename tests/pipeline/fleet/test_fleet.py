"""A small fleet, written, read and replayed by Spark, beside a replay in plain Python."""

from pathlib import Path
from typing import Any

import pytest

from kassay.certify.targets.resolve import resolve
from kassay.model.errors import InputError
from kassay.pipeline.fleet.fleet import replay_fleet
from kassay.pipeline.fleet.generate import FleetSpec, dialect_of, moments, texts
from kassay.pipeline.fleet.histories import events_of
from kassay.pipeline.fleet.snapshots import SNAPSHOTS_DDL, read_fleet
from tests.pipeline.fleet import naive, plain

duckdb = pytest.importorskip("duckdb", reason="the pipeline's tests have an environment of their own")

GROUPS, SNAPSHOTS = 14, 9
ASSIGNORS = ("range", "roundrobin", "sticky", "optimal-sticky")


@pytest.fixture(scope="module")
def replayed(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("fleet")
    spec = FleetSpec(GROUPS, SNAPSHOTS, 5)
    texts(spark, spec, 2).coalesce(2).write.partitionBy("at").text(f"file://{folder}/snapshots")
    (folder / "snapshots" / "stray.txt").write_text("some words\n", encoding="utf-8")
    targets = [resolve(name) for name in ASSIGNORS]
    made = replay_fleet(spark, [f"{folder}/snapshots"], f"file://{folder}/out", targets, {})
    return folder / "out", made


def query(folder: Path, table: str, text: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = duckdb.sql(
        text.format(t=f"read_parquet('{folder}/{table}/*.parquet')")
    ).fetchall()
    return found


@pytest.mark.spark
def test_events_are_what_a_plain_walk_finds(replayed: tuple[Path, dict[str, Any]]) -> None:
    found = query(replayed[0], "events", 'SELECT "group", "at", event, member, topic, partition FROM {t}')
    expected = set()
    for number in range(GROUPS):
        group, seen = moments(FleetSpec(GROUPS, SNAPSHOTS, 5), number)
        # Only the offsets view lists what nobody owns.
        shows = dialect_of(FleetSpec(GROUPS, SNAPSHOTS, 5), number) in ("offsets", "members-lost")
        expected |= {
            (group, *event) for event in naive.events_of(list(seen)) if shows or event[1] != "unowned"
        }
    assert {row for row in found if row[2] in ("join", "leave", "move", "unowned")} == expected
    assert len(found) == len(set(found))


@pytest.mark.spark
def test_the_tables_are_what_a_plain_replay_finds(replayed: tuple[Path, dict[str, Any]]) -> None:
    """The plain replay reads the files itself, counts itself, and has an optimum of its own."""
    out, _ = replayed
    told = {"offsets", "members-lost", "json"}
    spec = FleetSpec(GROUPS, SNAPSHOTS, 5)
    wanted = [moments(spec, n)[0] for n in range(GROUPS) if dialect_of(spec, n) in told]
    found = plain.read(out.parent / "snapshots", wanted)
    assert len(found) == len(wanted) >= 8
    columns = (
        "to_switch",
        "rebalances",
        "moved",
        "moved_least",
        "balance",
        "balance_worst",
        "spread_worst",
        "invalid",
    )
    rows = query(out, "replays", f'SELECT "group", assignor, {", ".join(columns)} FROM {{t}}')
    table = {(row[0], row[1]): dict(zip(columns, row[2:])) for row in rows}
    happened = query(out, "events", 'SELECT "group", "at", event, member, topic, partition FROM {t}')
    for group, snapshots in found.items():
        assert plain.checkable(snapshots)
        for assignor, figures in plain.replay(snapshots, ASSIGNORS).items():
            assert table[group, assignor] == figures, (group, assignor)
        assert {row[1:] for row in happened if row[0] == group} == set(plain.events(snapshots)), group


@pytest.mark.spark
def test_the_optimum_is_never_worse(replayed: tuple[Path, dict[str, Any]]) -> None:
    out, made = replayed
    assert made["groups"] == GROUPS
    assert made["rejected"] == {"a row before any header": 1}
    by_name = {row["assignor"]: row for row in made["assignors"]}
    assert by_name["optimal-sticky"]["balance"] == 0
    assert by_name["optimal-sticky"]["worse"] == 0
    assert by_name["actual"]["groups"] == GROUPS
    for table in ("snapshots", "events", "states", "replays", "rejected"):
        assert query(out, table, "SELECT count(*) FROM {t}")[0][0] > 0


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


@pytest.mark.spark
def test_events_shuffle_by_group_alone(spark: Any) -> None:
    """The snapshots of a large fleet fit no broadcast, and are moved between tasks once."""
    snapshots = spark.createDataFrame([], SNAPSHOTS_DDL).repartition(3, "group")
    plan = events_of(snapshots)._jdf.queryExecution().executedPlan().toString()
    assert "Broadcast" not in plan
    assert plan.count("hashpartitioning(") == plan.count("hashpartitioning(group#")
    assert "Window" in plan
