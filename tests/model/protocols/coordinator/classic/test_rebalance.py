"""How a classic group rebalances: who is waited for and how long, and what the next generation is.

A classic group: the protocol is what its members vote for.
"""

from __future__ import annotations

from kassay.model.protocols.values import errors
from kassay.model.protocols.values.groups import COMPLETING, PREPARING, STABLE
from kassay.model.protocols.values.requests import ZERO_BYTES, Config
from tests.model.protocols.coordinator.classic.statics import CHANGED, static_pair
from tests.model.protocols.coordinator.drive import Drive


def test_scenario_27_too_late_for_the_join_phase():
    drive = Drive()
    first, late = drive.stable(2)
    drive.join(first)
    for _ in range(3):
        drive.wait(4_000)
        drive.heartbeat(late)
    assert drive.classic.state == COMPLETING
    assert drive.join(late).error == errors.UNKNOWN_MEMBER_ID


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


def test_scenario_57b_a_static_member_that_misses_the_join_phase_stays():
    drive, static, dynamic = static_pair(session_timeout=60_000)
    drive.join(dynamic, metadata=CHANGED)
    drive.wait(12_000)
    assert drive.classic.state == COMPLETING
    assert drive.member(static).group_instance_id == "i"
    assert drive.classic.leader == dynamic


def test_a_late_sync_group_of_a_lost_generation_leaves_everybody_with_nothing():
    """What random worlds found (docs/networks.md): the number is used again, with another leader."""
    drive = Drive()
    drive.stable()
    leader = drive.classic.leader
    (follower,) = {member.member_id for member in drive.classic.members} - {leader}
    drive.join(leader), drive.join(follower)
    lost = drive.classic.generation
    drive.reload()
    drive.leave(leader)
    drive.join(follower)
    assert (drive.classic.generation, drive.classic.leader) == (lost, follower)
    late = drive.sync(follower, generation_id=lost)
    assert (late.error, drive.classic.state) == (errors.NONE, STABLE)
    assert late.assignment == ZERO_BYTES
    assert drive.heartbeat(follower) == errors.NONE


def votes(*lists: tuple[str, ...]) -> str:
    drive = Drive()
    members = [drive.join("", *names).member_id for names in lists]
    for member, names in zip(members, lists):
        drive.join(member, *names)
    drive.wait(0)
    return drive.classic.protocol


def test_scenario_49_the_protocol_is_what_most_put_first_among_what_all_know():
    assert votes(("a", "b"), ("a", "b"), ("b", "a")) == "a"
    assert votes(("b", "a"), ("b", "a"), ("a", "b")) == "b", "no choice where one has the most votes"
    assert votes(("a", "b"), ("a", "b"), ("b",)) == "b"
