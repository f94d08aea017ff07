"""What can be asked for where."""

from __future__ import annotations

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.values.streams.topology import StreamsSubtopology, StreamsTopology
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, COUNTS, Threads


def test_a_heartbeat_that_knows_of_no_change_is_told_nothing():
    threads = Threads()
    reply = threads.join("a", endpoint="host:1")
    assert [each.endpoint for each in reply.endpoints] == ["host:1"]
    assert reply.endpoint_epoch == 0, "the count of a group that is new is not yet told"
    reply = threads.join("b", endpoint="host:2")
    assert reply.endpoint_epoch == threads.group.endpoint_epoch == 1
    assert threads.beat("b", endpoint_epoch=1).endpoints is None


def test_a_change_of_tasks_is_counted_for_members_with_an_endpoint_alone():
    threads = Threads()
    threads.join("a")
    threads.join("b", endpoint="host:2")
    count = threads.group.endpoint_epoch
    threads.beat("a", threads.member("a").assigned.roles._replace(active=()))
    assert threads.group.endpoint_epoch == count
    reply = threads.beat("b")
    assert threads.group.endpoint_epoch == count + 1
    (endpoint,) = reply.endpoints
    assert endpoint.active == (TopicPartition("foo", 1),)


def test_copies_are_told_apart_from_active_tasks():
    threads = Threads(AT_ONCE)
    threads.join("a", endpoint="host:1")
    (endpoint,) = threads.beat("a", endpoint_epoch=-1).endpoints
    assert [tp.partition for tp in endpoint.active] == [0, 1]
    assert endpoint.standby == ()


def test_a_task_reads_no_partition_that_its_topic_does_not_have():
    wide = StreamsTopology(1, (StreamsSubtopology("0", sources=("foo", "bar")),))
    threads = Threads(topics={"foo": 2, "bar": 1})
    (endpoint,) = threads.join("a", topology=wide, endpoint="host:1").endpoints
    assert endpoint.active == (TopicPartition("bar", 0), TopicPartition("foo", 0), TopicPartition("foo", 1))


def test_where_tasks_cannot_be_counted_the_coordinator_stumbles_and_keeps_the_count():
    threads = Threads(topics={"counts": 2})
    assert threads.join("a").status == ("MISSING_SOURCE_TOPICS",)
    before = threads.group
    assert threads.join("b", endpoint="host:2").error == "UNKNOWN_SERVER_ERROR"
    assert threads.group.endpoint_epoch == before.endpoint_epoch + 1
    assert threads.group.members == before.members
    assert not threads.happened.records


def test_endpoints_are_kept_back_by_a_switch():
    threads = Threads(switches=frozenset({"streams_endpoints_kept"}))
    threads.join("a")
    threads.join("b", endpoint="host:2")
    count = threads.group.endpoint_epoch
    threads.beat("a", threads.member("a").assigned.roles._replace(active=()))
    threads.beat("b")
    assert threads.member("b").assigned.active and threads.group.endpoint_epoch == count


def test_an_endpoint_is_that_of_the_last_join():
    threads = Threads()
    threads.join("a", endpoint="host:1")
    threads.beat("a", endpoint="host:9")
    assert threads.member("a").endpoint == "host:9"
    threads.beat("a")
    assert threads.member("a").endpoint == "host:9"
    threads.join("a", topology=COUNTS)
    assert threads.member("a").endpoint == ""
