"""Today's rule for keyless records: sticking, switching, and chances by queue length."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.partitioners.murmur2 import partition_for_key
from kassay.assignors.partitioners.uniform_sticky import (
    LoadTable,
    Queue,
    StickyPartition,
    UniformSticky,
    load_table,
)
from kassay.model.errors import InputError
from kassay.model.java import POSITIVE_INTS, JavaRandom, Recorded
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


def test_the_switch_can_be_put_off_up_to_twice_the_size():
    sticky = StickyPartition(10, drawing(0, 1, 2))
    assert sticky.current(FOUR) == 0
    sticky.produced(19, FOUR, may_switch=False)
    assert sticky.current(FOUR) == 0
    sticky.produced(1, FOUR, may_switch=False)
    assert sticky.current(FOUR) == 1
    sticky.produced(9, FOUR)
    assert sticky.current(FOUR) == 1
    sticky.produced(1, FOUR)
    assert sticky.current(FOUR) == 2


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


def test_the_documented_table_of_queues():
    """Queues of 0, 3 and 1 batches: running sums 4, 5, 8."""
    table = load_table([Queue(7, 0), Queue(8, 3), Queue(9, 1)])
    assert table == LoadTable((7, 8, 9), (4, 5, 8))
    assert [table.pick(number) for number in range(9)] == [7, 7, 7, 7, 8, 9, 9, 9, 7]


@pytest.mark.parametrize(
    ("queues", "left_out"),
    [([], 3), ([Queue(0, 5)], 0), ([Queue(0, 2), Queue(1, 2)], 0)],
)
def test_no_table_where_all_that_count_are_alike(queues, left_out):
    assert load_table(queues, left_out) is None


def test_partitions_left_out_are_reason_enough_for_a_table():
    assert load_table([Queue(3, 5)], left_out=1) == LoadTable((3,), (1,))
    assert load_table([Queue(0, 2), Queue(1, 2)], left_out=1) == LoadTable((0, 1), (1, 2))


@given(st.lists(st.integers(0, 30), min_size=2, max_size=12), st.integers(0, POSITIVE_INTS - 1))
def test_the_longer_the_queue_the_smaller_the_chance(lengths, number):
    table = load_table([Queue(i, length) for i, length in enumerate(lengths)])
    if table is None:
        assert len(set(lengths)) == 1
        return
    chances = Counter(table.pick(n) for n in range(table.sums[-1]))
    assert [chances[i] for i in range(len(lengths))] == [max(lengths) + 1 - length for length in lengths]
    assert table.pick(number) == table.pick(number % table.sums[-1])


def test_draws_follow_the_table_once_there_is_one():
    rule = UniformSticky(drawing(4, 4, 4))
    rule.configure({"batch.size": "1"})
    records = [ProducerRecord("t", value=b"x")] * 2
    rule.sticky("t").update_loads(load_table([Queue(0, 0), Queue(1, 3), Queue(2, 1)]))
    assert [rule.partition(record, FOUR) for record in records] == [1, 1]


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
    with pytest.raises(InputError, match="at least 1 byte"):
        StickyPartition(0, JavaRandom(0))
