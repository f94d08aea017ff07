"""What the partitioners of all releases have in common."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.partitioners.abs import Abs
from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.murmur2 import Murmur2, murmur2, partition_for_key
from kassay.assignors.partitioners.round_robin import RoundRobinPartitioner
from kassay.assignors.partitioners.uniform_sticky import UniformSticky
from kassay.model.java import utils_abs
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    NoPartitionsError,
    Partitioner,
    ProducerRecord,
    TopicMetadata,
)
from tests.assignors.partitioners.records import ALL_THREE, keys

RULES = (Abs, Explicit, Murmur2, RoundRobinPartitioner, UniformSticky)


counts = st.integers(1, 1000)


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
