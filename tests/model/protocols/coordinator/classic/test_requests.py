"""The classic coordinator over a failover: what is on disk, when it is ready, and what it forgets."""

from __future__ import annotations

from kassay.model.explore.states import Interned
from kassay.model.protocols.values import errors
from kassay.model.protocols.values.groups import STABLE
from tests.model.protocols.coordinator.classic.statics import waiting_static
from tests.model.protocols.coordinator.drive import Drive, tps


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


def test_parked_in_stable_is_not_answered_by_a_failover():
    drive, _, parked = waiting_static()
    drive.reload()
    assert parked not in drive.replies
