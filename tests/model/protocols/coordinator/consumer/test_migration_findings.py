"""What docs/protocol-findings.md says of migrations, request by request, as one would send them to a broker."""

from __future__ import annotations

from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import PREPARING, STABLE
from tests.model.protocols.coordinator.consumer.mixed import BOTH, old, rejoin, settle, upgraded
from tests.model.protocols.coordinator.drive import Drive, tps


def in_the_first_round(config: requests.Config = BOTH) -> tuple[Drive, str]:
    """A static member that has joined, and has not been assigned anything yet."""
    drive = Drive(config)
    drive.join(group_instance_id="i")
    drive.wait(0)
    return drive, drive.replies[drive.sent].member_id


def test_a_static_member_that_upgrades_in_the_first_round_is_given_nothing_for_ever():
    drive, _ = in_the_first_round()
    reply = drive.modern("m", group_instance_id="i")
    assert (reply.error, reply.member_epoch, reply.assignment) == (errors.NONE, 1, ())
    for _ in range(100):
        drive.wait(5_000)
        assert drive.modern("m", 1, group_instance_id="i").assignment is None
    assert (drive.consumer.epoch, drive.member("m").assigned) == (1, ())


def test_anything_that_bumps_the_epoch_ends_that_and_older_releases_bump_at_once():
    drive, _ = in_the_first_round()
    drive.modern("m", group_instance_id="i")
    drive.publish(foo=5)
    assert drive.modern("m", 1, group_instance_id="i").assignment == tps(0, 1, 2, 3, 4)
    drive, _ = in_the_first_round(old("upgrade_always_bumps"))
    assert drive.modern("m", group_instance_id="i").assignment == tps(0, 1, 2, 3)


def test_nor_is_who_had_just_joined_beside_it():
    """The rebalance that was under way is forgotten; its newcomer stays without partitions."""
    drive, static = in_the_first_round()
    drive.sync(static, {static: tps(0, 1, 2, 3)}, group_instance_id="i")
    newcomer = drive.join().member_id
    drive.join(newcomer)
    assert drive.classic.state == PREPARING
    assert drive.modern("m", group_instance_id="i").assignment == tps(0, 1, 2, 3)
    assert drive.replies[drive.sent - 1].error == errors.REBALANCE_IN_PROGRESS
    again = drive.join(newcomer)
    assert drive.sync(newcomer, generation_id=again.generation_id).assignment == ()
    assert drive.heartbeat(newcomer, again.generation_id) == errors.NONE


def test_what_the_last_consumer_had_is_nobodys_where_the_group_may_not_go_back():
    drive, members = upgraded(BOTH._replace(downgrade=False))
    settle(drive)
    had = drive.member("m").assigned
    drive.modern("m", -1)
    for _ in range(100):
        drive.wait(3_000)
        for each in members:
            assert drive.heartbeat(each, drive.member(each).epoch) == errors.NONE
    assert had
    assert not set(had) & {tp for member in drive.consumer.members for tp in member.assigned}
    drive, (first, _) = upgraded(old("classic_follows_group_epoch")._replace(downgrade=False))
    settle(drive)
    drive.modern("m", -1)
    assert drive.heartbeat(first, drive.member(first).epoch) == errors.REBALANCE_IN_PROGRESS


def two_static() -> tuple[Drive, str]:
    """A consumer that has everything, and a classic member beside it, which is to have half; both are static."""
    drive = Drive(BOTH)
    drive.modern("m", group_instance_id="j")
    joined = drive.join(group_instance_id="i", session_timeout=45_000)
    synced = drive.sync(joined.member_id, generation_id=joined.generation_id, group_instance_id="i")
    assert synced.assignment == ()
    return drive, joined.member_id


def test_a_downgrade_without_a_rebalance_assigns_what_nobody_is_told():
    drive, waiting = two_static()
    drive.modern("m", -2, group_instance_id="j")
    back = drive.join(group_instance_id="j", session_timeout=45_000)
    assert back.error == errors.NONE
    theirs = drive.sync(back.member_id, generation_id=back.generation_id, group_instance_id="j").assignment
    assert drive.classic.state == STABLE
    unread = drive.member(waiting).assignment
    assert sorted((*theirs, *unread)) == list(tps(0, 1, 2, 3))
    generation = drive.classic.generation
    for _ in range(100):
        drive.wait(3_000)
        assert drive.heartbeat(waiting, generation, "i") == errors.NONE
        assert drive.heartbeat(back.member_id, generation, "j") == errors.NONE
    assert (unread, drive.member(waiting).assignment) == (unread, unread)
    assert unread


