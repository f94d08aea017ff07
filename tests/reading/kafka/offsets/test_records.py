"""Keys and values of `__consumer_offsets` as values, and complaints with their field.

Fields of a record: what is there as its type, and what is not told with its path.

The records of a share group as values.

The records of a Streams group as values.
"""

import pytest

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.offsets import records
from kassay.reading.kafka.offsets.records import read_record, type_of
from kassay.reading.kafka.offsets.values import (
    CurrentPartitions,
    GroupEpoch,
    RecordRole,
    RecordType,
    ShareableTopics,
    SourceTopics,
    TargetPartitions,
)
from tests.engines.audits.logs import tps
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


HELD = {"n": 3, "s": "x", "none": None, "l": ["a", "b"], "tps": [{"id": "A", "partitions": [2, 0]}]}


def test_each_type_is_read():
    assert records.int_of(HELD, "n", "v") == 3
    assert (records.text_of(HELD, "s", "v"), records.optional_text(HELD, "none", "v")) == ("x", None)
    assert records.texts_of(HELD, "l", "v") == ("a", "b")
    assert records.by_topic(HELD, "tps", "id", "v") == (TopicPartition("A", 2), TopicPartition("A", 0))


@pytest.mark.parametrize(
    ("read", "complaint"),
    [
        (lambda: records.object_of(3, "v"), "v: "),
        (lambda: records.int_of({"n": True}, "n", "v"), "v.n: "),
        (lambda: records.text_of(HELD, "n", "v"), "v.n: "),
        (lambda: records.optional_text(HELD, "n", "v"), "v.n: "),
        (lambda: records.texts_of({"l": ["a", 1]}, "l", "v"), "v.l[1]: "),
        (
            lambda: records.by_topic({"t": [{"id": "A", "partitions": [-1]}]}, "t", "id", "v"),
            "v.t[0].partitions",
        ),
    ],
)
def test_a_complaint_names_the_field(read, complaint):
    with pytest.raises(InputError, match="expected") as caught:
        read()
    assert str(caught.value).startswith(complaint)


def test_each_record_has_its_role_and_its_value():
    log = Log()
    log.share_member("g", "m", ["orders", "audit"], client="c", rack="r")
    log.shareable("g", {"A": "orders", "B": "audit"}, tps("A", 0, 1), tps("B", 0))
    log.share_epoch("g", 3)
    log.share_target("g", "m", tps("A", 1))
    log.share_target_epoch("g", 3)
    log.share_current("g", "m", 3, tps("A", 1))
    log.share_member("g", "m", None)
    member, state, epoch, target, target_epoch, current, gone = read(log)
    assert (member.type, member.type.role, member.part) == (
        RecordType.SHARE_MEMBER,
        RecordRole.MEMBER,
        "m",
    )
    assert (member.value.topics, member.value.rack) == (("audit", "orders"), "r")
    assert state.value == ShareableTopics({"A": "orders", "B": "audit"}, tps("A", 0, 1), tps("B", 0))
    assert (epoch.value.epoch, target_epoch.value.epoch) == (3, 3)
    assert (target.value.partitions, current.value.assigned, current.value.revoking) == (
        tps("A", 1),
        tps("A", 1),
        (),
    )
    assert gone.value is None


def test_each_record_has_its_role_and_its_value_streams_groups():
    log = Log()
    log.streams_member("g", "m", "p", client="c", topology=4, instance="i")
    log.topology("g", {"0": (("orders",), True), "1": (("refunds",), False)}, epoch=4)
    log.streams_epoch("g", 3, 2)
    log.streams_target("g", "m", tps("0", 0), tps("0", 1))
    log.streams_target_epoch("g", 3)
    log.streams_current("g", "m", 3, tps("0", 0), tps("0", 1), tps("1", 0), state=2)
    log.streams_current("g", "m", None)
    member, topology, epoch, target, target_epoch, current, gone = read(log)
    assert (member.type.role, topology.type.role) == (RecordRole.MEMBER, RecordRole.TOPOLOGY)
    assert (member.value.process_id, member.value.topology_epoch, member.value.instance_id) == ("p", 4, "i")
    assert topology.value.subtopologies == {
        "0": SourceTopics(("orders",), False, True),
        "1": SourceTopics(("refunds",), False, False),
    }
    assert (epoch.value, target_epoch.value.epoch) == (GroupEpoch(3, 2, 7, 0), 3)
    assert (target.value.partitions, target.value.standby) == (tps("0", 0), tps("0", 1))
    assert (current.value.assigned, current.value.standby, current.value.revoking) == (
        tps("0", 0),
        tps("0", 1),
        tps("1", 0),
    )
    assert gone.value is None


def test_a_copy_that_warms_up_is_a_copy_and_a_repartition_topic_is_read():
    tasks = [{"subtopologyId": "0", "partitions": [0]}]
    target = read_record(
        {"type": 21, "data": {"groupId": "g", "memberId": "m"}},
        {"data": {"activeTasks": [], "standbyTasks": [], "warmupTasks": tasks}},
    )
    assert target.value.standby == tps("0", 0)
    subtopology = {
        "subtopologyId": "0",
        "sourceTopics": ["a"],
        "sourceTopicRegex": ["b.*"],
        "repartitionSourceTopics": [{"name": "g-by-key-repartition", "partitions": 4}],
        "stateChangelogTopics": [],
    }
    topology = read_record(
        {"type": 23, "data": {"groupId": "g"}}, {"data": {"epoch": 0, "subtopologies": [subtopology]}}
    )
    assert topology.value.subtopologies == {"0": SourceTopics(("a", "g-by-key-repartition"), True, False)}


def test_how_many_copies_is_unknown_where_the_record_does_not_say():
    def standbys(**data):
        return read_record(
            {"type": 17, "data": {"groupId": "g"}}, {"data": {"epoch": 1, **data}}
        ).value.standbys

    assert standbys() is None
    assert standbys(lastAssignmentConfigs=None) is None
    assert standbys(lastAssignmentConfigs=[{"key": "num.standby.replicas", "value": "many"}]) is None
    assert standbys(lastAssignmentConfigs=[{"key": "num.standby.replicas", "value": "0"}]) == 0
