"""Frames of placement: brokers with racks, replicas that lead and follow, plans move by move."""

from tests.kinds.boards import HELD, drawn, opened, rows


def test_brokers_stand_with_their_racks_and_what_they_hold():
    frame = opened(drawn(HELD / "placement_rack-unaware-rack-spread.json"))
    assert frame.table.columns == ("broker", "leads (preferred)", "follows", "replicas")
    assert rows(frame.table) == {
        "broker 0": ["+0", "✕1", "2"],
        "broker 1": ["✕1", "", "1"],
        "broker 2": ["", "+0", "1"],
    }
    assert [row.extras for row in frame.table.rows] == ["rack rack0", "rack rack0", "rack rack2"]


def test_a_replica_that_stands_twice_on_a_broker_is_drawn_twice():
    frame = opened(drawn(HELD / "placers.py-replicas-distinct.json"))
    assert rows(frame.table) == {"broker 0": ["✕0", "✕0", "2"]}


def test_a_plan_is_a_frame_a_move():
    board = drawn(HELD / "plan_optimal-plan-minimal-holds.json")
    assert [frame.label for frame in board.frames] == ["start", *map(str, range(1, 9))]
    start, first, second = board.frames[:3]
    assert [(row.name, row.extras) for row in start.table.rows][-1] == ("broker 2", "not among the brokers")
    assert "t0-0" in rows(start.table)["broker 2"][1]
    assert start.notes[0].startswith("Replicas, preferred leader first: t0-0 on 4 0 2, ")
    assert first.notes[0].startswith("Replicas, preferred leader first: t0-0 on 4 0 6")
    assert first.events == ("a replica of t0-0 moves from broker 2 to 6",)
    assert "+t0-0" in rows(first.table)["broker 6"][1]
    assert "t0-0" not in rows(first.table)["broker 2"][1]
    assert second.events == ("the replicas of t0-0 are put in another order",)
    assert "broker 2" not in rows(board.frames[-1].table)
