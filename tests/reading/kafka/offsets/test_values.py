"""The bytes of classic members, both ways: what is written after Kafka's schemas is read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.values import (
    ConsumerAssignment,
    ConsumerSubscription,
    read_assignment,
    read_subscription,
)
from tests.offsets_log import Given, Subscribed

NAMES = st.text(st.characters(codec="utf-8"), min_size=1, max_size=9)
TPS = st.dictionaries(
    NAMES, st.lists(st.integers(0, 999), unique=True, min_size=1, max_size=4), max_size=3
).map(lambda runs: tuple(TopicPartition(topic, n) for topic, numbers in runs.items() for n in numbers))
DATA = st.none() | st.binary(max_size=8)


@given(
    st.builds(
        Subscribed,
        st.lists(NAMES, max_size=3).map(tuple),
        TPS,
        st.integers(-1, 2**31 - 1),
        st.none() | NAMES,
        DATA,
        st.integers(0, 3),
    )
)
def test_a_subscription_of_every_version_is_read_back(sent):
    version = sent.version
    assert read_subscription(sent.raw()) == ConsumerSubscription(
        sent.topics,
        sent.owned if version >= 1 else (),
        sent.generation if version >= 2 else -1,
        sent.rack if version >= 3 else None,
        sent.user_data,
    )


@given(st.builds(Given, TPS, DATA, st.integers(0, 3)))
def test_an_assignment_is_read_back(sent):
    assert read_assignment(sent.raw()) == ConsumerAssignment(sent.tps, sent.user_data)


def test_a_newer_version_is_read_as_the_newest_known():
    sent = Subscribed(("orders",), (), 7, "r1").raw()
    newer = (9).to_bytes(2, "big") + sent[2:] + b"what version 9 adds"
    assert read_subscription(newer) == read_subscription(sent)


def test_no_bytes_are_nothing_given():
    assert read_assignment(b"") == ConsumerAssignment()


@given(st.builds(Subscribed, st.lists(NAMES, max_size=3).map(tuple), TPS), st.data())
def test_a_subscription_that_is_cut_off_is_refused(sent, drawn):
    raw = sent.raw()
    with pytest.raises(InputError, match="byte"):
        read_subscription(raw[: drawn.draw(st.integers(0, len(raw) - 1))])


@pytest.mark.parametrize(
    ("raw", "complaint"),
    [
        (b"\xff\xff", "version"),
        (b"\x00\x00\x7f\xff\xff\xff", "topics: found a length of 2147483647"),
        (b"\x00\x00\x00\x00\x00\x01\xff\xff", "topics: found null"),
        (b"\x00\x00\x00\x00\x00\x01\x00\x01\xff", "not UTF-8"),
    ],
)
def test_what_is_no_subscription_is_told(raw, complaint):
    with pytest.raises(InputError, match=complaint):
        read_subscription(raw)


def test_a_partition_that_no_topic_can_have_is_told():
    with pytest.raises(InputError, match="numbers of partitions"):
        read_assignment(Given((TopicPartition("orders", -1),)).raw())
