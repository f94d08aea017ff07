"""SyncGroup, commits, leaving and sessions in a classic group.

JoinGroup to a classic group: who must bring an id, who may join again, and static members that come back.
"""

from __future__ import annotations

import pytest

from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE
from kassay.model.protocols.values.requests import ZERO_BYTES
from tests.model.protocols.coordinator.classic.statics import CHANGED, returning, static_pair, waiting_static
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


def test_scenario_44_an_id_is_required_and_an_abandoned_one_expires():
    drive = Drive()
    first = drive.new_member()
    drive.wait(0)
    drive.sync(first)
    abandoned = drive.join().member_id
    drive.join(first)
    assert drive.classic.state == PREPARING, "the abandoned id is waited for"
    drive.wait(6_000)
    assert abandoned not in drive.classic.pending_join
    assert drive.classic.state == COMPLETING


def test_scenario_44_the_known_id_is_not_asked_for_before_version_4():
    drive = Drive()
    assert drive.join(api_version=3) is None
    assert [member.member_id for member in drive.classic.members] == ["c-1"]


@pytest.mark.parametrize("who", [0, 1])
def test_scenario_46_a_retried_join_while_completing_gets_the_same_generation(who):
    drive = Drive()
    members = drive.stable(2)
    drive.join(members[0]), drive.join(members[1])
    reply = drive.join(members[who])
    assert (reply.error, reply.generation_id) == (errors.NONE, drive.classic.generation)
    assert bool(reply.members) == (who == 0)
    assert drive.classic.state == COMPLETING


def test_scenario_46_a_follower_that_joins_again_in_stable_gets_the_same_generation():
    drive = Drive()
    leader, follower = drive.stable(2)
    generation = drive.classic.generation
    assert drive.join(follower).generation_id == generation
    assert drive.sync(follower).assignment == tps(1)
    assert drive.classic.state == STABLE
    drive.join(leader)
    assert drive.classic.state == PREPARING, "the leader may have seen new partitions"


@pytest.mark.parametrize("phase", [STABLE, COMPLETING])
def test_scenario_46_changed_metadata_rebalances(phase):
    drive = Drive()
    leader, follower = drive.stable(2)
    if phase == COMPLETING:
        drive.join(leader), drive.join(follower)
    assert drive.join(follower, metadata=CHANGED) is None
    assert drive.classic.state == PREPARING


def test_scenario_48_disjoint_lists_leave_the_group_untouched():
    drive = Drive()
    drive.stable(2)
    before = drive.host
    assert drive.join("", "cooperative-sticky").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.join("", protocol_type="connect").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.host == before


def test_scenario_48_an_empty_list_is_refused():
    drive = Drive()
    request = requests.JoinGroup(0, "", ())
    assert drive.send(request).error == errors.INCONSISTENT_GROUP_PROTOCOL
    drive.stable(1)
    assert drive.send(request).error == errors.INCONSISTENT_GROUP_PROTOCOL


def test_scenario_54_a_restart_within_the_session_changes_nothing_but_the_id():
    drive, old, _ = static_pair()
    generation = drive.classic.generation
    reply = returning(drive)
    assert (reply.error, reply.generation_id, reply.leader) == (errors.NONE, generation, reply.member_id)
    assert reply.skip_assignment
    assert len(reply.members) == 2
    assert reply.member_id != old
    assert drive.sync(reply.member_id, group_instance_id="i").assignment == tps(0)
    assert drive.classic.state == STABLE
    assert drive.records[-1].value.leader == reply.member_id, "the new id is on disk"


def test_scenario_54_before_version_9_the_old_id_is_named_as_leader():
    drive, old, _ = static_pair()
    reply = returning(drive, api_version=8)
    assert (reply.leader, reply.members, reply.skip_assignment) == (old, (), False)


def test_scenario_54_a_failed_write_puts_the_old_id_back():
    drive, old, _ = static_pair()
    reply = returning(drive, write_fails="NOT_ENOUGH_REPLICAS")
    assert (reply.error, reply.member_id) == (errors.COORDINATOR_NOT_AVAILABLE, "")
    assert drive.member(old).group_instance_id == "i"
    assert drive.heartbeat(old, group_instance_id="i") == errors.NONE


def test_scenario_54_another_protocol_rebalances():
    drive = Drive()
    drive.join("", "a", "b", group_instance_id="i")
    drive.wait(0)
    drive.sync(drive.classic.leader, group_instance_id="i")
    assert returning(drive).error == errors.INCONSISTENT_GROUP_PROTOCOL
    drive.join("", "b", "a", group_instance_id="i")
    assert (drive.classic.state, drive.classic.protocol) == (COMPLETING, "b")


def test_scenario_55_beyond_the_session_it_is_a_new_member():
    drive, old, dynamic = static_pair()
    drive.wait(5_000)
    drive.heartbeat(dynamic)
    drive.wait(1_000)
    assert drive.classic.state == PREPARING
    assert returning(drive) is None
    assert [member.member_id for member in drive.classic.members if member.member_id == old] == []


def test_scenario_56_a_parked_join_of_the_older_is_fenced():
    drive, static, _ = static_pair()
    assert drive.join(static, group_instance_id="i") is None
    parked = drive.sent
    returning(drive)
    assert drive.replies[parked].error == errors.FENCED_INSTANCE_ID


def test_scenario_57_a_restart_while_completing_rebalances():
    drive, old, dynamic = static_pair()
    drive.join(dynamic, metadata=CHANGED), drive.join(old, group_instance_id="i")
    assert drive.classic.state == COMPLETING
    assert drive.sync(dynamic) is None
    parked = drive.sent
    assert returning(drive) is None
    assert drive.classic.state == PREPARING
    assert drive.replies[parked].error == errors.REBALANCE_IN_PROGRESS


def test_a_returning_static_member_waits_for_the_disk():
    drive, _, parked = waiting_static()
    assert drive.classic.state == STABLE
    drive.flush()
    assert (drive.replies[parked].error, drive.replies[parked].generation_id) == (errors.NONE, 2)


def test_a_returning_static_member_may_be_answered_by_the_next_generation():
    drive, leader, parked = waiting_static()
    drive.join(leader)
    assert drive.replies[parked].generation_id == 3
    drive.flush()
    assert drive.classic.state == COMPLETING


def test_a_returning_static_member_that_returns_again_is_fenced():
    drive, _, parked = waiting_static()
    returning(drive)
    assert drive.replies[parked].error == errors.FENCED_INSTANCE_ID
    again = drive.sent
    drive.flush()
    assert drive.replies[again].error == errors.NONE


def test_a_returning_static_leader_is_told_nothing_once_a_rebalance_began():
    drive, _, dynamic = static_pair()
    drive.defer()
    returning(drive)
    parked = drive.sent
    drive.join(dynamic, metadata=CHANGED, session_timeout=60_000)
    assert drive.classic.state == COMPLETING, "the parked JoinGroup counts"
    assert drive.replies[parked].leader == drive.classic.leader

    drive, _, dynamic = static_pair()
    drive.defer()
    returning(drive)
    parked = drive.sent
    drive.join(drive.join().member_id)
    assert drive.classic.state == PREPARING
    drive.flush()
    assert parked not in drive.replies
    drive.join(dynamic)
    assert drive.replies[parked].generation_id == drive.classic.generation
