"""Frames of Streams: processes with threads, tasks in their roles."""

from kassay.kinds.streams.view import task_frames
from tests.kinds.boards import HELD, OURS, drawn, opened, rows, told


def test_many_tasks_with_state_are_told_in_ranges():
    step = {
        "tasks": [], "stateful": [f"0_{n}" for n in range(30)] + ["1_0", "1_2"], "standby_replicas": 1,
        "processes": [], "answer": {}, "at_rest": False,
    }  # fmt: skip
    (frame,) = task_frames(told(step), str)
    assert frame.notes[0] == "Tasks with state: 0_: 0–29; 1_: 0, 2"
    (frame,) = task_frames(told(step | {"tasks": ["0_0", "0_1", "1_0"], "stateful": ["0_0", "0_1"]}), str)
    assert frame.notes[:2] == ("Tasks with state: 0_0, 0_1", "Tasks without state: 1_0")


def test_tasks_stand_in_the_role_that_they_are_given():
    board = drawn(OURS / "streams-group-sticky-sticky-standbys.json")
    first, second, _ = board.frames
    one, two = (f"{half}-0000-4000-8000-{n:012d}" for half, n in (("00000000", 0), ("80000000", 1)))
    assert rows(first.table) == {
        one: ["", "", "+0_1", "◦0_0 ◦0_2", "1"],
        two: ["", "", "+0_0 +0_2", "◦0_1", "1"],
    }
    assert rows(second.table)[one] == ["0_1", "−0_0 ◦0_2 0_2 100000 behind", "0_1", "◦0_2", "1"]
    assert second.events == ("00000000-0000-4000-8000-000000000002 joins (1 thread)",)
    assert opened(board) is second and second.broken


def test_the_tasks_that_moved_are_marked():
    frame = opened(drawn(HELD / "streams-sticky-sticky-minimal.json"))
    assert (
        sum(text.count("✕0_1") + text.count("✕1_1") for cells in rows(frame.table).values() for text in cells)
        == 2
    )
    assert [row.extras for row in frame.table.rows] == ["4 threads", "2 threads"]


def test_more_copies_than_were_asked_for_are_warm_ups():
    board = drawn(HELD / "streams-high-availability-sticky-minimal.json")
    signs = {sign for frame in board.frames for cells in rows(frame.table).values() for sign in cells[3][:1]}
    assert signs <= {"○", "◦"}
