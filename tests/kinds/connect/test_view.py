"""Frames of Connect: workers, what they run, start and stop."""

from kassay.kinds.connect.view import turns_of
from tests.kinds.boards import OURS, drawn, rows


def test_workers_start_and_stop_work():
    board = drawn(OURS / "connect-incremental-sticky-minimal.json")
    first, second, third = board.frames[:3]
    assert rows(first.table) == {"w0": ["", "+c0 +c1 +c0-0 +c1-0", "", "c0 c1 c0-0 c1-0 4"]}
    assert rows(second.table)["w0"][0] == "c0 c1 −c0-0 c1-0"
    assert second.events == (
        "at 0 ms: another worker becomes the leader",
        "at 0 ms: connector c1 changes to 0 tasks",
    )
    assert third.events == ()


def test_each_change_stands_before_a_rebalance_of_its_own():
    assert turns_of([0, 0, 0, 5, 9], [0, 0, 7]) == [1, 2, 4]
    assert turns_of([0, 3], [2, 9]) == [1, 2]
