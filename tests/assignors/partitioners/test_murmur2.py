"""The default partitioners of four releases, in the words of their sources."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.partitioners.abs import Abs
from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.murmur2 import Murmur2, murmur2, partition_for_key
from kassay.assignors.partitioners.round_robin import RoundRobinPartitioner
from kassay.assignors.partitioners.uniform_sticky import UniformSticky
from kassay.model.java.int32 import utils_abs
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    NoPartitionsError,
    Partitioner,
    ProducerRecord,
    TopicMetadata,
)

RULES = (Abs, Explicit, Murmur2, RoundRobinPartitioner, UniformSticky)
ALL_THREE = TopicMetadata.of(3)
INT_MAX = 2**31 - 1

keys = st.binary(max_size=40)
counts = st.integers(1, 1000)


def keyless(rule, topics, name="t"):
    return [rule.partition(ProducerRecord(name), topic) for topic in topics]


@pytest.mark.parametrize("rule", RULES)
@given(key=keys, count=counts)
def test_a_key_goes_by_its_hash_whatever_is_available(rule, key, count):
    expected = utils_abs(murmur2(key)) % count if rule is Abs else partition_for_key(key, count)
    for topic in (TopicMetadata.of(count), TopicMetadata.of(count, range(count))):
        assert rule().partition(ProducerRecord("t", key), topic) == expected


@pytest.mark.parametrize("rule", RULES)
def test_the_interface_is_kafkas(rule):
    made = rule()
    assert isinstance(made, Partitioner)
    made.configure({"client.id": "c"})
    made.close()


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("key", [None, b"k"])
def test_a_topic_without_partitions_divides_by_zero_as_in_kafka(rule, key):
    with pytest.raises(NoPartitionsError, match="0 partitions") as error:
        rule().partition(ProducerRecord("t", key), TopicMetadata.of(0))
    assert error.value.java_class == "java.lang.ArithmeticException"


@pytest.mark.parametrize("rule", [Abs, Explicit])
@given(partition=st.integers(-3, 6))
def test_a_partition_that_is_asked_for_is_taken_or_refused(rule, partition):
    record = ProducerRecord("t", b"key", partition=partition)
    if 0 <= partition < 3:
        assert rule().partition(record, TopicMetadata.of(3, unavailable=range(3))) == partition
    else:
        with pytest.raises(InvalidPartitionError, match="expected one of 0 to 2") as refused:
            rule().partition(record, ALL_THREE)
        assert refused.value.java_class == "java.lang.IllegalArgumentException"


@pytest.mark.parametrize("rule", [Abs, Murmur2, RoundRobinPartitioner])
def test_keyless_records_go_round_the_available_partitions(rule):
    assert keyless(rule(), [ALL_THREE] * 5) == [0, 1, 2, 0, 1]
    assert keyless(rule(), [TopicMetadata.of(3, unavailable=(1,))] * 4) == [0, 2, 0, 2]
    assert keyless(rule(), [TopicMetadata.of(3, unavailable=range(3))] * 4) == [0, 1, 2, 0]
    assert keyless(rule(start=7), [ALL_THREE] * 3) == [1, 2, 0]


def test_a_turn_is_lost_where_a_partition_comes_back():
    some = TopicMetadata.of(3, unavailable=(1,))
    assert keyless(Murmur2(), [ALL_THREE, some, some, ALL_THREE]) == [0, 2, 0, 0]


def test_one_counter_for_all_topics_in_0_9_and_one_for_each_later():
    records = [ProducerRecord("t"), ProducerRecord("u"), ProducerRecord("t"), ProducerRecord("u")]
    for rule, expected in (
        (Murmur2(), [0, 1, 2, 0]),
        (Abs(), [0, 1, 2, 0]),
        (RoundRobinPartitioner(), [0, 0, 1, 1]),
    ):
        assert [rule.partition(record, ALL_THREE) for record in records] == expected


def test_the_counter_overflows_and_each_release_makes_it_positive_in_its_way():
    """After 2**31 - 1 comes -2**31: 0 for both; then -2**31 + 1: its absolute value, or 1."""
    topic = TopicMetadata.of(1000)
    assert keyless(Abs(start=INT_MAX), [topic] * 3) == [647, 0, 647]
    assert keyless(Murmur2(start=INT_MAX), [topic] * 3) == [647, 0, 1]


@given(key=keys)
def test_0_8_and_0_9_agree_on_keys_whose_hash_is_not_negative(key):
    moved = Abs().partition(ProducerRecord("t", key), ALL_THREE) != Murmur2().partition(
        ProducerRecord("t", key), ALL_THREE
    )
    assert not moved or murmur2(key) < 0


def test_the_upgrade_to_0_9_moved_a_third_of_the_keys_of_three_partitions():
    """Half of the hashes are negative; of those about two thirds have another remainder."""
    records = [ProducerRecord("t", str(number).encode()) for number in range(3000)]
    moved = Counter(Abs().partition(r, ALL_THREE) != Murmur2().partition(r, ALL_THREE) for r in records)
    assert 0.28 < moved[True] / 3000 < 0.39
