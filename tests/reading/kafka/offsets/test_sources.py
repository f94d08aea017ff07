"""Files: which tool printed them, their order, compressed ones, and complaints before anything long begins.

The output of the console consumer: objects without ends of lines, in pieces of any size.

The output of kafka-dump-log: rows with offsets and times, and what is said of those that cannot be read.
"""

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets import sources
from kassay.reading.kafka.offsets.sources import CONTROL, LogBatch, LogRow, LogSegment, LogStart, read_dump
from tests.offsets_log import START_MS, Given, Log, Stored, Subscribed, console, dump, numbered
from tests.offsets_log import console as printed
from tests.reading.kafka.outputs import output
from tests.reading.pasting import ALL


def records():
    log = Log()
    for epoch in range(1, 7):
        log.epoch("g", epoch)
        log.next()
    return numbered(log.records)


def epochs(files):
    return [
        item.record.value.epoch
        for file in files
        for item in sources.read_log(file)
        if isinstance(item, LogRow)
    ]


def test_the_segments_of_a_partition_are_put_in_order(tmp_path):
    late, early = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    late.write_text(dump(records()[3:], start=3))
    early.write_bytes(gzip.compress(dump(records()[:3]).encode()))
    files = sources.in_order([str(late), str(early)])
    assert [file.start for file in files] == [0, 3]
    assert epochs(files) == [1, 2, 3, 4, 5, 6]


def test_the_console_consumers_output_is_known_by_its_first_object(tmp_path):
    path = tmp_path / "groups.txt"
    log = Log()
    log.add(2, {"group": "g"}, None)
    path.write_text("WARN something\n" + console(log.records))
    (file,) = sources.in_order([str(path)])
    assert file.of_console
    assert sum(isinstance(item, LogRow) for item in sources.read_log(file)) == 1


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", ": empty, expected the output of kafka-dump-log"),
        ("\ufeffhello\n".encode("utf-16-le"), ":1: nothing of a log"),
        (b"hello\n", ":1: nothing of a log"),
        (b"Error: no access\n at java\n", ": the tool failed: Error: no access"),
        (b"\0\0\0\0\0\0\0\0", "not text, .* a segment itself is read with kafka-dump-log"),
        (b"\x1f\x8bno gzip", "cannot be read"),
    ],
)
def test_what_is_no_log_is_refused_at_once(tmp_path, content, complaint):
    path = tmp_path / "what.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=complaint):
        sources.in_order([str(path)])


@pytest.mark.parametrize(
    "way",
    [
        lambda text: text.replace("\n", "\r\n").encode("utf-16"),
        lambda text: ("\ufeff" + text).encode("utf-16-be"),
        lambda text: "".join(f"> {line}\n" for line in text.splitlines()).encode(),
        lambda text: "".join(
            f"2026-05-01T12:00:01.123456789Z {line}\n" for line in text.splitlines()
        ).encode(),
        lambda text: "".join(f"kafka-1  | {line}\n" for line in text.splitlines()).encode(),
        lambda text: "".join(f"[pod/kafka-0/kafka] {line}\n" for line in text.splitlines()).encode(),
        lambda text: f"$ kafka-dump-log.sh --offsets-decoder\n```\n{text}```\n$ \n".encode(),
        lambda text: ALL["fence in the line"](text).encode(),
        lambda text: ALL["colours"](text).encode(),
    ],
)
def test_a_dump_as_people_paste_it(tmp_path, way):
    path = tmp_path / "dump.txt"
    text = dump(records())
    path.write_text(text)
    plain = [
        item.record for item in sources.read_log(*sources.in_order([str(path)])) if isinstance(item, LogRow)
    ]
    path.write_bytes(way(text))
    read = [
        item.record for item in sources.read_log(*sources.in_order([str(path)])) if isinstance(item, LogRow)
    ]
    assert read == plain and len(plain) > 1


def test_lines_that_a_terminal_wrapped_are_named(tmp_path):
    path = tmp_path / "dump.txt"
    path.write_text(ALL["wrapped at 120"](dump(records())))
    rows = [row for row in sources.read_log(*sources.in_order([str(path)])) if isinstance(row, LogRow)]
    assert any("the line is wrapped, expected each record in one line" in str(row.unread) for row in rows)


