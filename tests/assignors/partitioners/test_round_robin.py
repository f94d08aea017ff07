"""Keyless records in turn, each topic by its own counter; keyed ones by their hash."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kassay.assignors.partitioners.murmur2 import partition_for_key
from kassay.assignors.partitioners.round_robin import RoundRobinPartitioner
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.sampled_from("tu"), st.none() | st.binary(max_size=3)), max_size=12),
    st.integers(0, 5),
    st.sets(st.integers(0, 3)),
)
def test_a_topics_keyless_records_go_round_whatever_else_is_sent(sent, start, unavailable):
    topic = TopicMetadata.of(4, unavailable)
    numbers = topic.available or range(4)
    rule, turn = RoundRobinPartitioner(start), dict.fromkeys("tu", start)
    for name, key in sent:
        partition = rule.partition(ProducerRecord(name, key), topic)
        if key is not None:
            assert partition == partition_for_key(key, 4)
        else:
            assert partition == numbers[turn[name] % len(numbers)]
            turn[name] += 1


def test_the_counter_overflows_as_javas_and_stays_usable():
    rule, topic = RoundRobinPartitioner(2**31 - 1), TopicMetadata.of(5)
    turns = [rule.partition(ProducerRecord("t"), topic) for _ in range(3)]
    assert turns == [(2**31 - 1) % 5, 0, 1], "behind the greatest int comes the least, which counts as 0"
