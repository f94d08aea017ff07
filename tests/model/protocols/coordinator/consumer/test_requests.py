"""The consumer group coordinator over a failover and a failed write."""

from __future__ import annotations

from kassay.model.protocols.coordinator.runtime import CoordinatorCall
from kassay.model.protocols.values import errors, requests
from tests.model.protocols.coordinator.consumer.heartbeats import ack, settle, split
from tests.model.protocols.coordinator.drive import tps


def test_scenario_65_failover_while_revoking_starts_the_timer_again():
    drive = split()
    ack(drive, "a")
    drive.wait(20_000)
    before = drive.consumer
    drive.reload()
    assert drive.consumer == before._replace(refreshed=())
    assert drive.due(requests.REVOCATION, "a") == 50_000
    assert drive.due(requests.CONSUMER_SESSION, "b") == 65_000
    settle(drive)


def test_a_failed_write_undoes_the_group_but_not_the_timers():
    drive = split()
    before = drive.consumer
    reply = drive.modern("a", 2, topic_partitions=tps(0, 1, 2, 3), write_fails="NOT_ENOUGH_REPLICAS")
    assert reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert drive.consumer == before
    assert drive.due(requests.REVOCATION, "a") == 30_000


def test_a_removal_by_a_timer_that_cannot_be_written_is_tried_again():
    drive = split()
    ack(drive, "a")
    drive.wait(29_999)
    runtime, host = drive.runtime, drive.host.later(1)
    (order,) = (order for order in host.armed if order.timer.kind == requests.REVOCATION)
    call = CoordinatorCall(runtime, host.without(order))
    call.take(requests.TimerFired(order.timer, order.payload), "NOT_ENOUGH_REPLICAS")
    assert call.host.state == drive.host.state
    armed = {after.timer: (after.due, after.payload) for after in call.host.armed}
    assert armed[order.timer] == (requests.RETRY_BACKOFF, order.payload)
    assert requests.Timer(requests.CONSUMER_SESSION, "a") not in armed
    drive.host = call.host
    drive.wait(requests.RETRY_BACKOFF)
    assert [member.member_id for member in drive.consumer.members] == ["b"]


def test_a_leave_that_cannot_be_written_leaves_a_member_that_nobody_watches():
    drive = split()
    reply = drive.modern("b", -1, write_fails="NOT_ENOUGH_REPLICAS")
    assert reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert {member.member_id for member in drive.consumer.members} == {"a", "b"}
    assert drive.due(requests.CONSUMER_SESSION, "b") is None
    for _ in range(30):
        ack(drive, "a")
        drive.wait(10_000)
    assert {member.member_id for member in drive.consumer.members} == {"a", "b"}
    drive.reload()
    for _ in range(5):
        ack(drive, "a")
        drive.wait(10_000)
    assert {member.member_id for member in drive.consumer.members} == {"a"}
