"""A small fleet, written, read and replayed by Spark, beside a replay in plain Python."""

import json
from pathlib import Path
from typing import Any

import pytest

from kassay.certify.targets import resolve
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.pipeline.fleet.fleet import replay_fleet
from kassay.pipeline.fleet.generate import FleetSpec, dialect_of, moments, texts
from kassay.pipeline.fleet.replay import Seat, State, changes_between, states_of
from kassay.pipeline.fleet.snapshots import read_fleet, read_subscriptions
from tests.pipeline.fleet import plain
from tests.pipeline.fleet.naive import events_of

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
        expected |= {(group, *event) for event in events_of(list(seen)) if shows or event[1] != "unowned"}
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


def test_a_missing_path_is_named(spark: Any) -> None:
    with pytest.raises(InputError, match="/no/such: no such file"):
        read_fleet(spark, ["/no/such"])


def test_subscriptions_are_read_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"group": "g", "member": "*", "topics": ["t"]}) + "\n\n", encoding="utf-8")
    assert read_subscriptions(path) == {("g", "*"): ("t",)}
    path.write_text('{"group": "g"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"s\.jsonl:1: expected"):
        read_subscriptions(path)


def row(at: int, member: str | None, *owned: int) -> dict[str, Any]:
    tps = [{"topic": "t", "partition": p} for p in owned]
    return {
        "at": at, "member": member, "owned": tps, "topics": None, "instance_id": None, "client_id": None,
        "rack": None,
    }  # fmt: skip


def test_states_guess_subscriptions_and_sizes_and_say_so() -> None:
    first, second = states_of("g", [row(1, "a", 0), row(1, None, 1), row(2, "b", 0, 1, 2)], {})
    assert first.counts == {"t": 2}
    assert first.inferred
    assert second.seats["b"].owned == tuple(TopicPartition("t", p) for p in range(3))
    kinds = [type(event).__name__ for event in changes_between(first, second)]
    assert kinds == ["AddPartitions", "Leave", "Join"]
    known = states_of("g", [row(1, "a", 0)], {("g", "a"): ("t", "u")})
    assert (known[0].topics["a"], known[0].inferred) == (("t", "u"), False)


def test_nothing_happened_between_equal_states() -> None:
    seat = Seat(("t",), (TopicPartition("t", 0),), None, None, None)
    state = State({"a": seat}, {"t": 1}, {"a": ("t",)}, False)
    assert changes_between(state, state) == ()
    other = State({"a": seat._replace(owned=())}, {"t": 1}, {"a": ("t",)}, False)
    assert [type(e).__name__ for e in changes_between(state, other)] == ["Rebalance"]
