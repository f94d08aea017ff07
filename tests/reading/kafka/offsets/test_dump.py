"""The output of kafka-dump-log: rows with offsets and times, and what is said of those that cannot be read."""

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.dump import CONTROL, LogBatch, LogRow, LogSegment, LogStart, read_dump
from tests.offsets_log import START_MS, Log, dump
from tests.reading.kafka.outputs import output


def items(text):
    return list(read_dump(text.encode().splitlines(keepends=True), "dump.txt"))


def rows(text):
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
    assert seen[:3] == [LogSegment("__consumer_offsets-7"), LogStart(0), LogBatch()]
    first, again, epoch, tombstone = (item for item in seen if isinstance(item, LogRow))
    assert (first.offset, first.timestamp, first.type, first.record) == (0, START_MS, 1, None)
    assert first.key == again.key != epoch.key == tombstone.key
    assert (epoch.record.value.epoch, tombstone.record.value) == (1, None)
    assert epoch.place == ("dump.txt", 8)


def test_without_metadata_there_are_no_offsets():
    assert [(row.offset, row.timestamp) for row in rows(dump(small().records, metadata=False))] == [
        (None, None)
    ] * 4


def test_a_group_whose_name_has_the_word_payload_is_kept_apart():
    log = Log()
    for name in ("a payload: b", "a payload: c"):
        log.commit(name, TopicPartition("t", 0), 1)
        log.epoch(name, 1)
    one, _, two, last = rows(dump(log.records))
    assert one.key != two.key
    assert last.record.group == "a payload: c"


def test_the_fixture_has_what_kafka_itself_could_not_read_and_a_last_line_cut_off():
    seen = rows(output("offsets-4.4.txt"))
    assert [row.type for row in seen if row.type == CONTROL] == [CONTROL]
    complaints = [row.unread for row in seen if row.unread]
    assert complaints[0].startswith("Kafka could not read it: Unknown record type 32767")
    assert complaints[1].startswith("Kafka could not read it: Error at offset")
    assert "cut off" in complaints[2]


def test_the_output_of_an_old_kafka_is_refused_with_what_to_do():
    with pytest.raises(InputError, match=r"offsets-3\.6\.txt:4: key: .* Kafka 3\.8 or later"):
        list(read_dump(output("offsets-3.6.txt").encode().splitlines(keepends=True), "offsets-3.6.txt"))
