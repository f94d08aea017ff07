"""StreamsGroupHeartbeat of members that stay."""

from __future__ import annotations

import pytest

from kassay.model.protocols.values.streams import (
    StreamsHeartbeat,
    StreamsSubtopology,
    StreamsTopology,
    TaskRoles,
)
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, COUNTS, TOPICS, Threads, tasks


def test_what_was_told_of_an_endpoint_is_kept_until_its_member_or_its_tasks_change():
    """`EndpointToPartitionsManager` is asked once: what is kept stays although a topic grows."""
    threads = Threads()
    threads.join("a", endpoint="host:1")
    told = threads.beat("a", endpoint_epoch=-1)
    assert threads.group.endpoints
    kept = threads.group.endpoints
    threads.beat("a", endpoint_epoch=told.endpoint_epoch)
    assert threads.group.endpoints == kept


def test_the_first_member_makes_the_group():
    threads = Threads()
    reply = threads.join("a")
    assert (reply.error, reply.member_epoch, reply.tasks) == ("NONE", 2, TaskRoles(tasks(0, 1)))
    assert (threads.group.epoch, threads.group.target_epoch, threads.group.topology) == (2, 2, (COUNTS,))
    assert [order.timer.kind for order in threads.host.armed] == ["streams_session"]


def test_a_heartbeat_that_changes_nothing_writes_nothing():
    threads = Threads()
    threads.join("a")
    threads.join("b")
    threads.beat("a", TaskRoles(tasks(0)))
    threads.beat("b")
    threads.beat("b")
    assert not threads.happened.records


def test_a_group_is_made_by_epoch_0_alone():
    threads = Threads()
    assert threads.send(StreamsHeartbeat(7, "a", 1)).error == "GROUP_ID_NOT_FOUND"
    assert threads.leave("a").error == "GROUP_ID_NOT_FOUND"
    threads.join("a")
    assert threads.send(StreamsHeartbeat(7, "z", 1)).error == "UNKNOWN_MEMBER_ID"


def test_any_change_of_a_dynamic_member_bumps_and_of_a_static_one_only_some():
    for instance, bumps in (("", 1), ("i", 0)):
        threads = Threads()
        threads.join("a", group_instance_id=instance)
        threads.join("b")
        epoch = threads.group.epoch
        threads.beat("a", rebalance_timeout=1, group_instance_id=instance)
        assert threads.group.epoch == epoch + bumps
        threads.beat("a", rack="r", group_instance_id=instance)
        assert threads.group.epoch == epoch + bumps + 1


def test_topics_that_come_are_validated_and_bump_once():
    threads = Threads(topics={"foo": 2})
    reply = threads.join("a")
    assert (reply.status, reply.create) == (("MISSING_INTERNAL_TOPICS",), (("counts", 2),))
    assert (reply.tasks, threads.group.validated_topology_epoch) == (TaskRoles(), -1)
    epoch = threads.group.epoch
    threads.topics(**TOPICS)
    assert threads.beat("a").tasks == TaskRoles(tasks(0, 1))
    assert (threads.group.epoch, threads.group.validated_topology_epoch) == (epoch + 1, 1)


def test_a_topology_of_an_older_epoch_is_told_to_be_stale_and_another_one_refused():
    threads = Threads()
    newer = COUNTS._replace(epoch=2)
    threads.join("a", topology=newer)
    assert threads.join("b", topology=COUNTS).status == ("STALE_TOPOLOGY",)
    assert threads.beat("b").status == ("STALE_TOPOLOGY",)
    assert threads.beat("a").status == ()
    assert threads.join("c", topology=COUNTS._replace(epoch=3)).error == "INVALID_REQUEST"
    other = StreamsTopology(2, (StreamsSubtopology("0", sources=("foo",)),))
    assert threads.join("c", topology=other).error == "INVALID_REQUEST"
    ignoring = Threads(switches=frozenset({"streams_topology_ignored"}))
    ignoring.join("a", topology=newer)
    assert ignoring.join("c", topology=other).error == "NONE"


@pytest.mark.parametrize(("switches", "noticed"), [((), True), (("streams_topics_unwatched",), False)])
def test_partitions_that_are_added_become_tasks(switches, noticed):
    threads = Threads(switches=frozenset(switches))
    threads.join("a")
    threads.join("b")
    threads.topics(foo=3, counts=3)
    threads.beat("b")
    assert (dict(threads.group.remembered.configured[0].tasks) == {"0": 3}) is noticed


def test_a_shutdown_is_told_to_everybody_until_the_group_is_empty():
    threads = Threads()
    threads.join("a")
    threads.join("b")
    assert threads.beat("a", shutdown=True).status == ("SHUTDOWN_APPLICATION",)
    assert threads.beat("b").status == ("SHUTDOWN_APPLICATION",)
    threads.leave("a")
    assert threads.beat("b").status == ("SHUTDOWN_APPLICATION",)
    threads.leave("b")
    assert threads.join("c").status == ()


def test_a_client_without_the_tags_that_assignments_go_by_is_told():
    threads = Threads(AT_ONCE._replace(rack_aware_tags=("zone",)))
    assert threads.join("a").status == ("MISSING_CLIENT_TAGS",)
    assert threads.join("b", tags=(("zone", "z"),)).status == ()
    assert threads.join("c", api_version=0).status == ()


def test_a_static_member_that_is_there_is_not_replaced_and_its_memory_moves_all_the_same():
    threads = Threads(AT_ONCE._replace(num_warmup_replicas=2))
    threads.join("a")
    threads.join("b", group_instance_id="i")
    refused = threads.join("c", group_instance_id="i")
    assert refused.error == "UNRELEASED_INSTANCE_ID"
    (refined,) = threads.group.remembered.refined
    assert [name for name, _ in refined.target] == ["a", "c"]


def test_a_write_that_fails_is_undone_but_for_timers_and_what_is_in_memory():
    threads = Threads()
    threads.join("a")
    before = threads.group
    assert threads.join("b", endpoint="host:2", write_fails="NOT_ENOUGH_REPLICAS").error == (
        "COORDINATOR_NOT_AVAILABLE"
    )
    assert threads.group.members == before.members and threads.group.epoch == before.epoch
    assert threads.group.endpoint_epoch == before.endpoint_epoch + 1
    assert [order.timer.member_id for order in threads.host.armed] == ["a", "b"]