def test_who_comes_back_by_such_a_downgrade_leads_and_is_not_told():
    drive = Drive(BOTH)
    drive.modern("m", group_instance_id="i")
    drive.modern("m", -2, group_instance_id="i")
    back = drive.join(group_instance_id="i")
    assert (back.error, back.leader, back.members) == (errors.NONE, "", ())
    assert drive.classic.leader == back.member_id
    drive.sync(back.member_id, generation_id=back.generation_id, group_instance_id="i")
    drive.publish(foo=5)
    for _ in range(100):
        drive.wait(3_000)
        assert drive.heartbeat(back.member_id, back.generation_id, "i") == errors.NONE
    assert drive.member(back.member_id).assignment == tps(0, 1, 2, 3)


def test_a_failover_forgets_the_rebalance_that_a_downgrade_began():
    drive = Drive(BOTH)
    assert drive.modern("m").assignment == tps(0, 1, 2, 3)
    member = drive.join(session_timeout=45_000).member_id
    joined = drive.join(member, session_timeout=45_000)
    generation = joined.generation_id
    assert drive.sync(member, generation_id=generation).assignment == ()
    drive.modern("m", -1)
    assert drive.classic.state == PREPARING
    drive.reload()
    assert (drive.classic.state, drive.classic.generation) == (STABLE, generation)
    for _ in range(100):
        drive.wait(3_000)
        assert drive.heartbeat(member, generation) == errors.NONE
    ((assigned),) = [each.assignment for each in drive.classic.members]
    assert len(assigned) < 4


def test_without_the_failover_it_ends_and_every_partition_has_an_owner():
    drive = Drive(BOTH)
    drive.modern("m")
    member = drive.join(session_timeout=45_000).member_id
    generation = drive.join(member, session_timeout=45_000).generation_id
    drive.sync(member, generation_id=generation)
    drive.modern("m", -1)
    assert drive.heartbeat(member, generation) == errors.REBALANCE_IN_PROGRESS
    drive.join(member)
    assert drive.sync(member, {member: tps(0, 1, 2, 3)}).assignment == tps(0, 1, 2, 3)


def test_a_failed_upgrade_in_the_first_join_phase_shuts_every_consumer_out():
    """The session is shorter than the initial delay, as it is also where members come one after the other."""
    drive = Drive(BOTH._replace(initial_rebalance_delay=10_000))
    drive.join(group_instance_id="i")
    assert drive.modern("m").error == errors.UNKNOWN_SERVER_ERROR
    assert drive.replies[1].error == errors.REBALANCE_IN_PROGRESS
    drive.join(group_instance_id="i")
    drive.wait(6_000)
    assert drive.modern("m").error == errors.UNKNOWN_SERVER_ERROR
    (dead,) = (member.member_id for member in drive.classic.members)
    assert drive.due(requests.SESSION, dead) is None
    for _ in range(100):
        drive.wait(30_000)
        assert drive.modern("m").error == errors.UNKNOWN_SERVER_ERROR
    assert [member.member_id for member in drive.classic.members] == [dead]


def there_and_back(config: requests.Config = BOTH) -> tuple[Drive, str, int]:
    """A stable classic group that was a consumer group for a moment; its dynamic member and generation.

    It was preparing a rebalance when it was converted. A static member led it there and back.
    """
    drive = Drive(config)
    first, second = drive.stable(2, session_timeout=60_000)
    drive.join(first, session_timeout=60_000)
    drive.modern("m", group_instance_id="i")
    drive.leave(second)
    for _ in range(4):
        rejoin(drive, first, session_timeout=60_000)
        here = drive.member("m")
        drive.modern("m", here.epoch, group_instance_id="i", topic_partitions=here.assigned)
    drive.join(group_instance_id="i", session_timeout=60_000)
    assert drive.classic.state == STABLE
    return drive, first, drive.classic.generation


