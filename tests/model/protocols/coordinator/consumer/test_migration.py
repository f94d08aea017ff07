"""Online migration between the protocols, and both kinds of members in one group."""

from __future__ import annotations

import pytest

from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import COMPLETING, PREPARING, STABLE, ClassicGroup, ConsumerGroup
from kassay.model.protocols.values.requests import ZERO_BYTES
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
