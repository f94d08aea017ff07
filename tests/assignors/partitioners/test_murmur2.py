"""The default partitioner of 0.9 to 2.3."""

from kassay.assignors.partitioners.murmur2 import Murmur2
from kassay.model.partitioners.partitioner import (
    TopicMetadata,
)
from tests.assignors.partitioners.records import ALL_THREE, keyless


def test_a_turn_is_lost_where_a_partition_comes_back():
    some = TopicMetadata.of(3, unavailable=(1,))
    assert keyless(Murmur2(), [ALL_THREE, some, some, ALL_THREE]) == [0, 2, 0, 0]
