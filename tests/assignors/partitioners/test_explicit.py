"""A partition that is asked for goes past the default partitioner, whose turns it does not use up."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.murmur2 import Murmur2
from kassay.model.partitioners.partitioner import InvalidPartitionError, ProducerRecord, TopicMetadata
from tests.assignors.partitioners.records import ALL_THREE

records = st.builds(
    ProducerRecord, st.just("t"), st.none() | st.binary(max_size=3), partition=st.none() | st.integers(0, 2)
)


@settings(max_examples=40)
@given(st.lists(records, max_size=8), st.sets(st.integers(0, 2)))
def test_records_that_ask_for_nothing_go_as_if_the_others_were_not_there(sent, unavailable):
    topic = TopicMetadata.of(3, unavailable)
    explicit, default = Explicit(), Murmur2()
    for record in sent:
        expected = default.partition(record, topic) if record.partition is None else record.partition
        assert explicit.partition(record, topic) == expected


@pytest.mark.parametrize("key", [None, b"k"])
@pytest.mark.parametrize("partition", [-1, 3, 2**31])
def test_a_partition_outside_the_topic_is_refused_and_no_turn_is_lost(key, partition):
    explicit = Explicit()
    with pytest.raises(InvalidPartitionError, match=f"partition {partition} of t: expected one of 0 to 2"):
        explicit.partition(ProducerRecord("t", key, partition=partition), ALL_THREE)
    assert explicit.partition(ProducerRecord("t"), ALL_THREE) == 0
