"""A small fleet, written, read and replayed by Spark, beside a replay in plain Python."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from kassay.pipeline.fleet.fleet import replay_fleet
from kassay.pipeline.fleet.generate import EPOCH_S, EVERY_S, FleetSpec, dialect_of, moments, texts
from kassay.pipeline.fleet.ledger import FleetLedger, InputFile
from kassay.pipeline.fleet.snapshots import input_files
from kassay.pipeline.fleet.stream import follow
from kassay.pipeline.fleet.tables import TABLES
from tests.pipeline.fleet import naive, plain
from tests.pipeline.fleet.fleets import ASSIGNORS, hashes, opened
from tests.pipeline.fleet.fleets import replayed as made_in

duckdb = pytest.importorskip("duckdb", reason="the pipeline's tests have an environment of their own")

GROUPS, SNAPSHOTS = 14, 9
SPEC = FleetSpec(GROUPS, SNAPSHOTS, 5, begins_s=EPOCH_S + 86_400 - 2 * EVERY_S)
"""Two snapshots are of the day before the others."""


@pytest.fixture(scope="module")
def replayed(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("fleet")
    texts(spark, SPEC, 2).coalesce(2).write.partitionBy("at").text(f"file://{folder}/snapshots")
    (folder / "snapshots" / "stray.txt").write_text("some words\n", encoding="utf-8")
    made = made_in(spark, [folder / "snapshots"], folder / "out")
    return folder / "out", made


def query(folder: Path, table: str, text: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = duckdb.sql(
        text.format(t=f"read_parquet('{folder}/tables/{table}/**/*.parquet')")
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
        group, seen = moments(SPEC, number)
        # Only the offsets view lists what nobody owns.
        shows = dialect_of(SPEC, number) in ("offsets", "members-lost")
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
    wanted = [moments(SPEC, n)[0] for n in range(GROUPS) if dialect_of(SPEC, n) in told]
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


@pytest.mark.spark
def test_new_snapshots_come_to_the_same_as_all_at_once(
    spark: Any, tmp_path: Path, replayed: tuple[Path, dict[str, Any]]
) -> None:
    """Late ones too, and killed between what is written and its receipt; then nothing is new."""
    came, out, said = tmp_path / "snapshots", tmp_path / "out", list[str]()
    all_came = sorted((replayed[0].parent / "snapshots").glob("at=*"))
    for folder in (all_came[0], *all_came[2:5]):
        shutil.copytree(folder, came / folder.name)
    first = replay_fleet(opened(spark, out), [str(came)], said.append)
    shutil.copytree(replayed[0].parent / "snapshots", came, dirs_exist_ok=True)
    work = opened(spark, out)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(Exception, match="Killed"):
        patch.setattr(FleetLedger, "sign", killed)
        follow(work, str(came), said.append)
    work = opened(spark, out)
    follow(work, str(came), said.append)  # the load is finished first: Spark repeats the micro-batch in vain
    assert said[1:] == []
    (came / "late.txt").write_text("nothing\n", encoding="utf-8")
    made = replay_fleet(opened(spark, out), [str(came)], said.append)
    assert (first["new"]["snapshots"], made["loads"]) == (GROUPS * 4, 3)
    assert said == [
        f"{GROUPS * 4} new snapshots in 8 files, 0 read before",
        "0 new snapshots in 1 file, 19 read before",
    ]
    assert {**made, "new": 0, "loads": 0, "rejected": 0} == {
        **replayed[1],
        "new": 0,
        "loads": 0,
        "rejected": 0,
    }
    told = [name for name in TABLES if name not in ("lines", "rejected")]
    found, at_once = hashes(opened(spark, out)), hashes(opened(spark, replayed[0]))
    assert [found[name] for name in told] == [at_once[name] for name in told]
    listed = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["tables"]
    assert {str(path.relative_to(out)) for path in out.rglob("*.parquet")} == {
        file for own in listed.values() for file in own
    }
    assert [Path(file).parts[2] for file in listed["events"]] == ["seen_on=2026-11-21", "seen_on=2026-11-22"]


class Killed(Exception):
    pass


def killed(*_: object) -> None:
    raise Killed


@pytest.mark.spark
def test_a_file_that_is_gone_before_an_interrupted_load_is_repeated_is_told_and_left_out(
    spark: Any, tmp_path: Path
) -> None:
    line = '{"at": %d, "group": "g", "member": "m", "topics": ["t"], "owned": [["t", 0]]}\n'
    places = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for number, place in enumerate(places, start=1):
        place.write_text(line % (1000 * number), encoding="utf-8")
    work = opened(spark, tmp_path / "out", ("range",))
    work.ledger.plan(input_files(spark, list(map(str, places))))
    places[0].unlink()
    lines: list[str] = []
    made = replay_fleet(opened(spark, tmp_path / "out", ("range",)), [str(places[1])], lines.append)
    assert lines[0] == f"gone before it was read: file:{places[0]}"
    assert (made["snapshots"], made["groups"], made["new"]["files"]) == (1, 1, 1)
    places[0].write_text(line % 1000, encoding="utf-8")  # back again: it is read as a new one
    assert opened(spark, tmp_path / "out", ("range",)).ledger.unread([InputFile(f"file:{places[0]}", 9)])
