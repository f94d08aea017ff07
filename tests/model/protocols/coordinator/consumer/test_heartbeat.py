"""ConsumerGroupHeartbeat: which requests are taken, whose epochs are good, and who is fenced."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    ASSIGNING,
    EMPTY,
    STABLE,
)
from kassay.model.protocols.values.requests import Config
from tests.model.protocols.coordinator.consumer.heartbeats import (
    STRICT,
    ack,
    ack_static,
    settle,
    settle_static,
    split,
)
from tests.model.protocols.coordinator.drive import Drive, tps


def test_scenario_59_a_lost_reply_is_forgiven():
    drive = split()
    ack(drive, "a"), ack(drive, "a")
    assert drive.member("a").epoch == 2
    assert drive.modern("a", 1, topic_partitions=tps(0)).member_epoch == 2
    assert drive.modern("a", 1, topic_partitions=tps(0, 1)).error == errors.FENCED_MEMBER_EPOCH
    assert drive.modern("a", 1).error == errors.FENCED_MEMBER_EPOCH


def test_scenario_60_two_lost_bumps_fence_and_epoch_0_converges():
    drive = Drive()
    drive.modern("a")
    for name in ("b", "c"):
        drive.modern(name)
        settle(drive)
    assert drive.modern("a", 1, topic_partitions=()).error == errors.FENCED_MEMBER_EPOCH
    reply = drive.modern("a")
    assert (reply.error, reply.assignment) == (errors.NONE, drive.member("a").assigned)
    settle(drive)


def test_a_heartbeat_from_two_epochs_ago_gives_up_nothing_in_the_members_name():
    """Taken for an acknowledgement, it would lead the member to a target epoch at which it still owns more."""
    drive = Drive()
    drive.modern("a"), drive.modern("b"), settle(drive), drive.modern("c"), settle(drive)
    drive.modern("a", -1), settle(drive), drive.modern("a"), settle(drive), drive.modern("d")
    for member in [member.member_id for member in drive.consumer.members]:
        ack(drive, member)
    revoking = next(member for member in drive.consumer.members if member.pending)
    stale = revoking.prev_epoch - 1
    assert stale > 0
    assert drive.modern(revoking.member_id, stale, topic_partitions=()).error == errors.FENCED_MEMBER_EPOCH
    assert drive.member(revoking.member_id) == revoking
    ack(drive, revoking.member_id)
    assert drive.member(revoking.member_id).pending == ()


def test_scenario_60_the_rule_of_the_traces_fences_until_the_session_expires():
    drive = Drive(STRICT)
    drive.modern("a"), drive.modern("b"), settle(drive), drive.modern("c"), settle(drive)
    assert drive.modern("a").error == errors.FENCED_MEMBER_EPOCH
    drive.wait(45_000)
    assert drive.modern("a").error == errors.NONE


def test_scenario_61_who_does_not_revoke_in_time_is_fenced():
    drive = split()
    ack(drive, "a")
    epoch = drive.consumer.epoch
    assert drive.due(requests.REVOCATION, "a") == 30_000
    drive.wait(30_000)
    assert [member.member_id for member in drive.consumer.members] == ["b"]
    assert (drive.consumer.epoch, group_state(drive.consumer)) == (epoch + 1, ASSIGNING)
    assert ack(drive, "b").assignment == tps(0, 1, 2, 3)


def test_scenario_63_a_static_member_comes_back_to_its_target_without_a_bump():
    drive = Drive()
    drive.modern("a", group_instance_id="i"), drive.modern("b"), ack(drive, "a"), settle_static(drive)
    epoch, target = drive.consumer.epoch, drive.member("a").assigned
    assert drive.modern("a", -2, group_instance_id="i").member_epoch == -2
    assert drive.due(requests.CONSUMER_SESSION, "a") is not None
    reply = drive.modern("again", group_instance_id="i")
    assert (reply.error, reply.member_epoch, reply.assignment) == (errors.NONE, epoch, target)
    assert drive.consumer.epoch == epoch
    assert drive.modern("a", epoch, group_instance_id="i").error == errors.FENCED_INSTANCE_ID
    drive.wait(45_000 - 1)
    ack_static(drive, "again")
    drive.wait(1)
    assert "again" in {member.member_id for member in drive.consumer.members}, "the old timer finds nobody"


def test_scenario_63_a_live_instance_is_not_given_away():
    drive = Drive()
    drive.modern("a", group_instance_id="i")
    assert drive.modern("b", group_instance_id="i").error == errors.UNRELEASED_INSTANCE_ID
    assert drive.modern("a", group_instance_id="i").error == errors.UNRELEASED_INSTANCE_ID


def test_scenario_63_a_static_member_that_stays_away_is_removed():
    drive = Drive()
    drive.modern("a", group_instance_id="i")
    drive.modern("a", -2, group_instance_id="i")
    drive.wait(45_000)
    assert group_state(drive.consumer) == EMPTY


def test_scenario_64_commits_by_epoch():
    drive = split()
    assert drive.commit("a", 1) == errors.NONE
    assert drive.commit("a", 0) == errors.STALE_MEMBER_EPOCH
    assert drive.commit("a", 2) == errors.STALE_MEMBER_EPOCH
    assert drive.commit("stranger", 1) == errors.UNKNOWN_MEMBER_ID
    assert drive.commit("a", 1, api_version=8) == errors.UNSUPPORTED_VERSION
    assert drive.commit("", -1) == errors.UNKNOWN_MEMBER_ID
    drive.modern("a", -1), drive.modern("b", -1)
    assert drive.commit("", -1) == errors.NONE


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"topic_partitions": None}, errors.INVALID_REQUEST),
        ({"topic_partitions": tps(0)}, errors.INVALID_REQUEST),
        ({"subscribed_topic_names": ()}, errors.INVALID_REQUEST),
        ({"subscribed_topic_names": None}, errors.INVALID_REQUEST),
        ({"rebalance_timeout": -1}, errors.INVALID_REQUEST),
        ({"group_instance_id": " "}, errors.INVALID_REQUEST),
        ({"member_epoch": -3}, errors.INVALID_REQUEST),
        ({"member_epoch": -2}, errors.INVALID_REQUEST),
        ({"member_epoch": 1, "member_id": ""}, errors.INVALID_REQUEST),
        ({"server_assignor": "other"}, errors.UNSUPPORTED_ASSIGNOR),
        ({"topic_partitions": None, "server_assignor": "other"}, errors.INVALID_REQUEST),
    ],
)
def test_requests_that_no_group_takes(change, error):
    good = requests.ConsumerHeartbeat(0, "a", 0, "", 30_000, ("foo",), "", ())
    drive = Drive()
    assert drive.send(good._replace(**change)).error == error
    assert drive.group is None
    assert drive.send(good).error == errors.NONE


def test_a_full_group_says_so_before_asking_who_it_is():
    drive = Drive(Config(consumer_max_size=2))
    drive.modern("a"), drive.modern("b")
    for epoch in (0, 5):
        assert drive.modern("c", epoch).error == errors.GROUP_MAX_SIZE_REACHED
    assert drive.modern("a", 5).error == errors.FENCED_MEMBER_EPOCH
    assert drive.modern("c", -1).error == errors.UNKNOWN_MEMBER_ID


def test_identity_before_epoch():
    drive = Drive()
    drive.modern("a", group_instance_id="i"), drive.modern("b")
    assert drive.modern("c", 9).error == errors.UNKNOWN_MEMBER_ID
    assert drive.modern("b", 9, group_instance_id="nobody").error == errors.UNKNOWN_MEMBER_ID
    assert drive.modern("b", 9, group_instance_id="i").error == errors.FENCED_INSTANCE_ID
    assert drive.modern("a", 9, group_instance_id="i").error == errors.FENCED_MEMBER_EPOCH
    assert drive.modern("b", -1, group_instance_id="i").error == errors.FENCED_INSTANCE_ID


def test_new_partitions_are_noticed_at_a_heartbeat():
    drive = Drive()
    drive.modern("a")
    drive.publish(foo=5)
    assert group_state(drive.consumer) == STABLE
    assert drive.modern("a", 1).assignment == tps(0, 1, 2, 3, 4)
    drive.publish(bar=1)
    assert drive.modern("a", 2, topic_partitions=()).assignment == ()


def test_the_assignment_is_sent_when_it_changed_or_everything_was_told():
    drive = Drive()
    drive.modern("a")
    assert drive.modern("a", 1).assignment is None
    full = {
        "rebalance_timeout": 30_000,
        "subscribed_topic_names": ("foo",),
        "topic_partitions": tps(0, 1, 2, 3),
    }
    assert drive.modern("a", 1, **full).assignment == tps(0, 1, 2, 3)
