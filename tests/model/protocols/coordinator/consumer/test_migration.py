"""Online migration between the protocols, and both kinds of members in one group.

Members of the classic protocol in a consumer group: when they must join again, and who is fenced.
"""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.consumer.migration import _waits
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import (
    COMPLETING,
    PREPARING,
    STABLE,
    UNRELEASED,
    ClassicGroup,
    ConsumerGroup,
)
from kassay.model.protocols.values.requests import CLASSIC_JOIN, CLASSIC_SYNC, ZERO_BYTES
from tests.model.protocols.coordinator.consumer.mixed import BOTH, POLICIES, old, rejoin, settle, upgraded
from tests.model.protocols.coordinator.drive import Drive, tps


@pytest.mark.parametrize("policy", POLICIES)
def test_a_consumer_member_converts_a_classic_group_if_the_policy_allows(policy):
    drive = Drive(POLICIES[policy])
    members = drive.stable(2)
    reply = drive.modern("m")
    if not POLICIES[policy].upgrade:
        assert reply.error == errors.GROUP_ID_NOT_FOUND
        assert isinstance(drive.group, ClassicGroup)
        return
    assert reply.error == errors.NONE
    assert sorted(member.member_id for member in drive.consumer.members) == sorted([*members, "m"])
    assert [drive.member(member).assigned for member in members] == [tps(0), tps(1)]
    settle(drive)
    held = [tp for member in drive.consumer.members for tp in member.assigned]
    assert sorted(held) == list(tps(0, 1, 2, 3))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_last_consumer_member_leaving_converts_back_if_the_policy_allows(policy):
    drive, members = upgraded()
    settle(drive)
    drive.runtime.config = POLICIES[policy]
    generation = drive.consumer.epoch
    drive.modern("m", -1)
    if not POLICIES[policy].downgrade:
        assert isinstance(drive.group, ConsumerGroup)
        return
    assert (drive.classic.state, drive.classic.generation) == (PREPARING, generation)
    assert all(drive.member(member).assignment != ZERO_BYTES for member in members)
    for member in members:
        assert drive.heartbeat(member) == errors.REBALANCE_IN_PROGRESS
        drive.join(member)
    assert drive.classic.state == COMPLETING


def test_the_last_consumer_member_expiring_converts_back():
    drive, members = upgraded()
    settle(drive)
    while isinstance(drive.group, ConsumerGroup):
        for member in members:
            drive.heartbeat(member, drive.member(member).epoch)
        drive.wait(5_000)
    assert drive.now == 45_000
    assert drive.classic.state == PREPARING


def test_an_empty_group_of_either_kind_gives_way_under_every_policy():
    drive = Drive()
    (member,) = drive.stable(1)
    drive.leave(member)
    assert drive.modern("m").error == errors.NONE
    drive.modern("m", -1)
    assert drive.join().error == errors.MEMBER_ID_REQUIRED
    assert isinstance(drive.group, ClassicGroup)


def test_an_empty_consumer_group_is_forgotten_when_an_unknown_member_joins():
    drive = Drive()
    drive.modern("m"), drive.modern("m", -1)
    assert drive.join("stranger").error == errors.UNKNOWN_MEMBER_ID
    assert drive.group is None
    drive.reload()
    assert isinstance(drive.group, ConsumerGroup), "nothing of that was written"


@pytest.mark.parametrize(
    ("switches", "error"),
    [
        ((), errors.UNKNOWN_SERVER_ERROR),
        (("first_generation_not_found",), errors.GROUP_ID_NOT_FOUND),
        (("zero_bytes_refused",), errors.GROUP_ID_NOT_FOUND),
    ],
)
def test_before_the_first_generation_the_conversion_fails_but_what_is_parked_is_answered(switches, error):
    drive = Drive(old(*switches))
    member = drive.join().member_id
    drive.join(member)
    parked = drive.sent
    assert drive.modern("m").error == error
    assert drive.replies[parked].error == errors.REBALANCE_IN_PROGRESS
    assert drive.member(member).awaiting_join == requests.NO_REQUEST


def unassigned(config: requests.Config) -> tuple[Drive, str, str]:
    """A group in its first generation, of which nobody has been assigned anything yet."""
    drive = Drive(config)
    ids = [drive.join().member_id for _ in range(2)]
    for member in ids:
        drive.join(member)
    drive.wait(0)
    return drive, drive.classic.leader, next(m for m in ids if m != drive.classic.leader)


