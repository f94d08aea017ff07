"""The classic coordinator alone: acceptance scenarios 25 to 27, 42 to 49 and 54 to 57."""

from __future__ import annotations

import pytest

from kassay.model.explore.interned import Interned
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE
from kassay.model.protocols.values.requests import ZERO_BYTES, Config, Subscription
from tests.model.protocols.coordinator.drive import EAGER, Drive, tps

CHANGED = Subscription(("foo", "bar"))


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


def test_scenario_27_too_late_for_the_join_phase():
    drive = Drive()
    first, late = drive.stable(2)
    drive.join(first)
    for _ in range(3):
        drive.wait(4_000)
        drive.heartbeat(late)
    assert drive.classic.state == COMPLETING
    assert drive.join(late).error == errors.UNKNOWN_MEMBER_ID


def test_scenario_42_an_unstored_generation_is_forgotten_and_its_number_used_again():
    drive = Drive()
    first, second = drive.stable(2)
    stored = drive.classic.generation
    drive.join(first), drive.join(second)
    assert drive.classic.generation == stored + 1
    drive.reload()
    assert (drive.classic.state, drive.classic.generation) == (STABLE, stored)
    assert drive.sync(first, generation_id=stored + 1).error == errors.ILLEGAL_GENERATION
    drive.leave(second)
    assert drive.join(first).generation_id == stored + 1


def test_scenario_42_a_failover_before_the_assignment_is_acknowledged_loses_it():
    drive = Drive()
    (member,) = drive.stable(1)
    drive.join(member)
    drive.defer()
    assert drive.sync(member, {member: tps(0)}) is None
    parked = drive.sent
    drive.reload()
    assert drive.replies[parked].error == errors.NOT_COORDINATOR
    assert drive.classic.generation == 1


def test_scenario_43_not_ready_then_ready():
    drive = Drive()
    (member,) = drive.stable(1)
    coordinator = drive.host.state
    for role, error in [
        ("loading", errors.COORDINATOR_LOAD_IN_PROGRESS),
        ("not coordinator", errors.NOT_COORDINATOR),
    ]:
        away = coordinator._replace(group=None, role=type(coordinator.role)(role))
        drive.host = drive.host._replace(coordinator=Interned(away))
        assert drive.heartbeat(member, 1) == error
        assert drive.join(member).error == error
        assert drive.sync(member).error == error
        assert drive.commit(member, 1) == error
        assert drive.leave(member).error == error
        assert drive.modern(member).error == error
    drive.reload()
    drive.wait(5_999)
    assert drive.heartbeat(member) == errors.NONE, "back within its session, it survives"
    drive.wait(6_000)
    assert drive.heartbeat(member) == errors.UNKNOWN_MEMBER_ID


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


def test_scenario_45_quick_joiners_share_one_generation():
    drive = Drive(Config())
    members = [drive.join().member_id]
    drive.join(members[0])
    for _ in range(2):
        drive.wait(1_000)
        members.append(drive.join().member_id)
        drive.join(members[-1])
    drive.wait(1_000)
    assert drive.classic.state == PREPARING, "new members extend the delay"
    drive.wait(3_000)
    assert drive.classic.generation == 1
    assert [member.member_id for member in drive.classic.members] == sorted(members)


def test_scenario_45_the_delay_ends_with_the_rebalance_timeout():
    drive = Drive(Config())
    for _ in range(12):
        drive.join(group_instance_id=f"i{drive.sent}", rebalance_timeout=9_000)
        drive.wait(1_000)
        if drive.classic.state != PREPARING:
            break
    assert drive.now == 9_000


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


def votes(*lists: tuple[str, ...]) -> str:
    drive = Drive()
    members = [drive.join("", *names).member_id for names in lists]
    for member, names in zip(members, lists):
        drive.join(member, *names)
    drive.wait(0)
    return drive.classic.protocol


def test_scenario_49_the_protocol_is_what_most_put_first_among_what_all_know():
    assert votes(("a", "b"), ("a", "b"), ("b", "a")) == "a"
    assert votes(("a", "b"), ("a", "b"), ("b",)) == "b"


def returning(drive: Drive, **more: object):
    return drive.join(group_instance_id="i", client_id="again", **more)


def static_pair(**more: object) -> tuple[Drive, str, str]:
    """A stable group of a static leader and a dynamic follower."""
    drive = Drive()
    drive.join(group_instance_id="i", **more)
    drive.wait(0)
    static = drive.classic.leader
    drive.sync(static)
    dynamic = drive.join().member_id
    drive.join(dynamic), drive.join(static, group_instance_id="i", **more)
    drive.sync(dynamic), drive.sync(static, {static: tps(0), dynamic: tps(1)}, group_instance_id="i")
    assert drive.classic.state == STABLE
    return drive, static, dynamic


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


def test_scenario_57b_a_static_member_that_misses_the_join_phase_stays():
    drive, static, dynamic = static_pair(session_timeout=60_000)
    drive.join(dynamic, metadata=CHANGED)
    drive.wait(12_000)
    assert drive.classic.state == COMPLETING
    assert drive.member(static).group_instance_id == "i"
    assert drive.classic.leader == dynamic


def test_the_last_member_leaves_an_empty_group():
    drive = Drive()
    (member,) = drive.stable(1)
    drive.leave(member)
    assert (drive.classic.state, drive.classic.generation) == (EMPTY, 2)
    drive.reload()
    assert (drive.classic.state, drive.classic.generation) == (EMPTY, 2)


def waiting_static() -> tuple[Drive, str, int]:
    """A static follower came back, and its new id is not on disk yet: its JoinGroup is parked in Stable."""
    drive = Drive()
    (leader,) = drive.stable(1)
    drive.join(group_instance_id="i"), drive.join(leader)
    static = drive.classic.pending_sync[-1]
    drive.sync(static, group_instance_id="i"), drive.sync(leader, {static: tps(1)})
    drive.defer()
    assert returning(drive) is None
    return drive, leader, drive.sent


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


def test_parked_in_stable_is_not_answered_by_a_failover():
    drive, _, parked = waiting_static()
    drive.reload()
    assert parked not in drive.replies
