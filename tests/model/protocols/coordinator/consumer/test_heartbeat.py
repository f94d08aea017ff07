"""ConsumerGroupHeartbeat: which requests are taken, whose epochs are good, and who is fenced."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import ASSIGNING, EMPTY, STABLE
from kassay.model.protocols.values.records import (
    CURRENT,
    EPOCH,
    MEMBER,
    TARGET_EPOCH,
    TOPICS,
    UNKNOWN_TIME,
    EpochValue,
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

STALE = errors.STALE_MEMBER_EPOCH


def test_scenario_59_a_lost_reply_is_forgiven():
    drive = split()
    ack(drive, "a"), ack(drive, "a")
    assert drive.member("a").epoch == 3
    assert drive.modern("a", 2, topic_partitions=tps(0)).member_epoch == 3
    assert drive.modern("a", 2, topic_partitions=tps(0, 1)).error == errors.FENCED_MEMBER_EPOCH
    assert drive.modern("a", 2).error == errors.FENCED_MEMBER_EPOCH


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
    assert drive.commit("a", 2) == errors.NONE
    assert drive.commit("a", 1) == errors.STALE_MEMBER_EPOCH
    assert drive.commit("a", 3) == errors.STALE_MEMBER_EPOCH
    assert drive.commit("stranger", 2) == errors.UNKNOWN_MEMBER_ID
    assert drive.commit("a", 2, api_version=8) == errors.UNSUPPORTED_VERSION
    assert drive.commit("a", -1) == errors.STALE_MEMBER_EPOCH
    assert drive.commit("stranger", -1) == drive.commit("", -1) == errors.UNKNOWN_MEMBER_ID
    drive.modern("a", -1), drive.modern("b", -1)
    assert drive.commit("a", 2) == errors.UNKNOWN_MEMBER_ID
    assert drive.commit("a", -1) == drive.commit("", -1) == errors.NONE, (
        "no epoch says nothing of whose it is"
    )


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"topic_partitions": None}, errors.INVALID_REQUEST),
        ({"topic_partitions": tps(0)}, errors.INVALID_REQUEST),
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


def test_who_has_left_for_a_while_comes_back_with_epoch_0_alone():
    """Its previous epoch is above the one it has, -2: no reply was lost."""
    drive = Drive()
    drive.modern("a", group_instance_id="i")
    drive.modern("b")
    drive.modern("a", drive.member("a").epoch, group_instance_id="i", topic_partitions=tps(0, 1, 2, 3))
    drive.modern("a", drive.member("a").epoch, group_instance_id="i", topic_partitions=tps(0, 2))
    drive.modern("a", -2, group_instance_id="i")
    member = drive.member("a")
    assert member.prev_epoch > 0 > member.epoch == -2
    late = drive.modern("a", member.prev_epoch, group_instance_id="i", topic_partitions=())
    assert late.error == errors.FENCED_MEMBER_EPOCH


def test_who_joins_by_an_expression_may_name_no_topics_at_all():
    drive = Drive()
    joined = drive.modern("a", subscribed_topic_names=None, subscribed_topic_regex="fo.*")
    assert joined.error == errors.NONE
    assert drive.modern("b", subscribed_topic_names=None).error == errors.INVALID_REQUEST


def test_new_partitions_are_noticed_at_a_heartbeat():
    drive = Drive()
    drive.modern("a")
    drive.publish(foo=5)
    assert group_state(drive.consumer) == STABLE
    assert drive.modern("a", 2).assignment == tps(0, 1, 2, 3, 4)
    drive.publish(bar=1)
    assert drive.modern("a", 3, topic_partitions=()).assignment == ()


def test_the_assignment_is_sent_when_it_changed_or_everything_was_told():
    drive = Drive()
    drive.modern("a")
    assert drive.modern("a", 2).assignment is None
    full = {
        "rebalance_timeout": 30_000,
        "subscribed_topic_names": ("foo",),
        "topic_partitions": tps(0, 1, 2, 3),
    }
    assert drive.modern("a", 2, **full).assignment == tps(0, 1, 2, 3)


def old(*switches, **more):
    """A group under older rules."""
    return Drive(Config(switches=frozenset(switches), **more))


def test_a_new_group_begins_at_epoch_1_and_who_names_no_topics_leaves_it_there():
    """As the first step does on Kafka's classes of 4.4.0, and of 4.2.1, whose groups begin at 0."""
    for drive, advances in ((Drive(), False), (old("epochs_from_zero"), True)):
        reply = drive.modern("a", subscribed_topic_names=())
        assert (reply.error, reply.member_epoch, reply.assignment) == (errors.NONE, 1, ())
        assert (drive.consumer.epoch, drive.consumer.target_epoch) == (1, 1)
        written = {record.key[0] for record in drive.records}
        assert written >= {MEMBER, CURRENT}
        assert (EPOCH in written) is (TARGET_EPOCH in written) is advances
        assert drive.modern("b").member_epoch == 2
    refused = old("empty_names_refused").modern("a", subscribed_topic_names=())
    assert refused.error == errors.INVALID_REQUEST


def test_the_topics_stand_with_the_epoch_or_in_a_record_of_their_own():
    for drive, kinds in ((Drive(), []), (old("topics_recorded"), [TOPICS])):
        drive.modern("a")
        (epoch,) = (record.value for record in drive.records if record.key[0] == EPOCH)
        assert [record.key[0] for record in drive.records if record.key[0] == TOPICS] == kinds
        assert epoch == (2 if kinds else EpochValue(2, drive.consumer.topics))
        drive.reload()
        assert drive.consumer.topics == drive.host.state.image


