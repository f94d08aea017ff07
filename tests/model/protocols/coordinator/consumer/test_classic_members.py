"""Members of the classic protocol in a consumer group: when they must join again, and who is fenced."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.classic_members import _waits
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import UNRELEASED
from kassay.model.protocols.values.requests import CLASSIC_JOIN, CLASSIC_SYNC
from tests.model.protocols.coordinator.consumer.mixed import old, settle, upgraded


def test_a_classic_member_is_told_to_join_when_there_is_something_to_do():
    drive, (first, second) = upgraded()
    settle(drive)
    epoch = drive.member(first).epoch
    assert drive.heartbeat(first, epoch) == errors.NONE
    drive.publish(foo=5)
    drive.modern("m", drive.member("m").epoch)
    assert drive.heartbeat(first, epoch) == errors.REBALANCE_IN_PROGRESS
    assert drive.due(CLASSIC_JOIN, first) == 12_000
    assert drive.sync(first, generation_id=epoch).error == errors.REBALANCE_IN_PROGRESS
    drive.join(first)
    assert drive.due(CLASSIC_JOIN, first) is None
    assert drive.due(CLASSIC_SYNC, first) == 12_000
    drive.sync(first, generation_id=drive.member(first).epoch)
    assert drive.due(CLASSIC_SYNC, first) is None
    assert second in {member.member_id for member in drive.consumer.members}


@pytest.mark.parametrize("kind", [CLASSIC_JOIN, CLASSIC_SYNC])
def test_a_classic_member_that_does_not_follow_is_fenced(kind):
    drive, (first, _) = upgraded()
    if kind == CLASSIC_JOIN:
        drive.heartbeat(first, drive.member(first).epoch)
    else:
        drive.join(first)
    for _ in range(3):
        drive.wait(4_000)
        if drive.due(requests.CONSUMER_SESSION, first):
            drive.heartbeat(first, drive.member(first).epoch)
    assert first not in {member.member_id for member in drive.consumer.members}


def test_check_order_of_classic_requests_in_a_consumer_group():
    drive, (first, _) = upgraded()
    epoch = drive.member(first).epoch
    assert drive.join("", "other").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.join("", protocol_type="connect").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.join().error == errors.MEMBER_ID_REQUIRED
    assert drive.join("x", group_instance_id="nobody").error == errors.UNKNOWN_MEMBER_ID
    for send in (
        drive.heartbeat,
        lambda member, generation: drive.sync(member, generation_id=generation).error,
    ):
        assert send("stranger", 99) == errors.UNKNOWN_MEMBER_ID
        assert send("m", 99) == errors.UNKNOWN_MEMBER_ID
        assert send(first, 99) == errors.ILLEGAL_GENERATION
    assert (
        drive.sync(first, generation_id=epoch, protocol="other").error == errors.INCONSISTENT_GROUP_PROTOCOL
    )
    assert drive.leave("stranger").members == (("stranger", "", errors.UNKNOWN_MEMBER_ID),)
    assert drive.commit(first, 99) == errors.ILLEGAL_GENERATION
    assert drive.commit("m", 99) == errors.STALE_MEMBER_EPOCH


def test_classic_members_leave_a_consumer_group():
    drive, (first, second) = upgraded()
    epoch = drive.consumer.epoch
    assert drive.leave(first, second).members == ((first, "", errors.NONE), (second, "", errors.NONE))
    assert [member.member_id for member in drive.consumer.members] == ["m"]
    assert drive.consumer.epoch == epoch + 1


def test_leavegroup_removes_members_of_either_protocol_and_converts_back():
    drive, members = upgraded()
    assert drive.leave("m").members == (("m", "", errors.NONE),)
    assert sorted(member.member_id for member in drive.classic.members) == sorted(members)
    drive, _ = upgraded(old("leave_never_downgrades"))
    drive.leave("m")
    assert {bool(member.classic) for member in drive.consumer.members} == {True}
    drive, _ = upgraded(old("leave_of_classic_alone"))
    assert drive.leave("m").members == (("m", "", errors.UNKNOWN_MEMBER_ID),)
    assert "m" in {member.member_id for member in drive.consumer.members}


def test_leavegroup_answers_by_the_name_that_was_asked_for_and_writes_nothing_for_nobody():
    for switches, name in (((), ""), (("leave_of_classic_alone",), "i-3")):
        drive, _ = upgraded(old(*switches))
        joined = drive.join(group_instance_id="i")
        assert joined.error == errors.NONE
        written, epoch = len(drive.records), drive.consumer.epoch
        assert drive.leave("", group_instance_id="nobody").members == (
            ("", "nobody", errors.UNKNOWN_MEMBER_ID),
        )
        assert (len(drive.records), drive.consumer.epoch) == (written, epoch)
        ((answered, instance, error),) = drive.leave("", group_instance_id="i").members
        assert (instance, error) == ("i", errors.NONE)
        assert answered == (joined.member_id if name else "")


def test_only_newer_clients_are_sent_away_with_an_id():
    """KIP-394, since version 4 of JoinGroup."""
    drive, _ = upgraded()
    assert drive.join(api_version=4).error == errors.MEMBER_ID_REQUIRED
    joined = drive.join(api_version=3)
    assert joined.error == errors.NONE
    assert joined.member_id in {member.member_id for member in drive.consumer.members}


def test_an_instance_id_is_asked_for_only_beside_the_member_id_that_has_it():
    """Somebody else's id beside it does not make that one leave, nor the one who has it."""
    drive, (first, _) = upgraded()
    static = drive.join(group_instance_id="i").member_id
    assert drive.leave(first, group_instance_id="i").members == ((first, "i", errors.FENCED_INSTANCE_ID),)
    assert {first, static} <= {member.member_id for member in drive.consumer.members}
    assert drive.leave(static, group_instance_id="i").members == ((static, "i", errors.NONE),)


