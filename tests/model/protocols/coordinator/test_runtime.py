"""What is around a coordinator: writes that are acknowledged late or fail, and time that stops at timers."""

from __future__ import annotations

import pytest

from kassay.model.protocols.coordinator.runtime import (
    ClockedRuntime,
    CoordinatorCall,
    appends,
    by_due,
    rearmed,
    timeless,
)
from kassay.model.protocols.values import errors, requests
from kassay.model.protocols.values import records as r
from kassay.model.protocols.values.groups import COMPLETING, EMPTY, PREPARING, STABLE, Persist
from kassay.model.protocols.values.records import LogRecord
from kassay.model.protocols.values.requests import CancelTimer, SetTimer, Timer
from tests.model.protocols.coordinator.drive import EAGER, Drive, FirstChoices, in_state, tps

A, B = Timer("session", "a"), Timer("session", "b")


def test_timers_come_by_due_time_and_arming_anew_replaces():
    armed = rearmed((), [SetTimer(B, 5), SetTimer(A, 5), SetTimer(Timer("join"), 3)])
    assert [order.timer for order in armed] == [Timer("join"), B, A]
    assert [order.timer for order in by_due(armed)] == [Timer("join"), A, B]
    assert timeless(armed) == (SetTimer(Timer("join"), 0), SetTimer(A, 0), SetTimer(B, 0))
    assert rearmed(armed, [SetTimer(B, 9, if_absent=True), CancelTimer(Timer("sync"))]) is armed
    assert rearmed(armed, [SetTimer(B, 2), CancelTimer(A)]) == (SetTimer(B, 2), SetTimer(Timer("join"), 3))


def test_a_write_of_no_records_cannot_fail():
    """A SyncGroup in a consumer group: it is answered once all writes before it are acknowledged."""
    record = LogRecord((r.EPOCH, ""), 1)
    assert not appends((SetTimer(A, 5), Persist(())))
    assert appends((SetTimer(A, 5), Persist((record,))))


def test_time_stops_where_a_timer_is_due():
    runtime = ClockedRuntime(EAGER, FirstChoices())
    host = runtime.first(())._replace(armed=(SetTimer(A, 4), SetTimer(B, 4), SetTimer(Timer("join"), 9)))
    happened = runtime.advance(host, 100)
    assert (happened.elapsed, happened.fired) == (4, (A, B))
    assert happened.host.armed == (SetTimer(Timer("join"), 5),)
    assert runtime.advance(host, 100, lambda due: due[-1]).fired == (B, A)
    assert runtime.advance(host, 3).fired == ()


def test_the_write_of_a_timer_that_fires_can_fail():
    """The expired member stays, and its timer is armed again after the backoff."""
    runtime = ClockedRuntime(EAGER, FirstChoices())
    joins = requests.ConsumerHeartbeat(0, "m", 0, "", 5, ("foo",), "", ())
    host = runtime.deliver(runtime.first(requests.image_of({"foo": 1}.items())), joins).host
    (session,) = host.armed
    failed = runtime.advance(host, session.due, write_fails="NOT_ENOUGH_REPLICAS")
    assert (failed.fired, failed.records) == ((session.timer,), ())
    assert failed.host.armed == (session._replace(due=requests.RETRY_BACKOFF),)
    assert failed.host.state.group == host.state.group
    assert runtime.advance(host, session.due).host.armed == ()


def test_what_was_not_acknowledged_is_lost_when_the_coordinator_moves():
    drive, _, dynamic = in_state(STABLE)
    generation = drive.classic.generation
    drive.defer()
    assert drive.send(requests.OffsetCommit(0, dynamic, generation, ((tps(0)[0], 1),))) is None
    log = drive.host.log
    drive.reload()
    assert (drive.host.log, drive.host.waiting, drive.host.deferring) == (log, (), False)
    assert drive.sent not in drive.replies


