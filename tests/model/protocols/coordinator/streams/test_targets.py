"""Targets of Streams groups: when they are computed, and out of what."""

from __future__ import annotations

import pytest

from kassay.model.protocols.values.streams.config import StreamsConfigured
from kassay.model.protocols.values.streams.tasks import TaskRoles
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, TOPICS, Threads, tasks


def test_the_assignor_is_asked_about_everybody_with_their_state():
    threads = Threads(AT_ONCE._replace(num_standby_replicas=1, rack_aware_tags=("zone",)))
    threads.join("b", rack="r", tags=(("zone", "z"),), task_offsets=((tasks(1)[0], 9),))
    threads.join("a", process_id="p-b")
    (first, second) = threads.choices.asked
    assert [member.member_id for member in first.members] == ["b"]
    a, b = second.members
    assert (a.process_id, a.active, b.active) == ("p-b", (), tasks(0, 1))
    assert (b.rack, b.tags) == ("r", (("zone", "z"),))
    assert (second.subtopologies, second.standby_replicas) == ((("0", 2, True),), 1)
    assert second.rack_aware_tags == ("zone",)
    assert b.offsets == (), "a group that is new remembers nothing of its first heartbeat"


def test_a_new_target_waits_for_the_interval_and_survives_a_failover():
    threads = Threads(AT_ONCE._replace(assignment_interval=1_000))
    threads.join("a")
    for reload in (False, True):
        name = f"b{reload}"
        assert threads.join(name).status == ("ASSIGNMENT_DELAYED",)
        assert (threads.member(name).epoch, threads.member(name).assigned.active) == (
            threads.group.target_epoch,
            (),
        )
        threads.advance(400)
        if reload:
            threads.reload()
        assert threads.beat("a").status == ("ASSIGNMENT_DELAYED",)
        threads.advance(600)
        assert threads.beat("a").status == ()
        assert threads.group.target_epoch == threads.group.epoch


def test_the_target_of_a_group_that_was_empty_waits_for_no_interval():
    threads = Threads(AT_ONCE._replace(assignment_interval=1_000))
    threads.join("a")
    threads.leave("a")
    assert threads.group.target_epoch == threads.group.epoch
    assert threads.join("b").tasks == TaskRoles(tasks(0, 1))


DELAYED = AT_ONCE._replace(initial_rebalance_delay=3_000)


def test_the_first_members_are_assigned_to_together_once_the_delay_is_over():
    threads = Threads(DELAYED)
    assert threads.join("a").status == ("ASSIGNMENT_DELAYED",)
    threads.advance(1_000)
    threads.join("b")
    assert not threads.choices.asked
    threads.advance(2_000)
    (asked,) = threads.choices.asked
    assert [member.member_id for member in asked.members] == ["a", "b"]
    assert threads.beat("a").tasks == TaskRoles(tasks(0))
    assert threads.beat("b").tasks == TaskRoles(tasks(1))


def test_a_failover_ends_the_delay_and_nobody_is_forgotten():
    threads = Threads(DELAYED)
    threads.join("a")
    threads.reload()
    assert threads.beat("a").tasks == TaskRoles(tasks(0, 1))


def test_a_delay_that_ends_in_an_empty_group_does_nothing():
    threads = Threads(DELAYED)
    threads.join("a")
    threads.leave("a")
    threads.advance(3_000)
    assert [timer.kind for timer in threads.happened.fired] == ["initial_rebalance"]
    assert not threads.happened.records and not threads.choices.asked
    assert not threads.group.delayed


@pytest.mark.parametrize("warmups", [0, 2])
def test_a_static_member_may_be_replaced_while_the_delay_runs_and_nobody_is_led_anywhere(warmups):
    threads = Threads(DELAYED._replace(num_warmup_replicas=warmups))
    threads.join("a", group_instance_id="i")
    threads.beat("a", group_instance_id="i")
    threads.leave("a", -2, group_instance_id="i")
    assert threads.join("b", group_instance_id="i").status == ("ASSIGNMENT_DELAYED",)
    assert all(tasks is not None for step in threads.group.remembered.refined for _, tasks in step.target)
    threads.advance(3_000)
    assert threads.beat("b", group_instance_id="i").tasks == TaskRoles(tasks(0, 1))


def test_a_delay_that_ends_where_a_topic_is_missing_leads_nobody_anywhere():
    threads = Threads(DELAYED, topics={"counts": 2})
    assert set(threads.join("a").status) == {"ASSIGNMENT_DELAYED", "MISSING_SOURCE_TOPICS"}
    threads.advance(3_000)
    assert [timer.kind for timer in threads.happened.fired] == ["initial_rebalance"]
    assert not threads.choices.asked
    threads.topics(**TOPICS)
    assert threads.beat("a").tasks == TaskRoles(tasks(0, 1))


def test_a_delay_without_end_by_a_switch():
    threads = Threads(DELAYED, switches=frozenset({"streams_delay_without_end"}))
    threads.join("a")
    threads.advance(3_000)
    assert threads.beat("a").status == ("ASSIGNMENT_DELAYED",)


WARM = AT_ONCE._replace(num_warmup_replicas=2)


def test_what_members_are_led_towards_is_kept_for_its_epoch():
    threads = Threads(WARM)
    threads.join("a")
    assert not threads.group.remembered.refined, (
        "a group that is new remembers nothing of its first heartbeat"
    )
    threads.join("b")
    (refined,) = threads.group.remembered.refined
    assert (refined.epoch, refined.target) == (threads.group.epoch, threads.group.target)
    threads.leave("b")
    threads.beat("a")
    (refined,) = threads.group.remembered.refined
    assert refined.epoch == threads.group.target_epoch == threads.group.epoch


@pytest.mark.parametrize(("switches", "kept"), [((), True), (("streams_refined_not_relabelled",), False)])
def test_it_passes_on_to_who_comes_for_a_static_member(switches, kept):
    threads = Threads(WARM, switches=frozenset(switches))
    threads.join("a")
    threads.join("b", group_instance_id="i")
    threads.beat("a", TaskRoles(tasks(0)))
    threads.beat("b")
    threads.leave("b", -2, group_instance_id="i")
    reply = threads.join("c", group_instance_id="i", process_id="p-b")
    assert (reply.tasks == TaskRoles(tasks(1))) is kept


def test_an_old_one_is_followed_by_a_switch():
    threads = Threads(WARM, switches=frozenset({"streams_refined_kept"}))
    threads.join("a")
    threads.join("b")
    threads.leave("b")
    threads.beat("a")
    assert threads.member("a").assigned.active == tasks(0)


@pytest.mark.parametrize(("switches", "kept"), [((), True), (("streams_static_target_lost",), False)])
def test_the_target_passes_on_to_who_comes_for_a_static_member(switches, kept):
    threads = Threads(switches=frozenset(switches))
    threads.join("a", group_instance_id="i")
    threads.leave("a", -2, group_instance_id="i")
    reply = threads.join("b", group_instance_id="i", process_id="p-a")
    assert (reply.tasks == TaskRoles(tasks(0, 1))) is kept


def test_other_settings_of_the_group_are_assigned_to_anew_at_the_next_heartbeat():
    threads = Threads()
    threads.join("a")
    threads.beat("a")
    asked = len(threads.choices.asked)
    threads.beat("a")
    assert len(threads.choices.asked) == asked
    threads.send(StreamsConfigured(AT_ONCE._replace(num_standby_replicas=1)))
    threads.beat("a")
    assert threads.choices.asked[asked].standby_replicas == 1
    assert dict(threads.group.configs) == {"num.standby.replicas": "1"}
