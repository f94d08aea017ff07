"""Members of the classic protocol in a consumer group: when they must join again, and who is fenced."""

from __future__ import annotations

import pytest

from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.requests import CLASSIC_JOIN, CLASSIC_SYNC
from tests.model.protocols.coordinator.consumer.mixed import settle, upgraded


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


def test_a_classic_request_that_cannot_be_written_is_refused():
    drive, _ = upgraded()
    before = drive.consumer
    refused = drive.join(group_instance_id="i", write_fails="NOT_ENOUGH_REPLICAS")
    assert refused.error == errors.COORDINATOR_NOT_AVAILABLE
    assert drive.consumer == before
