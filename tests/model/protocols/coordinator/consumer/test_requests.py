"""The consumer group coordinator over a failover and a failed write."""

from __future__ import annotations

from kassay.model.protocols.values import errors, requests
from tests.model.protocols.coordinator.consumer.heartbeats import (
    ack,
    settle,
    split,
)
from tests.model.protocols.coordinator.drive import tps


def test_scenario_65_failover_while_revoking_starts_the_timer_again():
    drive = split()
    ack(drive, "a")
    drive.wait(20_000)
    before = drive.consumer
    drive.reload()
    assert drive.consumer == before
    assert drive.due(requests.REVOCATION, "a") == 50_000
    assert drive.due(requests.CONSUMER_SESSION, "b") == 65_000
    settle(drive)


def test_a_failed_write_undoes_the_group_but_not_the_timers():
    drive = split()
    before = drive.consumer
    reply = drive.modern("a", 1, topic_partitions=tps(0, 1, 2, 3), write_fails="NOT_ENOUGH_REPLICAS")
    assert reply.error == errors.COORDINATOR_NOT_AVAILABLE
    assert drive.consumer == before
    assert drive.due(requests.REVOCATION, "a") == 30_000
