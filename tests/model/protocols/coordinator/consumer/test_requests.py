"""The consumer group coordinator alone: acceptance scenarios 58 to 65, and its check order."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.group import all_records, group_state, replay
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    ASSIGNING,
    EMPTY,
    MEMBER_STABLE,
    RECONCILING,
    STABLE,
    UNRELEASED,
    UNREVOKED,
)
from kassay.model.protocols.values.records import TOPICS, LogRecord
from kassay.model.protocols.values.requests import Config
from tests.model.protocols.coordinator.drive import Drive, tps

STRICT = Config(switches=frozenset({"strict_epoch0"}))


def split() -> Drive:
    """Member a owned everything; b has joined, and a has not heard of it."""
    drive = Drive()
    drive.modern("a")
    drive.modern("b")
    return drive


def ack(drive: Drive, member: str):
    """A heartbeat that owns what the coordinator has the member own."""
    found = drive.member(member)
    return drive.modern(member, found.epoch, topic_partitions=found.assigned)


def settle(drive: Drive) -> None:
    for _ in range(4):
        for member in [member.member_id for member in drive.consumer.members]:
            ack(drive, member)
    assert group_state(drive.consumer) == STABLE


def holders(drive: Drive) -> dict[object, set[str]]:
    found: dict[object, set[str]] = {}
    for member in drive.consumer.members:
        for tp in member.assigned + member.pending:
            found.setdefault(tp, set()).add(member.member_id)
    return found


def test_scenario_58_joining_a_full_group_never_makes_two_holders():
    drive = split()
    assert (drive.member("b").state, drive.member("b").assigned) == (UNRELEASED, ())
    for member, state in [("a", UNREVOKED), ("b", UNRELEASED), ("a", MEMBER_STABLE), ("b", MEMBER_STABLE)]:
        ack(drive, member)
        assert drive.member(member).state == state
        assert all(len(members) == 1 for members in holders(drive).values())
    assert group_state(drive.consumer) == STABLE
    assert (drive.member("a").assigned, drive.member("b").assigned) == (tps(0, 2), tps(1, 3))


def test_scenario_58_silence_is_not_an_acknowledgement():
    drive = split()
    ack(drive, "a")
    assert drive.modern("a", 1).error == errors.NONE
    assert drive.modern("a", 1, topic_partitions=tps(0, 1)).error == errors.NONE
    assert (drive.member("a").state, drive.member("a").epoch) == (UNREVOKED, 1)


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


def test_scenario_62_a_newer_target_waits_for_the_revocation():
    drive = split()
    ack(drive, "a")
    revoking = drive.member("a").pending
    drive.modern("c")
    assert drive.modern("a", 1, topic_partitions=tps(0, 1, 2, 3)).assignment is None
    assert drive.member("a").pending == revoking
    ack(drive, "a")
    assert drive.member("a").epoch == 2, "one more partition to give up on the way to the newest target"
    ack(drive, "a")
    assert (drive.member("a").epoch, drive.member("a").assigned) == (3, tps(0, 3))
    settle(drive)


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


def ack_static(drive: Drive, member: str):
    found = drive.member(member)
    return drive.modern(
        member, found.epoch, group_instance_id=found.group_instance_id, topic_partitions=found.assigned
    )


def settle_static(drive: Drive) -> None:
    for _ in range(4):
        for member in [member.member_id for member in drive.consumer.members]:
            ack_static(drive, member)
    assert group_state(drive.consumer) == STABLE


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


def test_scenario_65_failover_while_revoking_starts_the_timer_again():
    drive = split()
    ack(drive, "a")
    drive.wait(20_000)
    before = drive.consumer
    drive.reload()
    assert drive.consumer == before
    assert drive.due(requests.REVOCATION, "a") == 50_000
    assert drive.due(requests.CONSUMER_SESSION, "b") == 65_000
    settle(drive)


def test_a_group_is_what_its_records_say():
    drive = split()
    ack(drive, "a")
    topics = LogRecord((TOPICS, ""), drive.consumer.topics)
    assert replay(None, (*all_records(drive.consumer), topics)) == drive.consumer


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


def test_a_failed_write_undoes_the_group_but_not_the_timers():
    drive = split()
    before = drive.consumer
    reply = drive.modern("a", 1, topic_partitions=tps(0, 1, 2, 3), write_fails="NOT_ENOUGH_REPLICAS")
    assert reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert drive.consumer == before
    assert drive.due(requests.REVOCATION, "a") == 30_000


def test_ignored_release_makes_two_holders():
    drive = Drive(Config(switches=frozenset({"ignore_unreleased"})))
    drive.modern("a"), drive.modern("b")
    assert any(len(members) == 2 for members in holders(drive).values())


def test_an_ignored_acknowledgement_is_stuck_until_the_timer():
    drive = Drive(Config(switches=frozenset({"recompute_on_new_target"})))
    drive.modern("a"), drive.modern("b")
    ack(drive, "a")
    drive.modern("c")
    for _ in range(5):
        ack(drive, "a")
    assert drive.member("a").state == UNREVOKED
    assert group_state(drive.consumer) == RECONCILING


def test_a_lost_epoch_gives_a_partition_away_twice():
    drive = Drive(Config(switches=frozenset({"pend_reassign_loses_epoch"})), {"foo": 2})
    drive.modern("a")
    drive.choices.targets = {"a": tps(0), "b": tps(1)}
    drive.modern("b")
    ack(drive, "a")
    drive.choices.targets = {"a": tps(0, 1), "b": (), "c": ()}
    drive.modern("c")
    ack(drive, "a")
    drive.choices.targets = {"a": tps(0), "b": tps(1), "c": (), "d": ()}
    drive.modern("d")
    ack(drive, "b")
    assert len(holders(drive)[tps(1)[0]]) > 1