def test_a_join_timer_of_the_life_before_last_removes_who_is_well():
    drive, first, generation = there_and_back()
    assert drive.due(requests.JOIN) == 12_000
    assert drive.heartbeat(first, generation) == errors.NONE
    drive.wait(12_000)
    assert drive.heartbeat(first, generation) == errors.UNKNOWN_MEMBER_ID


def test_and_who_is_dead_it_forgets_without_a_rebalance():
    drive, first, generation = there_and_back()
    had = drive.member(first).assignment
    (static,) = (member.member_id for member in drive.classic.members if member.group_instance_id)
    synced = drive.sync(static, generation_id=generation, group_instance_id="i")
    for _ in range(100):
        drive.wait(3_000)
        assert drive.heartbeat(static, generation, "i") == errors.NONE
    assert had
    assert sorted((*had, *synced.assignment)) == list(tps(0, 1, 2, 3))
    assert [member.member_id for member in drive.classic.members] == [static]
    assert (drive.classic.state, drive.classic.generation) == (STABLE, generation)


def test_where_a_conversion_stops_its_timers_neither_happens():
    drive, first, generation = there_and_back(old("conversion_stops_timers"))
    assert drive.due(requests.JOIN) is None
    drive.wait(12_000)
    assert drive.heartbeat(first, generation) == errors.NONE
    (static,) = (member.member_id for member in drive.classic.members if member.group_instance_id)
    for _ in range(20):
        drive.wait(3_000)
        told = drive.heartbeat(static, generation, "i")
    assert told == errors.REBALANCE_IN_PROGRESS, "a session that expires is noticed"


def test_a_sync_timer_of_the_life_before_last_removes_who_is_well():
    """Armed for a classic member in a consumer group, it runs on while the group is classic for a moment."""
    drive = Drive(BOTH)
    drive.modern("m")
    joined = drive.join(session_timeout=45_000)
    member = drive.join(joined.member_id, session_timeout=45_000).member_id
    drive.wait(7_000)
    assert drive.modern("m", -1).error == errors.NONE
    assert drive.classic.state == PREPARING
    drive.modern("n")
    assert drive.due(requests.CLASSIC_SYNC, member) == 12_000
    drive.wait(2_000)
    assert drive.heartbeat(member, drive.member(member).epoch) == errors.REBALANCE_IN_PROGRESS
    drive.wait(3_000)
    assert drive.heartbeat(member, 0) == errors.UNKNOWN_MEMBER_ID


def test_a_leave_of_a_classic_member_that_cannot_be_written_leaves_nobody_to_watch_it():
    drive, (first, second) = upgraded()
    settle(drive)
    left = drive.send(requests.LeaveGroup(0, ((first, ""),)), "NOT_ENOUGH_REPLICAS")
    assert left.error == errors.COORDINATOR_NOT_AVAILABLE
    held = drive.member(first).assigned
    for _ in range(100):
        drive.wait(3_000)
        drive.heartbeat(second, drive.member(second).epoch)
        drive.modern("m", drive.member("m").epoch)
    assert drive.member(first).assigned == held != ()
    assert drive.due(requests.CONSUMER_SESSION, first) is None


def test_a_classic_member_whose_leave_cannot_be_written_is_watched_by_nobody():
    """What random worlds of migrations found (docs/networks.md); a failover mends it."""
    drive, (one, other) = upgraded()
    settle(drive)
    reply = drive.send(requests.LeaveGroup(0, ((one, ""),)), "NOT_ENOUGH_REPLICAS")
    assert reply.error == errors.COORDINATOR_NOT_AVAILABLE
    for _ in range(30):
        drive.heartbeat(other, drive.member(other).epoch)
        drive.modern("m", drive.member("m").epoch)
        drive.wait(5_000)
    assert {member.member_id for member in drive.consumer.members} == {one, other, "m"}
    assert drive.member(one).assigned and drive.due(requests.CONSUMER_SESSION, one) is None
    drive.reload()
    assert drive.due(requests.CONSUMER_SESSION, one) is not None