def test_a_quoted_output_of_another_tool_is_named(tmp_path):
    path = tmp_path / "quoted.txt"
    path.write_text(ALL["quoted"](output("groups-offsets-3.9.txt")))
    with pytest.raises(InputError, match=r":1: the output of kafka-consumer-groups\.sh, expected the output"):
        sources.in_order([str(path)])


def test_what_is_not_there_and_a_folder_are_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(InputError, match=r"expected the output of"):
            sources.in_order([str(path)])


def test_standard_input(monkeypatch):
    raw = io.BufferedReader(io.BytesIO(dump(records()).encode()))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(raw))
    assert epochs(sources.in_order(["-"])) == [1, 2, 3, 4, 5, 6]


def test_a_line_without_an_end_is_not_read_into_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "LINE_BYTES", 1000)
    path = tmp_path / "dump.txt"
    path.write_text(dump(records()) + "x" * 5000)
    with pytest.raises(InputError, match="a line of more than"):
        epochs(sources.in_order([str(path)]))


def log():
    written = Log()
    for generation, name in enumerate(("billing", "große Gruppe", "x")):
        written.classic(name, generation, "range", "m", [Stored("m", Subscribed(("t",)), Given(()))])
        written.next()
    written.add(2, {"group": "x"}, None)
    return written


def rows(text):
    stream = io.BytesIO(text.encode() if isinstance(text, str) else text)
    return [item for item in sources.read_console(stream.read, "groups.txt") if isinstance(item, LogRow)]


def test_objects_stand_one_behind_the_other():
    assert [row.record.group for row in rows(printed(log().records))] == ["billing", "große Gruppe", "x", "x"]
    assert rows(printed(log().records))[-1].record.value is None


@given(st.integers(1, 40))
def test_pieces_of_any_size_give_the_same(size):
    raw = printed(log().records).encode()
    stream = io.BytesIO(raw)
    seen = sources.read_console(lambda _: stream.read(size), "groups.txt")
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


def items(text):
    return list(read_dump(text.encode().splitlines(keepends=True), "dump.txt"))


def dump_rows(text):
    return [item for item in items(text) if isinstance(item, LogRow)]


def small():
    log = Log()
    log.commit("g", TopicPartition("orders", 0), 7)
    log.commit("g", TopicPartition("orders", 0), 8)
    log.epoch("g", 1)
    log.next()
    log.epoch("g", None)
    return log


def test_segments_batches_and_rows():
    seen = items(dump(small().records, partition=7, start=0))
    assert seen[:3] == [LogSegment("__consumer_offsets-7"), LogStart(0), LogBatch(1)]
    first, again, epoch, tombstone = (item for item in seen if isinstance(item, LogRow))
    assert (first.offset, first.timestamp, first.type, first.record) == (0, START_MS, 1, None)
    assert first.key == again.key != epoch.key == tombstone.key
    assert (epoch.record.value.epoch, tombstone.record.value) == (1, None)
    assert epoch.place == ("dump.txt", 8)


def test_without_metadata_there_are_no_offsets():
    assert [(row.offset, row.timestamp) for row in dump_rows(dump(small().records, metadata=False))] == [
        (None, None)
    ] * 4


def test_a_group_whose_name_has_the_word_payload_is_kept_apart():
    log = Log()
    for name in ("a payload: b", "a payload: c"):
        log.commit(name, TopicPartition("t", 0), 1)
        log.epoch(name, 1)
    one, _, two, last = dump_rows(dump(log.records))
    assert one.key != two.key
    assert last.record.group == "a payload: c"


def test_the_fixture_has_what_kafka_itself_could_not_read_and_a_last_line_cut_off():
    seen = dump_rows(output("offsets-4.4.txt"))
    assert [row.type for row in seen if row.type == CONTROL] == [CONTROL]
    complaints = [row.unread for row in seen if row.unread]
    assert complaints[0].startswith("Kafka could not read it: Unknown record type 32767")
    assert complaints[1].startswith("Kafka could not read it: Error at offset")
    assert "cut off" in complaints[2]


def test_the_output_of_an_old_kafka_is_refused_with_what_to_do():
    with pytest.raises(InputError, match=r"offsets-3\.6\.txt:4: key: .* Kafka 3\.8 or later"):
        list(read_dump(output("offsets-3.6.txt").encode().splitlines(keepends=True), "offsets-3.6.txt"))
