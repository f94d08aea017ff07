"""From the JSON of the traces to values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.engines.vectors.protocol.codec import (
    Images,
    config_of,
    event_of,
    metadata_of,
    partitions_of,
    release_named,
)
from kassay.engines.vectors.protocol.shapes import ConfigShape, MetadataShape
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.model.protocols.values import requests
from kassay.reading.values import read_as
from tests.engines.vectors.protocol.traced import read_step, some, step

topics = st.dictionaries(st.sampled_from("abc"), st.integers(1, 3), max_size=3)


@given(st.lists(topics, max_size=6))
def test_a_topic_that_comes_back_has_an_id_of_its_own_and_one_that_stays_keeps_it(published):
    images, seen, last = Images(), set(), {}
    for named in published:
        image = images.publish(named)
        assert [(topic.name, topic.partitions) for topic in image] == sorted(named.items())
        ids = {topic.name: topic.topic_id for topic in image}
        for name, topic_id in ids.items():
            if name in last:
                assert topic_id == last[name]
            else:
                assert topic_id not in seen
        seen |= set(ids.values())
        last = ids


@pytest.mark.slow
def test_every_event_of_the_traces_is_read_with_its_number_and_nothing_lost():
    kinds = set()
    for trace in some():
        images = Images()
        images.publish(trace["topics"])
        for document in trace["steps"]:
            event = document["event"]
            if event["event"] in ("advance", "flush", "reload", "defer"):
                continue
            request = event_of(read_step(document), images)
            kinds.add(type(request))
            if isinstance(request, requests.MetadataChanged):
                assert {topic.name: topic.partitions for topic in request.image} == event["topics"]
                continue
            assert request[0] == document["i"]
            if isinstance(request, requests.JoinGroup):
                assert [name for name, _ in request.protocols] == [name for name, _ in event["protocols"]]
                assert (request.member_id, request.client_id) == (event["member"], event["client"])
            if isinstance(request, requests.ConsumerHeartbeat):
                assert (request.member_epoch, request.subscribed_topic_names is None) == (
                    event["epoch"],
                    event["subscribed"] is None,
                )
                assert request.topic_partitions == (
                    None if event["owned"] is None else partitions_of(event["owned"])
                )
    assert {requests.JoinGroup, requests.SyncGroup, requests.ConsumerHeartbeat} < kinds
    assert len(kinds) == 7


@pytest.mark.parametrize(
    ("policy", "upgrade", "downgrade"),
    [
        ("DISABLED", False, False),
        ("UPGRADE", True, False),
        ("DOWNGRADE", False, True),
        ("BIDIRECTIONAL", True, True),
    ],
)
def test_a_policy_says_which_way_a_group_may_go(policy, upgrade, downgrade):
    document = {**some()[0]["config"], "migration_policy": policy}
    config = config_of(read_as(ConfigShape, document, "config"), "2024-10")
    assert (config.upgrade, config.downgrade) == (upgrade, downgrade)
    assert config.classic_max_size == some()[0]["config"]["classic_max_size"]


@pytest.mark.parametrize(
    ("version", "release"),
    [
        ("", "4.4.0"),
        ("4.4", "4.4.0"),
        ("branch 4.4, 8d3916cfe15f", "4.4.0"),
        ("4.3.1", "4.3.1"),
        ("4.0.2", "4.0.2"),
        ("trunk 1eb7644349cb, 2024-10-25 (4.0.0-SNAPSHOT)", "2024-10"),
    ],
)
def test_a_header_names_a_release(version, release):
    assert release_named(version) == release


@pytest.mark.parametrize("version", ["4.5.0", "4.40", "14.4", "3.9"])
def test_a_release_without_a_coordinator_is_refused(version):
    with pytest.raises(InputError, match=r"expected a coordinator of 4\.4\.0, 4\.3\.1, .* or 2024-10"):
        release_named(version)


def test_metadata_of_an_old_version_has_the_defaults_of_what_it_does_not_know():
    assert metadata_of(MetadataShape(topics=("t",))) == requests.Subscription(("t",), version=0)
    full = MetadataShape(topics=("t",), owned={"t": (1, 0)}, generation=4, version=2)
    assert metadata_of(full) == requests.Subscription(
        ("t",), (TopicPartition("t", 0), TopicPartition("t", 1)), 4, version=2
    )
    assert metadata_of(MetadataShape(raw="x")) == requests.RawMetadata("x")


def test_a_string_that_is_absent_is_not_one_that_is_empty():
    images = Images()
    leave = {
        "event": "leave",
        "members": [{"member": "a", "instance": None}, {"member": "b", "instance": ""}],
    }
    request = event_of(step({}, event=leave), images)
    assert request.members == (("a", ""), ("b", " "))
    with pytest.raises(InputError, match=r"^step 3: event 'applaud', expected one of commit, "):
        event_of(step({}, event={"event": "applaud"}), images)
