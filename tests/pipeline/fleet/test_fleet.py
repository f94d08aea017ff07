"""A small fleet, written, read and replayed by Spark, beside a replay in plain Python."""

from pathlib import Path
from typing import Any

import pytest

from kassay.engines.targets.resolve import resolve
from kassay.pipeline.fleet.fleet import replay_fleet
from kassay.pipeline.fleet.generate import FleetSpec, dialect_of, moments, texts
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
    found = query(
        replayed[0],
        "events",
        "SELECT group_id, epoch_ms(seen_at), event, member_id, topic, partition_number FROM {t}",
    )
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
    rows = query(out, "replays", f"SELECT group_id, assignor, {', '.join(columns)} FROM {{t}}")
    table = {(row[0], row[1]): dict(zip(columns, row[2:])) for row in rows}
    happened = query(
        out,
        "events",
        "SELECT group_id, epoch_ms(seen_at), event, member_id, topic, partition_number FROM {t}",
    )
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