def test_a_group_that_becomes_empty_has_a_target_of_its_epoch_at_no_known_time():
    for drive, behind in ((Drive(), 0), (old("empty_keeps_target_epoch"), 1)):
        drive.wait(500)
        drive.modern("a"), drive.modern("b")
        assert drive.consumer.target_time == 500
        drive.modern("a", -1)
        assert drive.consumer.target_epoch == drive.consumer.epoch - 1, "somebody is left"
        ack(drive, "b"), drive.modern("b", -1)
        assert drive.consumer.target_epoch == drive.consumer.epoch - behind
        assert (drive.consumer.target_time == UNKNOWN_TIME) == (not behind)


def test_each_partition_has_the_epoch_since_which_the_member_has_it():
    drive = split()
    assert drive.member("a").assignment_epochs == dict.fromkeys(tps(0, 1, 2, 3), 2)
    ack(drive, "a")
    assert drive.member("a").assignment_epochs == dict.fromkeys(tps(0, 1, 2, 3), 2), "pending ones too"
    ack(drive, "a"), ack(drive, "b")
    assert drive.member("a").assignment_epochs == dict.fromkeys(tps(0, 2), 2)
    assert drive.member("b").assignment_epochs == dict.fromkeys(tps(1, 3), 3)
    assert old("no_assignment_epochs").modern("a").error == errors.NONE


def test_who_goes_for_a_while_has_its_partitions_since_ever():
    drive = Drive()
    drive.modern("a", group_instance_id="i")
    drive.modern("a", -2, group_instance_id="i")
    assert drive.member("a").assignment_epochs == dict.fromkeys(tps(0, 1, 2, 3), 0)


def commit(drive, epoch, *numbers):
    offsets = tuple((tp, 7) for tp in tps(*numbers))
    return drive.send(requests.OffsetCommit(0, "a", epoch, offsets)).error


def test_a_commit_of_an_earlier_epoch_is_taken_for_what_the_member_has_had_since():
    drive = split()
    ack(drive, "a"), ack(drive, "a"), drive.modern("b", -1), ack(drive, "a")
    assert drive.member("a").assignment_epochs == dict.fromkeys(tps(0, 2), 2) | dict.fromkeys(tps(1, 3), 4)
    assert [commit(drive, epoch, 0, 2) for epoch in (1, 2, 3, 4)] == [STALE, *(errors.NONE,) * 3]
    assert [commit(drive, epoch, 1) for epoch in (3, 4, 5)] == [STALE, errors.NONE, STALE]
    assert commit(drive, 3, 0, 1) == STALE, "one that is too new refuses the whole request"
    strict = old("commits_at_epoch_only")
    strict.modern("a"), strict.modern("b"), ack(strict, "a"), ack(strict, "a")
    assert [commit(strict, epoch, 0) for epoch in (2, 3)] == [STALE, errors.NONE]


def test_another_preferred_assignor_bumps_the_epoch_at_once():
    for drive, bumps in ((Drive(), 1), (old("assignor_change_waits"), 0)):
        drive.modern("a")
        assert drive.modern("a", 2, server_assignor="range").member_epoch == 2 + bumps
        same = drive.consumer.epoch
        assert drive.modern("a", same, server_assignor="range").member_epoch == same


def test_two_who_prefer_different_assignors_bump_the_epoch_at_every_heartbeat_of_one():
    """Kafka's coordinator does so (its traces show it): the vote is counted in two maps of different order."""
    drive = Drive()
    drive.modern("a", server_assignor="uniform"), drive.modern("b", server_assignor="range")
    ack(drive, "a"), ack(drive, "a")
    for _ in range(3):
        before = drive.consumer.epoch
        assert ack(drive, "b").member_epoch == before + 1
        assert ack(drive, "a").member_epoch == before + 1


def test_a_full_group_takes_back_an_instance_that_is_in_it():
    for drive, error in (
        (Drive(Config(consumer_max_size=1)), errors.NONE),
        (old("full_refuses_instances", consumer_max_size=1), errors.GROUP_MAX_SIZE_REACHED),
    ):
        drive.modern("a", group_instance_id="i")
        drive.modern("a", -2, group_instance_id="i")
        assert drive.modern("b", group_instance_id="i").error == error


def test_a_target_goes_along_with_who_sends_another_instance_id():
    seen = []
    for drive in (Drive(), old("target_stays_with_instance")):
        drive.modern("a", group_instance_id="i")
        asks = []
        drive.choices.target = lambda ask, asks=asks: asks.append(ask) or (("a", tps(0)),)
        drive.modern("a", group_instance_id="j", subscribed_topic_names=("foo", "bar"))
        seen.append(asks[0].members[0].target)
    assert seen == [tps(0, 1, 2, 3), ()]


def test_without_a_new_target_who_sends_another_instance_id_is_told_that_it_has_nothing():
    drive = Drive()
    drive.modern("a", group_instance_id="i"), drive.modern("b"), ack(drive, "b")
    reply = drive.modern("a", group_instance_id="j")
    assert (reply.error, reply.assignment) == (errors.NONE, ())
    assert drive.modern("c", group_instance_id="i").error == errors.NONE, "the instance id is free again"
