"""The output of the console consumer: objects without ends of lines, in pieces of any size."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.reading.kafka.offsets import console
from kassay.reading.kafka.offsets.dump import LogRow
from tests.offsets_log import Given, Log, Stored, Subscribed
from tests.offsets_log import console as printed


def log():
    written = Log()
    for generation, name in enumerate(("billing", "große Gruppe", "x")):
        written.classic(name, generation, "range", "m", [Stored("m", Subscribed(("t",)), Given(()))])
        written.next()
    written.add(2, {"group": "x"}, None)
    return written


def rows(text):
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return [item for item in console.read_console(stream.read, "groups.txt") if isinstance(item, LogRow)]


def test_objects_stand_one_behind_the_other():
    assert [row.record.group for row in rows(printed(log().records))] == ["billing", "große Gruppe", "x", "x"]
    assert rows(printed(log().records))[-1].record.value is None


@given(st.integers(1, 40))
def test_pieces_of_any_size_give_the_same(size):
    raw = printed(log().records).encode()
    stream = io.BytesIO(raw)
    seen = console.read_console(lambda _: stream.read(size), "groups.txt")
    assert [item for item in seen if isinstance(item, LogRow)] == rows(raw)


def test_what_others_print_in_between_is_passed_over():
    text = printed(log().records[:1]) + "Processed a total of 1 messages\n[2026-11-22] WARN {}\n"
    assert len(rows("WARN first\n" + text + printed(log().records[1:2]))) == 2


@pytest.mark.parametrize("cut", ['{"key":{"type":2,"data":{"gro', '{"key":}', '{"key":' + "[" * 100_000])
def test_what_is_no_object_is_told_and_what_follows_is_read(cut):
    first, *others = rows(cut + printed(log().records))
    assert first.unread.startswith("not JSON")
    assert [row.record.group for row in others if row.record] == ["billing", "große Gruppe", "x", "x"]


def test_a_key_without_a_type_is_told():
    (row,) = rows('{"key":{"data":{}},"value":null}')
    assert "key.type" in row.unread
