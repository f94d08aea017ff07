"""What is made of a group's snapshots in plain Python: states, changes, replays, and what is left out."""

import tempfile
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kassay.engines.targets.resolve import resolve
from kassay.model.cluster import TopicPartition
from kassay.pipeline.fleet.dialects import Seen, parse
from kassay.pipeline.fleet.generate import FleetSpec, moments, snapshot_text, stamp
from kassay.pipeline.fleet.replay import (
    FleetMember,
    GroupState,
    changed_rows,
    changes_between,
    compared,
    replay_group,
    states_of,
)
from kassay.pipeline.fleet.snapshots import rows_of
from tests.pipeline.fleet import plain

ASSIGNORS = ("range", "roundrobin", "sticky", "optimal-sticky")
FIGURES = {"invalid": 0, "unsettled": 0, "unanswered": 0, "balance": 0, "moved": 0}


def replayed(group: str, rows: list[dict[str, Any]], specs: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    targets = [resolve(spec, in_process=True) for spec in specs]
    hosts = {target.spec: target.open() for target in targets}
    try:
        made = replay_group(group, rows, targets, lambda target: hosts[target.spec], {})
        return {row["assignor"]: row for row in made}
    finally:
        for host in hosts.values():
            host.close()


@pytest.mark.slow
@given(st.integers(0, 3000), st.sampled_from(["offsets", "json"]))
@settings(max_examples=25, deadline=None)
def test_a_replay_is_what_plain_code_makes_of_the_same_files(number: int, dialect: str) -> None:
    group, found = moments(FleetSpec(1, 12, 7), number)
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for moment in found:
            folder = Path(name) / f"at={stamp(moment.at)}"
            folder.mkdir()
            text = snapshot_text(group, moment, dialect)
            (folder / "x.txt").write_text(text, encoding="utf-8")
            rows += [as_row(row) for row in rows_of(parse(text, str(folder))) if isinstance(row, Seen)]
        snapshots = plain.read(Path(name), [group])[group]
    assume(plain.checkable(snapshots))
    table = replayed(group, rows, ASSIGNORS)
    plainly = plain.replay(snapshots, ASSIGNORS)
    assert plainly.keys() == {"actual", *ASSIGNORS}
    for assignor, figures in plainly.items():
        assert {name: table[assignor][name] for name in figures} == figures


def as_row(seen: Seen) -> dict[str, Any]:
    owned = [{"topic": topic, "partition_number": partition} for topic, partition in seen.owned]
    return {
        "seen_at": seen.at,
        "member_id": seen.member,
        **seen._asdict(),
        "owned": owned,
        "topics": None if seen.topics is None else list(seen.topics),
    }


@pytest.mark.spark
@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "0", "1", "01"])), max_size=12))
def test_an_instant_like_the_one_before_changes_no_state(shown: list[tuple[str, str]]) -> None:
    pa = pytest.importorskip("pyarrow")
    rows = [row(at, member, *map(int, owned)) for at, (member, owned) in enumerate(shown)]
    if not rows:
        return
    schema = pa.schema(
        [("seen_at", pa.timestamp("us", tz="UTC")), ("member_id", pa.string())]
        + [("owned", pa.list_(pa.struct([("topic", pa.string()), ("partition_number", pa.int32())])))]
        + [("topics", pa.list_(pa.string()))]
        + [(name, pa.string()) for name in ("instance_id", "client_id", "rack")]
    )
    fewer = changed_rows(pa.Table.from_pylist(rows[::-1], schema))
    states = states_of("g", rows, {})
    changed = [states[0], *(b for a, b in pairwise(states) if a.seats != b.seats)]
    assert states_of("g", fewer, {}) == changed


def test_a_candidate_that_fails_is_unknown_and_never_better(tmp_path: Path) -> None:
    path = tmp_path / "fails.py"
    path.write_text(
        "class Fails:\n    name = 'fails'\n"
        "    def assign(self, partitions, members):\n        raise RuntimeError('no')\n",
        encoding="utf-8",
    )
    rows = [row(1, "a", 0, 1, 2), row(2, "a", 0, 1, 2), row(2, "b")]
    found = replayed("g", rows, (f"{path}:Fails", "range"))
    failing = found[f"{path}:Fails"]
    assert (failing["unanswered"], failing["against_actual"], failing["moved_more"]) == (1, "unknown", None)
    assert (found["range"]["against_actual"], found["range"]["balance_more"]) == ("better", -4)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ({"balance": 1, "moved": -9}, ("worse", 1, -9)),
        ({"balance": -1, "moved": 9}, ("better", -1, 9)),
        ({"moved": -1}, ("better", 0, -1)),
        ({}, ("same", 0, 0)),
        ({"invalid": 1}, ("unknown", None, None)),
        ({"unsettled": 1}, ("unknown", None, None)),
        ({"unanswered": 1}, ("unknown", None, None)),
    ],
)
def test_balance_goes_before_moves(found: Mapping[str, int], expected: tuple[Any, ...]) -> None:
    assert tuple(compared({**FIGURES, **found}, FIGURES).values()) == expected


def test_old_offsets_of_a_topic_that_nobody_reads_do_not_hide_the_group() -> None:
    """The offsets view lists a topic without owners as long as the group has offsets there."""
    old = {**row(1, None), "owned": [{"topic": "old", "partition_number": 3}]}
    rows = [row(1, "a", 0, 1), old, row(2, "a", 0), row(2, "b", 1), {**old, "seen_at": 2}]
    found = replayed("g", rows, ("range",))
    assert [state.topics for state in states_of("g", rows, {})] == [{"a": ("t",)}, {"a": ("t",), "b": ("t",)}]
    assert (found["actual"]["invalid"], found["range"]["against_actual"]) == (0, "same")


def test_a_group_that_empties_and_fills_again_is_replayed() -> None:
    rows = [row(1, "a", 0), row(2, None, 0), row(3, "b", 0), row(4, "b", 0), row(4, "c")]
    found = replayed("g", rows, ("range",))
    assert found["actual"]["rebalances"] == 2
    assert found["range"]["unanswered"] == 0
    assert list(replay_group("g", [row(1, None, 0)], [], resolve, {})) == []  # type: ignore[arg-type]


def row(at: int, member: str | None, *owned: int) -> dict[str, Any]:
    tps = [{"topic": "t", "partition_number": p} for p in owned]
    return {
        "seen_at": at, "member_id": member, "owned": tps, "topics": None, "instance_id": None, "client_id": None,
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
    seat = FleetMember(("t",), (TopicPartition("t", 0),), None, None, None)
    state = GroupState({"a": seat}, {"t": 1}, {"a": ("t",)}, False)
    assert changes_between(state, state) == ()
    other = GroupState({"a": seat._replace(owned=())}, {"t": 1}, {"a": ("t",)}, False)
    assert [type(e).__name__ for e in changes_between(state, other)] == ["Rebalance"]
