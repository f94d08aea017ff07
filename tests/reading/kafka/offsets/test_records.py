"""Keys and values of `__consumer_offsets` as values, and complaints with their field."""

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets.records import read_record, type_of
from kassay.reading.kafka.offsets.values import CurrentPartitions, RecordType, TargetPartitions
from tests.offsets_log import Given, Log, Stored, Subscribed

TP = TopicPartition("orders", 3)
SENT = Subscribed(("orders",), (TP,), 4, "r1", b"\x01")


def read(log, of_dump=True):
    """The records of a log as a tool's JSON has them."""
    for each in log.records:
        value = None if each.value is None else {"version": str(each.value[0]), "data": each.of(of_dump)}
        yield read_record({"type": str(each.type) if of_dump else each.type, "data": each.key}, value)


@pytest.mark.parametrize("of_dump", [True, False])
@pytest.mark.parametrize("version", [0, 1, 2, 3, 4])
def test_a_classic_generation_is_the_same_of_both_tools(of_dump, version):
    log = Log()
    log.classic("billing", 5, "range", "m", [Stored("m", SENT, Given((TP,)), "i-1")], version=version)
    (record,) = read(log, of_dump)
    assert (record.type, record.group, record.part) == (RecordType.CLASSIC_GROUP, "billing", "")
    (member,) = record.value.members
    assert (member.subscription.owned, member.subscription.generation, member.subscription.rack) == (
        (TP,),
        4,
        "r1",
    )
    assert member.subscription.user_data == b"\x01"
    assert member.assignment.partitions == (TP,)
    assert member.instance_id == ("i-1" if version >= 3 else None)
    assert record.value.since == (log.now if version >= 2 else None)


def test_bytes_of_others_are_left_unread_and_those_that_do_not_decode_say_why():
    log = Log()
    log.classic("connect-x", 1, "sessioned", "w", [Stored("w", b"\x00\x01", b"\x01")], "connect")
    log.classic("billing", 1, "range", "m", [Stored("m", b"Subscription", b"Assignment")])
    connect, consumer = read(log)
    assert connect.value.members[0].unread is None
    assert "subscription: byte" in consumer.value.members[0].unread


def test_the_records_of_a_consumer_group():
    log = Log()
    log.subscription("g", "m", ["orders"], instance="i", rack="r", regex="ord.*", assignor="uniform")
    log.named("g", {"AAAA": ("orders", 6)})
    log.epoch("g", 3)
    log.target("g", "m", [TopicPartition("AAAA", 1)])
    log.target_epoch("g", 3)
    log.current("g", "m", 3, [TopicPartition("AAAA", 1)], [TopicPartition("AAAA", 2)], state=1, previous=2)
    log.current("g", "m", None)
    subscription, names, epoch, target, target_epoch, current, gone = read(log)
    assert (subscription.part, subscription.value.assignor, subscription.value.regex) == (
        "m",
        "uniform",
        "ord.*",
    )
    assert names.value.topics == {"AAAA": ("orders", 6)}
    assert (epoch.value.epoch, target_epoch.value.epoch) == (3, 3)
    assert target.value == TargetPartitions((TopicPartition("AAAA", 1),))
    assert current.value == CurrentPartitions(
        3, 2, 1, (TopicPartition("AAAA", 1),), (TopicPartition("AAAA", 2),)
    )
    assert gone.value is None


@pytest.mark.parametrize("kind", [0, 1, 9, 18, 24, 99])
def test_other_types_are_not_looked_into(kind):
    assert read_record({"type": kind, "data": {}}, {"data": None}) is None


def test_fields_of_a_newer_kafka_are_passed_over():
    held = read_record(
        {"type": 3, "data": {"groupId": "g", "new": 1}}, {"data": {"epoch": 2, "metadataHash": 7}}
    )
    assert held.value.epoch == 2


@pytest.mark.parametrize(
    ("key", "value", "complaint"),
    [
        ([], None, "key: found \\[\\], expected an object"),
        ({"type": True}, None, "key.type"),
        ({"type": "2"}, None, "key.data"),
        ({"type": "3", "data": {"groupId": 1}}, None, "key.data.groupId: found 1, expected a text"),
        ({"type": "3", "data": {"groupId": "g"}}, {"data": {"epoch": "2"}}, "value.data.epoch"),
        ({"type": "3", "data": {"groupId": "g"}}, 7, "value: found 7, expected an object"),
        (
            {"type": "7", "data": {"groupId": "g", "memberId": "m"}},
            {"data": {"topicPartitions": [{"topicId": "A", "partitions": [-1]}]}},
            "value.data.topicPartitions\\[0\\].partitions",
        ),
    ],
)
def test_what_is_no_record_is_told_with_its_field(key, value, complaint):
    with pytest.raises(InputError, match=complaint):
        read_record(key, value)


def test_a_type_is_a_number_or_a_text():
    assert type_of({"type": "8"}, "key") == type_of({"type": 8}, "key") == type_of({"version": 8}, "key") == 8
