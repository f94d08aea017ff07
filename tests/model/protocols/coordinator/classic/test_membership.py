"""SyncGroup, commits, leaving and sessions in a classic group."""

from __future__ import annotations

from kassay.model.protocols.values import errors
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE
from kassay.model.protocols.values.requests import ZERO_BYTES
from tests.model.protocols.coordinator.classic.statics import returning, static_pair
from tests.model.protocols.coordinator.drive import EAGER, Drive, tps


def test_scenario_25_a_followers_sync_waits_for_the_leaders():
    drive = Drive()
    leader, follower = (drive.join().member_id for _ in range(2))
    drive.join(leader), drive.join(follower)
    drive.wait(0)
    assert drive.sync(follower) is None
    parked = drive.sent
    assert drive.sync(leader, {follower: tps(0, 1)}).assignment == ZERO_BYTES
    assert drive.replies[parked].assignment == tps(0, 1)
    assert drive.classic.state == STABLE


def test_scenario_26_the_leader_dies_while_completing():
    drive = Drive()
    leader, follower = drive.stable(2)
    drive.join(leader)
    drive.join(follower)
    generation = drive.classic.generation
    assert drive.classic.state == COMPLETING
    drive.wait(5_000)
    drive.heartbeat(follower)
    drive.wait(1_000)
    assert drive.classic.state == PREPARING
    reply = drive.join(follower)
    assert (reply.leader, reply.generation_id) == (follower, generation + 1)


def test_scenario_47_commits_by_generation_and_phase():
    drive = Drive()
    first, second = drive.stable(2)
    generation = drive.classic.generation
    assert drive.commit(first, generation) == errors.NONE
    assert drive.commit(first, generation - 1) == errors.ILLEGAL_GENERATION
    assert drive.commit("stranger", generation) == errors.UNKNOWN_MEMBER_ID
    drive.join(first)
    assert drive.classic.state == PREPARING
    assert drive.commit(second, generation) == errors.NONE, "Preparing: the old generation may still commit"
    drive.join(second)
    assert drive.classic.state == COMPLETING
    assert drive.commit(first, generation) == errors.ILLEGAL_GENERATION
    assert drive.commit(first, generation + 1) == errors.REBALANCE_IN_PROGRESS


def test_scenario_47_the_switch_lets_a_zombie_commit():
    drive = Drive(EAGER._replace(switches=frozenset({"no_generation_fence"})))
    drive.stable(1)
    assert drive.commit("stranger", -7) == errors.NONE


def test_scenario_56_the_older_of_two_is_fenced():
    drive, old, _ = static_pair()
    new = returning(drive).member_id
    generation = drive.classic.generation
    assert drive.heartbeat(old, group_instance_id="i") == errors.FENCED_INSTANCE_ID
    assert drive.sync(old, group_instance_id="i").error == errors.FENCED_INSTANCE_ID
    assert drive.join(old, group_instance_id="i").error == errors.FENCED_INSTANCE_ID
    assert drive.commit(old, generation, group_instance_id="i") == errors.FENCED_INSTANCE_ID
    assert drive.leave(old, group_instance_id="i").members == ((old, "i", errors.FENCED_INSTANCE_ID),)
    assert drive.heartbeat(new, group_instance_id="i") == errors.NONE


def test_the_last_member_leaves_an_empty_group():
    drive = Drive()
    (member,) = drive.stable(1)
    drive.leave(member)
    assert (drive.classic.state, drive.classic.generation) == (EMPTY, 2)
    drive.reload()
    assert (drive.classic.state, drive.classic.generation) == (EMPTY, 2)
