"""Today's rule for keyless records: sticking and switching."""

from collections import Counter

import pytest

from kassay.assignors.partitioners.murmur2 import partition_for_key
from kassay.assignors.partitioners.uniform_sticky import StickyPartition, UniformSticky
from kassay.model.errors import InputError
from kassay.model.java.randomness import POSITIVE_INTS, JavaRandom, Recorded
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata

FOUR = TopicMetadata.of(4)


def drawing(*numbers):
    return Recorded((POSITIVE_INTS, number) for number in numbers)


def test_records_stick_until_a_batch_is_full():
    rule = UniformSticky(drawing(6, 3, 1))
    rule.configure({"batch.size": "10"})
    sizes = [4, 4, 4, 10, 1]
    assert [rule.partition(ProducerRecord("t", value=bytes(size)), FOUR) for size in sizes] == [2, 2, 2, 3, 1]


def test_each_topic_sticks_by_itself():
    rule = UniformSticky(drawing(0, 1))
    records = [ProducerRecord("t"), ProducerRecord("u"), ProducerRecord("t"), ProducerRecord("u")]
    assert [rule.partition(record, FOUR) for record in records] == [0, 1, 0, 1]


def test_only_available_partitions_are_drawn_while_there_are_some():
    some = TopicMetadata.of(4, unavailable=(0, 2))
    assert [StickyPartition(1, drawing(n)).current(some) for n in range(4)] == [1, 3, 1, 3]
    none = TopicMetadata.of(4, unavailable=range(4))
    assert [StickyPartition(1, drawing(n)).current(none) for n in range(5)] == [0, 1, 2, 3, 0]


def test_a_partition_that_loses_its_leader_keeps_its_records_until_the_switch():
    sticky = StickyPartition(10, drawing(0, 0))
    assert sticky.current(FOUR) == 0
    without = TopicMetadata.of(4, unavailable=(0,))
    assert sticky.current(without) == 0
    sticky.produced(10, without)
    assert sticky.current(without) == 1


def test_bytes_spread_evenly_over_partitions():
    rule = UniformSticky(JavaRandom(3))
    rule.configure({"batch.size": "100"})
    counts = Counter(rule.partition(ProducerRecord("t", value=bytes(50)), FOUR) for _ in range(8000))
    assert min(counts.values()) > 1700


def test_keys_may_be_ignored():
    keyed = ProducerRecord("t", b"21")
    assert UniformSticky(drawing()).partition(keyed, FOUR) == partition_for_key(b"21", 4)
    ignoring = UniformSticky(drawing(3))
    ignoring.configure({"partitioner.ignore.keys": "true"})
    assert ignoring.partition(keyed, FOUR) == 3


def test_a_batch_size_of_zero_switches_with_every_byte():
    rule = UniformSticky(drawing(0, 1, 2))
    rule.configure({"batch.size": "0"})
    assert [rule.partition(ProducerRecord("t", value=b"x"), FOUR) for _ in range(2)] == [0, 1]


def test_a_batch_size_that_is_no_number_is_bad_input():
    with pytest.raises(InputError, match=r"batch\.size: 'lots', expected a number of bytes"):
        UniformSticky().configure({"batch.size": "lots"})
