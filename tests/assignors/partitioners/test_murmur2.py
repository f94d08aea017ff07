"""The default partitioner of 0.9 to 2.3.

Taking turns, as several releases do for records without a key.
"""

import pytest

from kassay.assignors.partitioners.abs import Abs
from kassay.assignors.partitioners.murmur2 import Murmur2
from kassay.assignors.partitioners.round_robin import RoundRobinPartitioner
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from tests.assignors.partitioners.records import ALL_THREE, keyless


def test_a_turn_is_lost_where_a_partition_comes_back():
    some = TopicMetadata.of(3, unavailable=(1,))
    assert keyless(Murmur2(), [ALL_THREE, some, some, ALL_THREE]) == [0, 2, 0, 0]


@pytest.mark.parametrize("rule", [Abs, Murmur2, RoundRobinPartitioner])
def test_keyless_records_go_round_the_available_partitions(rule):
    assert keyless(rule(), [ALL_THREE] * 5) == [0, 1, 2, 0, 1]
    assert keyless(rule(), [TopicMetadata.of(3, unavailable=(1,))] * 4) == [0, 2, 0, 2]
    assert keyless(rule(), [TopicMetadata.of(3, unavailable=range(3))] * 4) == [0, 1, 2, 0]
    assert keyless(rule(start=7), [ALL_THREE] * 3) == [1, 2, 0]


def test_one_counter_for_all_topics_in_0_9_and_one_for_each_later():
    records = [ProducerRecord("t"), ProducerRecord("u"), ProducerRecord("t"), ProducerRecord("u")]
    for rule, expected in (
        (Murmur2(), [0, 1, 2, 0]),
        (Abs(), [0, 1, 2, 0]),
        (RoundRobinPartitioner(), [0, 0, 1, 1]),
    ):
        assert [rule.partition(record, ALL_THREE) for record in records] == expected
