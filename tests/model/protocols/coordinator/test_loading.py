"""Records are read one after the other; what does not fit ends the reading."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.group import replay
from kassay.model.protocols.coordinator.loader import NO_TARGET
from kassay.model.protocols.coordinator.loading import Unreadable, read
from kassay.model.protocols.coordinator.runtime import CoordinatorCall
from kassay.model.protocols.coordinator.step import LoadAsLeft, Unload
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values import requests
from kassay.model.protocols.values.groups import ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.records import (
    CurrentValue,
    GroupValue,
    LogRecord,
    MemberValue,
    OffsetValue,
)
from kassay.model.protocols.values.streams_groups import (
    STREAMS_EPOCH,
    STREAMS_TARGET_EPOCH,
    StreamsEpochValue,
    StreamsTaskGroup,
)
from tests.model.protocols.coordinator.consumer.heartbeats import ack, settle, split
from tests.model.protocols.coordinator.drive import in_state, tps

NONE = frozenset().__contains__


def member(name):
    return LogRecord((r.MEMBER, name), MemberValue("", "", ("foo",), "", 30_000))


def holds(name, epoch, *partitions):
    return LogRecord((r.CURRENT, name), CurrentValue(epoch, epoch - 1, "STABLE", tps(*partitions), ()))


def gone(kind, name=""):
    return LogRecord((kind, name), None)


EPOCH = LogRecord((r.EPOCH, ""), 3)
OFFSET = LogRecord((r.OFFSET, tps(0)[0]), OffsetValue(0))


def test_the_whole_log_tells_of_the_group_as_it_is():
    drive = split()
    settle(drive)
    drive.modern("b", -1)
    ack(drive, "a")
    # What a coordinator remembers without a record is not in the log.
    known = drive.consumer._replace(refreshed=())
    assert read(drive.records, NONE) == known == replay(None, drive.records)
    drive, *_ = in_state("Stable")
    assert isinstance(read(drive.records, NONE), GroupValue)


def test_a_new_coordinator_watches_the_members_of_a_log_as_it_was_left():
    drive = split()
    call = CoordinatorCall(drive.runtime, drive.host.deserted())
    call.take(Unload())
    call.take(LoadAsLeft(drive.host.log))
    assert [member.member_id for member in call.host.state.group.members] == ["a", "b"]
    sessions = {order.timer for order in call.host.armed if order.timer.kind != requests.REVOCATION}
    assert sessions == {requests.Timer(requests.CONSUMER_SESSION, name) for name in ("a", "b")}


def test_offsets_alone_tell_of_a_classic_group_that_records_of_another_replace():
    assert read((OFFSET,), NONE) == ClassicGroup()
    assert read((OFFSET, EPOCH), NONE) == ConsumerGroup(epoch=3)
    with pytest.raises(Unreadable, match="record epoch: the group is not a consumer group"):
        read((OFFSET, EPOCH), frozenset({"simple_group_kept"}).__contains__)
    named = LogRecord((r.GROUP, ""), GroupValue(1, "consumer", "range", "m"))
    with pytest.raises(Unreadable, match="tombstone member of a: the group is not a consumer group"):
        read((named, gone(r.MEMBER, "a")), NONE)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ((gone(r.MEMBER, "a"), EPOCH), "tombstone member of a: the group does not exist"),
        ((gone(r.EPOCH),), "tombstone epoch: the group does not exist"),
        ((gone(r.CURRENT, "a"),), "tombstone current of a: the group does not exist"),
        ((EPOCH, gone(r.CURRENT, "a")), "tombstone current of a: the member does not exist"),
        ((EPOCH, gone(r.MEMBER, "a")), "tombstone member of a: the member does not exist"),
    ],
)
def test_a_tombstone_of_what_is_not_there_is_passed_over_or_was_not(log, why):
    kept = tuple(record for record in log if record.value is not None)
    assert read(log, NONE) == (read(kept, NONE) if kept else None)
    with pytest.raises(Unreadable, match=why):
        read(log, frozenset({"tombstones_need_owners"}).__contains__)


def test_a_partition_that_another_was_given_meanwhile_stays_with_it():
    # That a gave the partition up is gone from the log.
    log = (member("a"), EPOCH, holds("a", 1, 0), member("b"), holds("b", 2, 0), holds("a", 3, 1))
    assert {m.member_id: m.assigned for m in read(log, NONE).members} == {"a": tps(1), "b": tps(0)}
    with pytest.raises(Unreadable, match="record current of a: foo-0 is held at epoch 2, not 1"):
        read(log, frozenset({"partition_epochs_expected"}).__contains__)


def test_a_member_that_changes_its_subscription_meanwhile_cannot_be_read():
    log = (member("a"), EPOCH, holds("a", 1, 0), member("b"), holds("b", 2, 0), member("a"), holds("a", 3, 1))
    with pytest.raises(Unreadable, match="record member of a: foo-0 is still held at epoch 2"):
        read(log, NONE)


@pytest.mark.parametrize(
    ("log", "why"),
    [
        ((member("a"), holds("a", 1, 0), gone(r.MEMBER, "a")), "its assignment still exists"),
        (
            (member("a"), LogRecord((r.TARGET, "a"), tps(0)), gone(r.CURRENT, "a"), gone(r.MEMBER, "a")),
            "its target still exists",
        ),
        ((EPOCH, LogRecord((r.TARGET, "a"), tps(0)), gone(r.TARGET_EPOCH)), "targets still exist"),
        ((member("a"), EPOCH, gone(r.EPOCH)), "the group still has members"),
        ((EPOCH, LogRecord((r.TARGET, "a"), tps(0)), gone(r.EPOCH)), "targets still exist"),
        ((EPOCH, LogRecord((r.TARGET_EPOCH, ""), 3), gone(r.EPOCH)), "its target epoch still exists"),
        ((member("a"), holds("a", 2, 0), member("b"), holds("b", 2, 0)), "foo-0 is still held at epoch 2"),
    ],
)
def test_what_does_not_fit_ends_the_reading(log, why):
    with pytest.raises(Unreadable, match=why):
        read(log, NONE)


def test_a_group_that_was_deleted_may_begin_anew():
    log = (member("a"), EPOCH, holds("a", 3, 0), gone(r.CURRENT, "a"), gone(r.MEMBER, "a"))
    log = (*log, LogRecord((r.TARGET_EPOCH, ""), 3), gone(r.TARGET_EPOCH), gone(r.EPOCH))
    assert read(log, NONE) is None
    again = read((*log, member("a"), EPOCH._replace(value=1), holds("a", 1, 0)), NONE)
    assert (again.epoch, again.members[0].assigned) == (1, tps(0))


def test_an_assignment_may_stand_before_the_subscription_of_its_member():
    """A subscription was written again, and a cleaner dropped the first one: the member is made by either."""
    loaded = read((EPOCH, holds("a", 1, 0), member("a")), NONE)
    assert [(one.epoch, one.assigned, one.subscribed) for one in loaded.members] == [(1, tps(0), ("foo",))]


def test_offsets_make_a_group_only_where_there_is_none():
    assert read((EPOCH, OFFSET), NONE) == ConsumerGroup(epoch=3)
    assert read((OFFSET._replace(value=None),), NONE) is None


def test_a_classic_group_that_nobody_has_joined_yet_makes_way_for_records_of_another():
    """`ClassicGroup.isSimpleGroup`: no type and nobody in it."""
    begun = LogRecord((r.GROUP, ""), GroupValue(0, "", "", ""))
    assert read((begun, EPOCH), NONE) == ConsumerGroup(epoch=3)


def test_a_streams_group_begins_new_where_there_were_offsets_alone():
    epoch = LogRecord((STREAMS_EPOCH, ""), StreamsEpochValue(3, 0, (), ()))
    group = read((OFFSET, epoch), NONE)
    assert isinstance(group, StreamsTaskGroup) and group.epoch == 3
    assert group == read((epoch,), NONE)
    assert read((OFFSET, gone(STREAMS_TARGET_EPOCH), epoch), NONE) == group._replace(target_epoch=NO_TARGET)
