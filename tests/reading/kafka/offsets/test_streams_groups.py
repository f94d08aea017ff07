"""The records of a Streams group as values."""

from kassay.reading.kafka.offsets.records import read_record
from kassay.reading.kafka.offsets.values import GroupEpoch, RecordRole, SourceTopics
from tests.certify.audits.logs import tps
from tests.offsets_log import Log
from tests.reading.kafka.offsets.test_records import read


def test_each_record_has_its_role_and_its_value():
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
    assert (epoch.value, target_epoch.value.epoch) == (GroupEpoch(3, 2), 3)
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