def test_without_an_acknowledgement_answers_wait_and_errors_do_not():
    drive, _, dynamic = in_state(STABLE)
    generation = drive.classic.generation
    drive.defer()
    assert drive.send(requests.OffsetCommit(0, dynamic, generation, ((tps(0)[0], 1),))) is None
    waiting = drive.sent
    assert drive.send(requests.Heartbeat(0, dynamic, generation)) is None
    assert drive.heartbeat(dynamic, 0) == errors.ILLEGAL_GENERATION
    durable = drive.durable
    drive.flush()
    assert [drive.replies[waiting].error, drive.replies[waiting + 1].error] == [errors.NONE, errors.NONE]
    assert drive.durable == durable + 1


@pytest.mark.parametrize(
    ("write", "told"),
    [
        ("REQUEST_TIMED_OUT", errors.COORDINATOR_NOT_AVAILABLE),
        ("NOT_LEADER_OR_FOLLOWER", errors.NOT_COORDINATOR),
        ("MESSAGE_TOO_LARGE", errors.UNKNOWN_SERVER_ERROR),
        ("UNHEARD_OF", "UNHEARD_OF"),
    ],
)
def test_a_leaders_sync_that_cannot_be_written_starts_over(write, told):
    drive, static, dynamic = in_state(COMPLETING)
    drive.sync(dynamic)
    parked = drive.sent
    assert drive.sync(static, group_instance_id="i", write_fails=write).error == told
    assert drive.replies[parked].error == told
    assert drive.classic.state == PREPARING


def test_a_timer_of_a_classic_group_whose_write_fails_does_not_fire_again():
    """`GroupMetadataManager` schedules these without a retry, and all others with one."""
    drive = Drive()
    (only,) = drive.stable(1)
    (order,) = (order for order in drive.host.armed if order.timer == Timer(requests.SESSION, only))
    for write in ("", "NOT_ENOUGH_REPLICAS"):
        call = CoordinatorCall(drive.runtime, drive.host.without(order))
        call.take(requests.TimerFired(order.timer, order.payload), write)
        assert [record.key[0] for record in call.records] == ([] if write else ["group"])
        assert call.host.armed == ()


def test_a_write_that_ends_late_finds_whatever_became_of_the_group():
    """A leader's assignment, and a static member that came back, acknowledged once the group is another."""
    drive, static, dynamic = in_state(COMPLETING)
    drive.defer()
    for _ in range(2):
        drive.sync(static, {static: tps(0), dynamic: tps(1)}, group_instance_id="i")
    drive.flush()
    assert (drive.classic.state, drive.replies[drive.sent].error) == (STABLE, errors.NONE)
    for state in (COMPLETING, STABLE):
        drive, static, dynamic = in_state(state)
        drive.defer()
        if state == COMPLETING:
            drive.sync(static, {static: tps(0)}, group_instance_id="i")
        else:
            drive.join(group_instance_id="i")
        assert drive.host.waiting
        drive.leave(dynamic), drive.leave("", group_instance_id="i")
        assert drive.classic.state == EMPTY
        drive.flush()
        assert drive.classic.state == EMPTY and not drive.classic.members


def test_a_commit_that_cannot_be_written_makes_no_group():
    drive = Drive()
    commit = requests.OffsetCommit(0, "", -1, ((tps(0)[0], 1),))
    assert drive.send(commit, "NOT_ENOUGH_REPLICAS").error == errors.COORDINATOR_NOT_AVAILABLE
    assert drive.group is None
    assert drive.send(commit).error == errors.NONE
    assert drive.classic.state == EMPTY


def test_a_group_whose_first_write_fails_is_gone():
    drive = Drive()
    assert (
        drive.join(group_instance_id="i", write_fails="REQUEST_TIMED_OUT").error
        == errors.COORDINATOR_NOT_AVAILABLE
    )
    assert drive.group is None
    drive.wait(60_000)
    assert drive.group is None
