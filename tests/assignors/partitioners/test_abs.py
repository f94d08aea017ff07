"""The partitioner of 0.8 beside that of 0.9."""

from collections import Counter

from hypothesis import given

from kassay.assignors.partitioners.abs import Abs
from kassay.assignors.partitioners.murmur2 import Murmur2, murmur2
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from tests.assignors.partitioners.records import ALL_THREE, INT_MAX, keyless, keys


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
