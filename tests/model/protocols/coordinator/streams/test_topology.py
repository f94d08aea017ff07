"""Topologies against the topics that exist.

What can be asked for where.
"""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import TopicPartition
from kassay.model.protocols.coordinator.consumer.group import Refused
from kassay.model.protocols.coordinator.streams.topology import configure
from kassay.model.protocols.values.requests import image_of
from kassay.model.protocols.values.streams import CopartitionGroup, StreamsSubtopology, StreamsTopology
from tests.model.protocols.coordinator.streams.threads import AT_ONCE, COUNTS, Threads


def configured(counts, *parts):
    return configure(StreamsTopology(1, parts), image_of(counts.items()))


WRITES = StreamsSubtopology("0", sources=("words",), repartition_sinks=("by-word",))
READS = StreamsSubtopology("1", changelogs=("counts",), repartition_sources=(("by-word", 0),))


@given(st.integers(1, 5), st.integers(1, 5))
def test_there_are_as_many_tasks_as_the_widest_input_has_partitions(a, b):
    part = StreamsSubtopology("0", sources=("a", "b"), changelogs=("state",))
    assert configured({"a": a, "b": b, "state": max(a, b)}, part).tasks == (("0", max(a, b)),)


@given(st.integers(1, 5))
def test_internal_topics_that_are_missing_are_to_be_made_as_wide_as_who_writes_them(count):
    verdict = configured({"words": count}, WRITES, READS)
    assert (verdict.status, verdict.create) == (
        "MISSING_INTERNAL_TOPICS",
        (("by-word", count), ("counts", count)),
    )
    made = configured({"words": count, **dict(verdict.create)}, WRITES, READS)
    assert made.ready and made.tasks == verdict.tasks == (("0", count), ("1", count))


def test_without_its_sources_nothing_can_be_counted():
    verdict = configured({"by-word": 2}, WRITES, READS)
    assert (verdict.status, verdict.counted, verdict.tasks) == ("MISSING_SOURCE_TOPICS", False, ())


def test_an_internal_topic_of_another_width_is_amiss():
    assert configured({"words": 2, "by-word": 2, "counts": 3}, WRITES, READS).status == (
        "INCORRECTLY_PARTITIONED_TOPICS"
    )


@pytest.mark.parametrize("names", list(permutations("012")))
def test_a_topic_may_follow_from_one_that_itself_follows_from_another(names):
    """In whichever order they are looked at: what cannot be counted yet is, once another one is."""
    first, second, third = names
    parts = (
        StreamsSubtopology(first, sources=("words",), repartition_sinks=("one",)),
        StreamsSubtopology(second, repartition_sources=(("one", 0),), repartition_sinks=("two",)),
        StreamsSubtopology(third, repartition_sources=(("two", 0),), repartition_sinks=("three",)),
    )
    reads = StreamsSubtopology("3", repartition_sources=(("three", 0),))
    assert dict(configured({"words": 3}, *parts, reads).tasks) == dict.fromkeys("0123", 3)


def test_joined_topics_of_which_there_are_none_ask_for_nothing():
    part = StreamsSubtopology("0", sources=("words",), copartition=(CopartitionGroup(),))
    assert configured({"words": 2}, part).ready


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 3))
def test_inputs_that_are_joined_agree_or_the_topology_is_not_ready(a, b, fixed):
    joined = StreamsSubtopology(
        "0",
        sources=("a", "b"),
        repartition_sinks=("c",),
        repartition_sources=(("c", fixed),),
        copartition=(CopartitionGroup((0, 1), (0,)),),
    )
    verdict = configured({"a": a, "b": b}, joined)
    agree = a == b and fixed in (0, a)
    assert verdict.status == ("MISSING_INTERNAL_TOPICS" if agree else "INCORRECTLY_PARTITIONED_TOPICS")
    assert verdict.create == ((("c", a),) if agree else ())


def test_repartition_topics_joined_among_themselves_are_as_wide_as_the_widest():
    one = StreamsSubtopology("0", sources=("a",), repartition_sinks=("r",))
    two = StreamsSubtopology("1", sources=("b",), repartition_sinks=("s",))
    both = StreamsSubtopology(
        "2", repartition_sources=(("r", 0), ("s", 0)), copartition=(CopartitionGroup((), (0, 1)),)
    )
    assert dict(configured({"a": 2, "b": 5}, one, two, both).create) == {"r": 5, "s": 5}


@pytest.mark.parametrize(
    "parts",
    [
        (READS,),
        (StreamsSubtopology("0", repartition_sinks=("r",), repartition_sources=(("r", 0),)),),
        (StreamsSubtopology("0"),),
    ],
    ids=["nobody writes it", "a loop", "no inputs"],
)
def test_a_topology_that_no_topics_could_satisfy_is_refused(parts):
    with pytest.raises(Refused, match="STREAMS_INVALID_TOPOLOGY"):
        configured({"words": 1}, *parts)


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
