"""The records of a share group as values."""

from kassay.reading.kafka.offsets.values import RecordRole, RecordType, ShareableTopics
from tests.certify.audits.logs import tps
from tests.offsets_log import Log
from tests.reading.kafka.offsets.test_records import read


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