def test_where_migration_is_disabled_no_classic_member_joins_a_consumer_group():
    for switches, error in (((), errors.INCONSISTENT_GROUP_PROTOCOL), (("disabled_lets_classic_in",), None)):
        drive, (first, _) = upgraded(old(*switches))
        drive.runtime.config = drive.runtime.config._replace(upgrade=False, downgrade=False)
        assert drive.join(first).error == (error or errors.NONE)
        assert drive.join("stranger", "other").error == errors.INCONSISTENT_GROUP_PROTOCOL
        assert drive.join().error == (error or errors.MEMBER_ID_REQUIRED)
        assert drive.heartbeat(first, drive.member(first).epoch) != errors.INCONSISTENT_GROUP_PROTOCOL
        assert drive.leave(first).members == ((first, "", errors.NONE),)


def test_a_joingroup_that_cannot_be_read_is_the_clients_fault():
    nonsense = requests.RawMetadata("?")
    drive, (first, _) = upgraded()
    assert drive.join(first, metadata=nonsense).error == errors.INCONSISTENT_GROUP_PROTOCOL
    drive, (first, _) = upgraded(old("unparsed_is_server_error"))
    assert drive.join(first, metadata=nonsense).error == errors.UNKNOWN_SERVER_ERROR


def test_a_bump_alone_is_nothing_to_join_for():
    for switches, error in (
        ((), errors.NONE),
        (("classic_follows_group_epoch",), errors.REBALANCE_IN_PROGRESS),
    ):
        drive, (first, second) = upgraded(old(*switches))
        settle(drive)
        drive.leave(second)
        epoch = drive.member(first).epoch
        assert drive.consumer.epoch > drive.consumer.target_epoch
        assert drive.heartbeat(first, epoch) == error
        assert drive.sync(first, generation_id=epoch).error == error
        drive.modern("m", drive.member("m").epoch)
        assert drive.heartbeat(first, epoch) == errors.REBALANCE_IN_PROGRESS


def test_who_has_a_part_of_its_target_joins_again_as_soon_as_the_rest_is_free():
    """`ConsumerGroup.waitingOnUnreleasedPartition` asks of what the member does not have."""
    drive, (first, second) = upgraded()
    settle(drive)
    group = drive.consumer
    had = {member.member_id: member.assigned for member in group.members}
    wanted = tuple(sorted((*had[first], *had[second])))
    target = tuple((name, wanted if name == first else tps) for name, tps in group.target)
    for taken in (had[second], ()):
        held = had | {second: taken}
        members = tuple(member._replace(assigned=held[member.member_id]) for member in group.members)
        (waiting,) = (member for member in members if member.member_id == first)
        now = group._replace(members=members, target=target)
        assert _waits(now, waiting._replace(state=UNRELEASED)) is bool(taken)


def test_a_classic_request_that_cannot_be_written_is_refused():
    drive, _ = upgraded()
    before = drive.consumer
    refused = drive.join(group_instance_id="i", write_fails="NOT_ENOUGH_REPLICAS")
    assert refused == requests.JoinGroupReply(errors.COORDINATOR_NOT_AVAILABLE, "")
    assert drive.consumer == before._replace(refreshed=drive.consumer.refreshed)
