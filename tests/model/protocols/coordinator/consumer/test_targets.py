"""When a group's target is computed: at once, after the interval, or in the background."""

from __future__ import annotations

from kassay.model.protocols.coordinator.consumer.group import group_state
from kassay.model.protocols.values.background import TargetApplied
from kassay.model.protocols.values.groups import ASSIGNING
from kassay.model.protocols.values.requests import Config
from tests.model.protocols.coordinator.consumer.heartbeats import ack
from tests.model.protocols.coordinator.drive import Drive, tps

BATCHING = Config(assignment_interval=1_000)


def test_the_first_target_waits_for_nothing_and_the_next_for_the_interval():
    drive = Drive(BATCHING)
    assert drive.modern("a").assignment == tps(0, 1, 2, 3)
    joined = drive.modern("b")
    assert (joined.member_epoch, joined.assignment) == (2, ()), "b is led to the target of epoch 2"
    assert group_state(drive.consumer) == ASSIGNING
    drive.wait(999)
    ack(drive, "a")
    assert drive.consumer.target_epoch == 2
    drive.wait(1)
    assert drive.consumer.target_epoch == 2, "no timer computes it"
    ack(drive, "a")
    assert drive.consumer.target_epoch == drive.consumer.epoch == 3
    assert drive.member("a").pending == tps(1, 3)


def test_a_failover_does_not_end_the_interval():
    drive = Drive(BATCHING)
    drive.modern("a"), drive.modern("b")
    drive.reload()
    ack(drive, "a")
    assert group_state(drive.consumer) == ASSIGNING
    drive.wait(1_000)
    ack(drive, "a")
    assert group_state(drive.consumer) != ASSIGNING


def test_a_group_that_was_empty_waits_for_no_interval():
    drive = Drive(BATCHING)
    drive.modern("a")
    drive.modern("a", -1)
    assert drive.modern("b").assignment == tps(0, 1, 2, 3)


def test_older_brokers_know_no_interval():
    drive = Drive(BATCHING._replace(switches=frozenset({"targets_at_once"})))
    drive.modern("a"), drive.modern("b")
    assert drive.consumer.target_epoch == drive.consumer.epoch


def applied(drive: Drive) -> None:
    drive.note(drive.runtime.deliver(drive.host, TargetApplied()))


def test_an_offloaded_target_is_written_when_it_is_ready():
    drive = Drive(Config(offload=True))
    assert drive.modern("a").assignment == ()
    assert (drive.consumer.epoch, drive.consumer.target_epoch) == (2, 1)
    drive.modern("b")
    applied(drive)
    assert drive.consumer.target_epoch == 2, "the target of the group as it was when it was begun"
    assert dict(drive.consumer.target) == {"a": tps(0, 1, 2, 3)}
    assert drive.modern("a", 1).assignment == tps(0, 1, 2, 3)
    applied(drive)
    assert drive.consumer.target_epoch == 3


def test_an_offloaded_target_leaves_out_who_is_gone_and_is_given_to_who_came_in_a_static_place():
    drive = Drive(Config(offload=True))
    drive.modern("a", group_instance_id="i"), drive.modern("b")
    applied(drive)
    drive.modern("b", 1)
    drive.modern("b", -1), drive.modern("a", -2, group_instance_id="i")
    drive.modern("c", group_instance_id="i")
    applied(drive)
    assert dict(drive.consumer.target) == {"c": tps(0, 2)}, "not all four, which its predecessor had before"


def test_an_offloaded_target_that_is_what_it_was_is_not_written_again():
    """`TargetAssignmentBuilder`: a record for each member whose target is another."""
    drive = Drive(Config(offload=True))
    drive.choices.targets = {"a": tps(0, 1), "b": tps(2, 3)}
    drive.modern("a")
    applied(drive)
    drive.modern("b"), drive.modern("b", 1)
    written = len(drive.records)
    applied(drive)
    assert [record.key for record in drive.records[written:]] == [("target", "b"), ("target_epoch", "")]


def test_an_offloaded_target_of_a_group_that_was_empty_in_between_is_dropped():
    drive = Drive(Config(offload=True))
    drive.modern("a"), drive.modern("a", -1)
    before = drive.consumer
    applied(drive)
    assert drive.consumer == before


def test_a_target_that_was_begun_by_a_heartbeat_that_could_not_be_written_is_dropped_with_its_epoch():
    drive = Drive(Config(offload=True))
    drive.modern("a", write_fails="NOT_ENOUGH_REPLICAS")
    drive.modern("b", subscribed_topic_names=("foo",))
    applied(drive)
    assert set(dict(drive.consumer.target)) == {"b"}