def test_members_without_an_assignment_are_converted_with_nothing():
    drive, leader, follower = unassigned(BOTH)
    drive.sync(follower)
    parked = drive.sent
    assert drive.modern("m").error == errors.NONE
    assert drive.replies[parked].error == errors.REBALANCE_IN_PROGRESS
    assert drive.member(leader).assigned == drive.member(follower).assigned == ()
    settle(drive)
    assert sum(len(member.assigned) for member in drive.consumer.members) == 4
    drive, _, _ = unassigned(old("zero_bytes_refused"))
    assert drive.modern("m").error == errors.GROUP_ID_NOT_FOUND


CUSTOM = requests.partitions([("foo", 0), ("colours", requests.USER_DATA)])


def test_an_assignment_with_user_data_cannot_be_converted():
    drive, leader, follower = unassigned(BOTH)
    assert drive.sync(leader, {leader: CUSTOM, follower: ()}).assignment == CUSTOM
    assert drive.modern("m").error == errors.GROUP_ID_NOT_FOUND
    assert isinstance(drive.group, ClassicGroup)
    drive, leader, follower = unassigned(old("user_data_lost"))
    drive.sync(leader, {leader: CUSTOM, follower: ()})
    assert drive.modern("m").error == errors.NONE
    assert drive.member(leader).assigned == tps(0)


def test_metadata_that_is_no_subscription_cannot_be_converted():
    drive = Drive(BOTH)
    drive.stable(1, metadata=requests.RawMetadata("?"))
    assert drive.modern("m").error == errors.GROUP_ID_NOT_FOUND


def test_a_group_that_would_be_too_large_is_not_converted():
    drive = Drive(BOTH._replace(consumer_max_size=2))
    drive.stable(3)
    assert drive.modern("m").error == errors.GROUP_ID_NOT_FOUND
    drive = Drive(BOTH._replace(consumer_max_size=2))
    drive.stable(2)
    assert drive.modern("m").error == errors.GROUP_MAX_SIZE_REACHED
    assert isinstance(drive.group, ClassicGroup)


def test_a_group_that_would_be_too_large_for_the_classic_protocol_is_not_converted_back():
    """`validateOnlineDowngradeWithFencedMembers`."""
    for size, kind in ((2, ClassicGroup), (1, ConsumerGroup)):
        drive, members = upgraded()
        drive.runtime.config = drive.runtime.config._replace(classic_max_size=size)
        drive.modern("m", -1)
        assert isinstance(drive.group, kind)
        assert sorted(member.member_id for member in drive.group.members) == sorted(members)


def test_a_group_of_another_type_is_not_converted():
    drive = Drive(BOTH)
    drive.stable(1, protocol_type="connect")
    assert drive.modern("m").error == errors.GROUP_ID_NOT_FOUND
    assert isinstance(drive.group, ClassicGroup)


def test_a_failed_write_leaves_the_classic_group():
    drive = Drive(BOTH)
    drive.stable(2)
    before = drive.classic
    assert drive.modern("m", write_fails="REQUEST_TIMED_OUT").error == errors.COORDINATOR_NOT_AVAILABLE
    assert drive.classic == before


def static_swap(
    config: requests.Config, topics: tuple[str, ...] = ("foo",), size: int | None = None
) -> Drive:
    """A static member of the consumer protocol, replaced by a classic one beside a dynamic classic one.

    By then a classic group may have that `size`, where one is given.
    """
    drive = Drive(config)
    drive.stable(1)
    drive.modern("m", group_instance_id="i")
    for _ in range(4):
        for found in drive.consumer.members:
            if found.classic:
                rejoin(drive, found.member_id)
            else:
                drive.modern("m", found.epoch, group_instance_id="i", topic_partitions=found.assigned)
    if size is not None:
        drive.runtime.config = drive.runtime.config._replace(classic_max_size=size)
    drive.join(group_instance_id="i", metadata=requests.Subscription(topics))
    return drive


def test_a_classic_static_member_in_the_place_of_the_last_consumer_member_converts_back():
    drive = static_swap(BOTH)
    assert drive.classic.state == STABLE
    assert {member.group_instance_id for member in drive.classic.members} == {"", "i"}
    assert all(member.assignment != ZERO_BYTES for member in drive.classic.members)


def test_one_that_subscribes_to_something_else_makes_the_classic_group_rebalance():
    drive = static_swap(BOTH, ("foo", "bar"))
    assert drive.classic.state == PREPARING
    reply = drive.replies[drive.sent]
    assert (reply.error, reply.generation_id) == (errors.NONE, 0)
    assert drive.sync(reply.member_id, generation_id=0, group_instance_id="i").error == (
        errors.ILLEGAL_GENERATION
    )
    drive = static_swap(old("static_downgrade_never_rebalances"), ("foo", "bar"))
    assert drive.classic.state == STABLE


