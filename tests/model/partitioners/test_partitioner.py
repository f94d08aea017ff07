"""What a partitioner knows of a record's topic, and which partition a record may name.

Records and metadata, and how they meet a partitioner.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.calls import Look, Probe, Refusal, failure_of
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    Partitioner,
    PartitionerBase,
    PartitionInfo,
    ProducerRecord,
    ProducerSends,
    Sent,
    TopicMetadata,
    named_partition,
    send,
    send_all,
)


@settings(max_examples=30)
@given(st.integers(0, 5), st.sets(st.integers(-1, 6)))
def test_available_and_unavailable_partitions_are_all_in_order(count, gone):
    topic = TopicMetadata.of(count, gone)
    assert topic.count == count
    assert sorted((*topic.available, *topic.unavailable)) == list(range(count))
    assert set(topic.unavailable) == gone & set(range(count))
    assert list(topic.available) == sorted(topic.available)
    assert topic.partitions == tuple(PartitionInfo(p, p not in gone) for p in range(count))


@pytest.mark.parametrize("named", [None, 0, 2])
def test_a_partition_of_the_topic_may_be_named_or_none(named):
    assert named_partition(ProducerRecord("t", partition=named), TopicMetadata.of(3, {2})) == named


@pytest.mark.parametrize("named", [-1, 3])
def test_another_is_refused_as_kafka_does(named):
    with pytest.raises(
        InvalidPartitionError, match=f"partition {named} of t: expected one of 0 to 2"
    ) as refused:
        named_partition(ProducerRecord("t", partition=named), TopicMetadata.of(3))
    assert refused.value.java_class == "java.lang.IllegalArgumentException"


def test_the_size_is_that_of_key_and_value():
    sizes = [
        ProducerRecord("t", key, value).size_bytes for key in (None, b"", b"key") for value in (None, b"ab")
    ]
    assert sizes == [0, 2, 0, 2, 3, 5]


def test_a_rule_of_the_base_needs_nothing_but_its_choice():
    class First(PartitionerBase):
        def partition(self, record, topic):
            return 0

    first = First()
    first.configure({"a": "b"})
    first.close()
    assert isinstance(first, Partitioner)
    assert not isinstance(PartitionerBase(), Partitioner)


TWO = TopicMetadata.of(2)


class Noting(PartitionerBase):
    def __init__(self):
        self.calls = []

    def configure(self, config):
        self.calls.append(("configure", dict(config)))

    def partition(self, record, topic):
        self.calls.append(("partition", record.key))
        if record.key == b"refused":
            raise InvalidPartitionError("no such partition")
        return 1 // len(record.key)

    def close(self):
        self.calls.append("close")


def test_a_partitioner_is_configured_then_asked_then_closed():
    noting = Noting()
    assert isinstance(noting, Partitioner)
    records = tuple((ProducerRecord("t", key), TWO) for key in (b"k", b"refused", b""))
    answers = [sent.answer for sent in send_all(noting, ProducerSends(records, {"a": "b"}))]
    assert answers == [
        1,
        Refusal("java.lang.IllegalArgumentException", "no such partition"),
        failure_of(ZeroDivisionError("integer division or modulo by zero")),
    ]
    asked = [("partition", key) for key in (b"k", b"refused", b"")]
    assert noting.calls == [("configure", {"a": "b"}), *asked, "close"]


def test_failing_to_be_configured_fails_every_record_and_failing_to_close_the_last():
    class Unset(Noting):
        def configure(self, config):
            raise KeyError("bootstrap")

    class Stuck(Noting):
        def close(self):
            raise RuntimeError("busy")

    records = ProducerSends(((ProducerRecord("t", b"k"), TWO), (ProducerRecord("t", b"ab"), TWO)))
    assert [sent.answer for sent in send_all(Unset(), records)] == [failure_of(KeyError("bootstrap"))] * 2
    assert [sent.answer for sent in send_all(Stuck(), records)] == [
        1,
        failure_of(RuntimeError("busy")),
    ]
    assert send_all(Stuck(), ProducerSends(())) == ()


def test_a_second_object_is_asked_only_on_demand():
    sending = ProducerSends(((ProducerRecord("t", b"k"), TWO),))
    expected = (Sent(*sending.records[0], 1),)
    assert (send(Noting, sending).given, send(Noting, sending).probes) == (expected, ())
    assert send(Noting, sending, again=True).probes == (Probe(Look.OTHER, expected),)


def test_metadata_tell_partitions_and_leaders():
    topic = TopicMetadata.of(3, unavailable=(1,))
    assert topic.partitions[1] == PartitionInfo(1, available=False)
    assert (topic.count, topic.available) == (3, (0, 2))
    assert ProducerRecord("t", b"key", b"value").size_bytes == 8
    assert ProducerRecord("t").size_bytes == 0


def test_many_records_are_sent_together_where_the_partitioner_can():
    """Records with a partition do not count; an exception in the place of an answer is a failure."""

    class AtOnce(Noting):
        def partition_each(self, records):
            self.calls.append(("together", [record.key for record, _ in records]))
            return iter([1, ValueError("no"), 0])

    at_once = AtOnce()
    keys = (b"a", None, b"b", b"c")
    records = tuple((ProducerRecord("t", key, partition=None if key else 1), TWO) for key in keys)
    answers = [sent.answer for sent in send_all(at_once, ProducerSends(records))]
    assert answers[0] == 1
    assert answers[2:] == [failure_of(ValueError("no")), 0]
    assert at_once.calls[1:] == [("together", [b"a", b"b", b"c"]), ("partition", None), "close"]


def test_what_a_partitioner_changed_is_kept():
    changes = Noting()
    changes.mutated = "available[0] was 0 and is 1"
    assert (
        send(lambda: changes, ProducerSends(((ProducerRecord("t", b"k"), TWO),))).mutated == changes.mutated
    )
