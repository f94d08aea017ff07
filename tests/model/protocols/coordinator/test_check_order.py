"""Which of several things that are wrong with a request is answered: the check-order tables."""

from __future__ import annotations

import pytest

from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE
from tests.model.protocols.coordinator.drive import EAGER, Drive, in_state, tps

FULL = EAGER._replace(classic_max_size=2)


ALIVE = pytest.mark.parametrize("state", [PREPARING, COMPLETING, STABLE])


@ALIVE
def test_join_asks_for_the_protocol_before_the_identity(state):
    drive, _, dynamic = in_state(state)
    assert drive.join("stranger", "other").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.join(dynamic, "other", group_instance_id="i").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.join("stranger").error == errors.UNKNOWN_MEMBER_ID


@ALIVE
def test_join_asks_for_the_instance_before_the_member(state):
    drive, _, dynamic = in_state(state)
    assert drive.join("stranger", group_instance_id="nobody").error == errors.UNKNOWN_MEMBER_ID
    assert drive.join("stranger", group_instance_id="i").error == errors.FENCED_INSTANCE_ID
    assert drive.join(dynamic, group_instance_id="i").error == errors.FENCED_INSTANCE_ID


@pytest.mark.parametrize("state", [COMPLETING, STABLE])
def test_a_full_group_says_so_first(state):
    drive, _, dynamic = in_state(state, FULL)
    assert drive.join().error == errors.GROUP_MAX_SIZE_REACHED
    assert drive.join("stranger", "other").error == errors.GROUP_MAX_SIZE_REACHED
    assert drive.join(dynamic, "other").error == errors.INCONSISTENT_GROUP_PROTOCOL


def test_in_preparing_only_who_has_joined_counts():
    drive, static, dynamic = in_state(PREPARING, FULL)
    newcomer = drive.join().member_id
    assert drive.join(newcomer) is None
    assert drive.join(dynamic).error == errors.GROUP_MAX_SIZE_REACHED
    assert dynamic not in {member.member_id for member in drive.classic.members}
    assert drive.join(static, group_instance_id="i").error == errors.NONE


def test_a_refused_pending_id_is_dropped():
    drive, _, _ = in_state(STABLE)
    pending = drive.join().member_id
    drive.runtime.config = FULL
    assert drive.join(pending).error == errors.GROUP_MAX_SIZE_REACHED
    assert drive.classic.pending_join == ()


@ALIVE
def test_sync_and_heartbeat_and_commit_ask_for_identity_before_the_generation(state):
    drive, static, dynamic = in_state(state)
    stale = drive.classic.generation - 1
    for instance, member, error in [
        ("nobody", static, errors.UNKNOWN_MEMBER_ID),
        ("i", dynamic, errors.FENCED_INSTANCE_ID),
        ("", "stranger", errors.UNKNOWN_MEMBER_ID),
        ("", dynamic, errors.ILLEGAL_GENERATION),
    ]:
        assert drive.sync(member, generation_id=stale, group_instance_id=instance).error == error
        assert drive.heartbeat(member, stale, instance) == error
        assert drive.commit(member, stale, group_instance_id=instance) == error


@ALIVE
def test_sync_asks_for_the_protocol_after_the_generation(state):
    drive, _, dynamic = in_state(state)
    assert drive.sync(dynamic, generation_id=0, protocol="other").error == errors.ILLEGAL_GENERATION
    assert drive.sync(dynamic, protocol="other").error == errors.INCONSISTENT_GROUP_PROTOCOL
    assert drive.sync(dynamic, protocol_type="connect").error == errors.INCONSISTENT_GROUP_PROTOCOL


@pytest.mark.parametrize(
    ("state", "sync", "heartbeat", "commit"),
    [
        (PREPARING, errors.REBALANCE_IN_PROGRESS, errors.REBALANCE_IN_PROGRESS, errors.NONE),
        (COMPLETING, None, errors.NONE, errors.REBALANCE_IN_PROGRESS),
        (STABLE, errors.NONE, errors.NONE, errors.NONE),
    ],
)
def test_a_good_request_by_state(state, sync, heartbeat, commit):
    drive, _, dynamic = in_state(state)
    generation = drive.classic.generation
    drive.wait(100)
    assert drive.heartbeat(dynamic) == heartbeat
    assert drive.due(requests.SESSION, dynamic) == 6_100
    assert drive.commit(dynamic, generation) == commit
    reply = drive.sync(dynamic)
    assert (reply and reply.error) == sync


def test_an_empty_group_knows_nobody():
    drive, static, dynamic = in_state(EMPTY)
    assert drive.join(dynamic).error == errors.UNKNOWN_MEMBER_ID
    assert drive.sync(dynamic).error == errors.UNKNOWN_MEMBER_ID
    assert drive.heartbeat(dynamic) == errors.UNKNOWN_MEMBER_ID
    assert drive.commit(dynamic, drive.classic.generation) == errors.UNKNOWN_MEMBER_ID
    assert drive.commit("", -1) == errors.NONE
    assert drive.leave(static, "").members == (
        (static, "", errors.UNKNOWN_MEMBER_ID),
        ("", "", errors.UNKNOWN_MEMBER_ID),
    )


def test_no_group_at_all():
    drive = Drive()
    assert drive.join("stranger").error == errors.UNKNOWN_MEMBER_ID
    assert drive.sync("stranger").error == errors.UNKNOWN_MEMBER_ID
    assert drive.heartbeat("stranger") == errors.UNKNOWN_MEMBER_ID
    assert drive.leave("stranger").members == (("stranger", "", errors.UNKNOWN_MEMBER_ID),)
    assert drive.commit("stranger", 3) == errors.GROUP_ID_NOT_FOUND
    assert drive.commit("stranger", 3, api_version=8) == errors.ILLEGAL_GENERATION
    assert drive.modern("m", 3).error == errors.GROUP_ID_NOT_FOUND
    assert drive.modern("m", -1).error == errors.GROUP_ID_NOT_FOUND
    assert drive.group is None


def test_leaving_by_instance_alone():
    drive, static, dynamic = in_state(STABLE)
    assert drive.leave("", group_instance_id="nobody").members == (("", "nobody", errors.UNKNOWN_MEMBER_ID),)
    assert drive.classic.state == STABLE
    assert drive.leave("", group_instance_id="i").members == (("", "i", errors.NONE),)
    assert [member.member_id for member in drive.classic.members] == [dynamic]
    assert drive.due(requests.SESSION, static) is None


@pytest.mark.parametrize("state", [COMPLETING, STABLE])
def test_a_pending_id_that_leaves_rebalances_and_one_that_expires_does_not(state):
    drive, _, _ = in_state(state)
    pending = drive.join(session_timeout=1_000).member_id
    drive.wait(1_000)
    assert (drive.classic.pending_join, drive.classic.state) == ((), state)
    pending = drive.join().member_id
    assert drive.leave(pending).members == ((pending, "", errors.NONE),)
    assert drive.classic.state == PREPARING


def test_entering_preparing_keeps_assignments_from_stable_and_clears_them_from_completing():
    drive, static, dynamic = in_state(STABLE)
    drive.join(static, group_instance_id="i")
    drive.join(dynamic)
    assert drive.classic.state == COMPLETING
    assert drive.member(dynamic).assignment == tps(1)
    drive.leave(static, group_instance_id="i")
    assert drive.member(dynamic).assignment == requests.ZERO_BYTES