def crowded(*switches: str) -> tuple[Drive, list[str]]:
    """Three classic members in a consumer group, one more than a classic group may have."""
    drive = Drive(old(*switches))
    members = drive.stable(3)
    drive.modern("m")
    drive.runtime.config = drive.runtime.config._replace(classic_max_size=2)
    drive.modern("m", -1)
    return drive, members


def test_any_removal_converts_back_a_group_of_classic_members():
    drive, members = crowded()
    assert isinstance(drive.group, ConsumerGroup)
    drive.leave(members[0])
    assert drive.classic.state == PREPARING
    drive, members = crowded("downgrade_by_consumer_alone")
    drive.leave(members[0])
    assert isinstance(drive.group, ConsumerGroup)


def test_timers_of_the_former_group_run_on_and_stop_with_it_where_that_is_asked():
    drive = static_swap(BOTH)
    assert {order.timer.kind for order in drive.host.armed} >= {requests.SESSION, requests.CONSUMER_SESSION}
    drive = static_swap(old("conversion_stops_timers"))
    assert {order.timer.kind for order in drive.host.armed} == {requests.SESSION}
    drive.wait(5_999)
    assert drive.classic.state == STABLE


def test_nor_is_one_in_which_a_static_member_is_replaced_if_it_would_be_too_large():
    """`validateOnlineDowngradeWithReplacedMember`."""
    assert isinstance(static_swap(BOTH, size=2).group, ClassicGroup)
    assert isinstance(static_swap(BOTH, size=1).group, ConsumerGroup)


def test_kafka_lets_a_join_timer_outlive_two_conversions():
    """Upgrade while preparing, downgrade by a returning static member, and the timer drops the healthy."""
    drive = Drive(BOTH)
    first, second = drive.stable(2, session_timeout=60_000)
    drive.join(first, session_timeout=60_000)
    assert drive.due(requests.JOIN) == 12_000
    drive.modern("m", group_instance_id="i")
    drive.leave(second)
    for _ in range(4):
        rejoin(drive, first, session_timeout=60_000)
        found = drive.member("m")
        drive.modern("m", found.epoch, group_instance_id="i", topic_partitions=found.assigned)
    drive.join(group_instance_id="i", session_timeout=60_000)
    assert drive.classic.state == STABLE
    drive.wait(12_000)
    assert first not in {member.member_id for member in drive.classic.members}


def test_failover_of_a_mixed_group_changes_nothing_but_timers():
    drive, _ = upgraded()
    before = drive.consumer
    drive.reload()
    assert drive.consumer == before
    settle(drive)


def all_for_one() -> tuple[Drive, str]:
    """A classic group of one member, who owns all four partitions."""
    drive = Drive(BOTH)
    member = drive.join().member_id
    drive.join(member)
    drive.wait(0)
    assert drive.sync(member, {member: tps(0, 1, 2, 3)}).assignment == tps(0, 1, 2, 3)
    return drive, member


def test_there_and_back_forgets_what_a_classic_member_has_not_given_up_yet():
    # docs/protocol-findings.md: without the way back the newcomer waits.
    drive, old = all_for_one()
    assert not drive.modern("m").assignment
    drive.modern("m", -1)
    assert (drive.classic.state, drive.member(old).assignment) == (PREPARING, tps(0, 2))
    newcomer = drive.modern("n")
    assert newcomer.assignment == tps(1, 3)
    # The old member, given all four, has heard nothing so far; it will with its next heartbeat.
    assert drive.commit(old, 1) == errors.ILLEGAL_GENERATION
    assert drive.heartbeat(old, 1) == errors.ILLEGAL_GENERATION


def test_a_failed_upgrade_answers_who_waits_and_leaves_no_session_timer():
    # docs/protocol-findings.md: the leader has not assigned yet, the follower waits and dies.
    drive, leader, follower = unassigned(old("zero_bytes_refused"))
    assert drive.sync(follower) is None
    drive.wait(5_000)
    assert drive.heartbeat(leader) == errors.NONE
    drive.wait(5_000)
    assert drive.due(requests.SESSION, follower) is None
    assert drive.modern("m").error == errors.GROUP_ID_NOT_FOUND
    assert drive.sync(leader, {leader: tps(0, 1), follower: tps(2, 3)}).error == errors.NONE
    for _ in range(20):
        assert drive.heartbeat(leader) == errors.NONE
        drive.wait(5_000)
    assert drive.member(follower).assignment == tps(2, 3)
    assert drive.due(requests.SESSION, follower) is None


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
