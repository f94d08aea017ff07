"""What a partitioner knows of a record's topic, and which partition a record may name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    Partitioner,
    PartitionerBase,
    PartitionInfo,
    ProducerRecord,
    TopicMetadata,
    named_partition,
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
