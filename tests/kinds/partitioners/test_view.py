"""Frames of partitioners: records, where they may go, and where they do."""

from kassay.kinds.partitioners.view import RECORDS_MAX, record_frames
from tests.kinds.boards import HELD, drawn, opened, rows, told


def test_a_record_stands_with_its_key_and_where_it_goes():
    frame = opened(drawn(HELD / "partitioners.py-available-only.json"))
    assert frame.title == "1 record"
    assert rows(frame.table) == {"record 1 ✕": ["no key", "t0", "0", "✕1"]}


def test_of_many_records_the_last_are_drawn():
    record = {
        "topic": "t",
        "key": None,
        "value": None,
        "partition": None,
        "partitions": 4,
        "unavailable": [1, 2],
        "answer": 0,
    }
    (frame,) = record_frames(told(*[record] * (RECORDS_MAX + 3)))
    assert len(frame.table.rows) == RECORDS_MAX
    assert frame.notes == ("The first 3 records are left out",)
    assert rows(frame.table)["record 4"] == ["no key", "t", "0, 3 (without one: 1–2)", "0"]
