"""A live group, against a broker with recorded answers.

Run by `tox -e live`; without kafka-python 3 what needs it is skipped.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from kassay.engines.clusters.live import read_live
from kassay.engines.clusters.observed import observe
from kassay.model.cluster import TopicPartition
from kassay.reading.live.cluster import LiveCluster
from kassay.reading.live.settings import ClientSettings
from tests.cli.runner import here, one_line, valid
from tests.engines.clusters.broker import (
    API_VERSIONS,
    COMMITTED,
    CONSUMER_GROUP_DESCRIBE,
    DESCRIBE_GROUPS,
    END,
    FIND_COORDINATOR,
    LIST_GROUPS,
    LIST_OFFSETS,
    METADATA,
    OFFSET_FETCH,
    RecordedBroker,
    subscription,
)

MEMBERS = {"a": {"orders": [0, 1, 2], "refunds": [0]}, "b": {}}
TOPICS = {"orders": 4, "refunds": 1}


def needs_kafka_python():
    """Skip the test without kafka-python 3."""
    pytest.importorskip("kafka.protocol.consumer.metadata")
    pytest.importorskip("javaproperties")


def read(broker, group):
    """The inputs of the group of the broker."""
    with LiveCluster(broker.bootstrap, ClientSettings()) as cluster:
        return read_live(cluster, group)


@pytest.mark.live
def test_only_requests_that_read_arrive():
    needs_kafka_python()
    with RecordedBroker("billing", MEMBERS, TOPICS) as broker:
        group = observe(read(broker, "billing"))
    assert broker.asked == {
        API_VERSIONS,
        METADATA,
        FIND_COORDINATOR,
        CONSUMER_GROUP_DESCRIBE,
        DESCRIBE_GROUPS,
        OFFSET_FETCH,
        LIST_OFFSETS,
    }
    assert (group.name, group.strategy, group.is_consumer_group) == ("billing", "range", False)
    assert group.unowned == (TopicPartition("orders", 3),)
    assert group.cluster.replica_racks["orders"][0] == frozenset({"az-a"})
    assert {member.member_id: len(member.owned) for member in group.group.members} == {"a": 4, "b": 0}
    assert group.scales.lags == dict.fromkeys(
        [tp for tps in group.cluster.partitions.values() for tp in tps], END - COMMITTED
    )


@pytest.mark.live
def test_subscriptions_and_racks_of_a_classic_group_are_those_of_its_members():
    needs_kafka_python()
    said = {"a": subscription(["orders", "refunds"], "az-a"), "b": subscription(["orders"], None)}
    with RecordedBroker("billing", MEMBERS, TOPICS, subscribed=said) as broker:
        group = observe(read(broker, "billing"))
    assert [(each.topics, each.rack) for each in group.group.members] == [
        (("orders", "refunds"), "az-a"),
        (("orders",), None),
    ]
    assert (group.assumptions, group.gaps) == ((), ())


@pytest.mark.live
def test_what_a_library_writes_without_the_fields_of_its_version_still_has_topics():
    needs_kafka_python()
    short = b"\0\1" + subscription(["orders"], None, version=0)[2:]
    with RecordedBroker("billing", {"a": {"orders": [0]}}, TOPICS, subscribed={"a": short}) as broker:
        (member,) = observe(read(broker, "billing")).group.members
    assert (member.topics, member.rack) == (("orders",), None)


@pytest.mark.live
def test_what_if_and_scale_answer_from_a_live_group(tmp_path):
    needs_kafka_python()
    with RecordedBroker("billing", MEMBERS, TOPICS) as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "billing"]
        done = here("what-if", *live, "--to", "sticky", "--json", "-", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        document = valid(json.loads(done.stdout), "what-if-1")
        scaled = here("scale", *live, "--max-members", "2", cwd=tmp_path)
    assert document["today"]["unowned"] == [["orders", 3, "b"]]
    assert [path["from"] for path in document["paths"]] == ["partition.assignment.strategy=range"]
    assert "2 (today)" in scaled.stdout


@pytest.mark.live
@pytest.mark.parametrize(
    ("state", "warned"), [("PreparingRebalance", True), ("Stable", False), ("CompletingRebalance", True)]
)
def test_a_group_that_rebalances_is_warned_of(state, warned):
    needs_kafka_python()
    with RecordedBroker("g", MEMBERS, TOPICS, state=state) as broker:
        group = observe(read(broker, "g"))
    assert any("rebalancing" in each for each in group.warnings) is warned


TARGETS = {"a": {"orders": [0, 1], "refunds": [0]}, "b": {"orders": [2, 3]}}


@pytest.mark.live
def test_a_group_of_the_consumer_protocol_is_read_with_its_targets():
    needs_kafka_python()
    with RecordedBroker(
        "billing", MEMBERS, TOPICS, strategy="uniform", state="Reconciling", targets=TARGETS
    ) as broker:
        inputs = read(broker, "billing")
    assert DESCRIBE_GROUPS not in broker.asked
    (outputs,) = inputs.groups
    assert [(row.member, row.is_consumer, dict(sizes(row.target))) for row in outputs.members] == [
        ("a", True, {"orders": 2, "refunds": 1}),
        ("b", True, {"orders": 2}),
    ]
    assert outputs.states[0].state == "Reconciling"
    group = observe(inputs)
    assert (group.strategy, group.is_consumer_group) == ("uniform", True)
    assert any("rebalancing" in each for each in group.warnings)


def sizes(owned):
    return Counter(topic for topic, _ in owned)


@pytest.mark.live
@pytest.mark.parametrize("own", [MEMBERS, TARGETS], ids=["reconciling", "stable"])
def test_what_if_and_scale_answer_from_a_live_group_of_the_consumer_protocol(tmp_path, own):
    needs_kafka_python()
    state = "Stable" if own is TARGETS else "Assigning"
    with RecordedBroker("billing", own, TOPICS, strategy="uniform", state=state, targets=TARGETS) as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "billing"]
        done = here("what-if", *live, "--to", "server-range", "--json", "-", cwd=tmp_path)
        scaled = here("scale", *live, "--max-members", "2", cwd=tmp_path)
    if own is TARGETS:
        # Two members, one with uniform and one with range: a tie in which the group never settles.
        assert (done.returncode, scaled.returncode) == (1, 0), done.stderr
        assert valid(json.loads(done.stdout), "what-if-1")["today"]["unowned"] == []
        assert "2 (today)" in scaled.stdout
    else:
        assert (done.returncode, scaled.returncode) == (3, 3), done.stderr
        assert valid(json.loads(done.stdout), "unstable-group-1")["state"] != "Stable"
        assert "waits for" in scaled.stdout


@pytest.mark.live
@pytest.mark.parametrize(
    ("protocol_type", "words"),
    [
        ("share", "it is no consumer group but a share or Streams group"),
        ("streams", "it is no consumer group but a share or Streams group"),
        ("connect", "not a consumer group (connect)"),
    ],
)
def test_a_group_of_another_type_is_refused_in_a_line(tmp_path, protocol_type, words):
    needs_kafka_python()
    with RecordedBroker("g", {}, {}, protocol_type=protocol_type) as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "g"]
        for command in ("what-if", "scale"):
            assert words in one_line(here(command, *live, cwd=tmp_path), 2)
    assert (LIST_GROUPS in broker.asked) is (protocol_type != "connect")


@pytest.mark.live
def test_a_dead_group_and_a_bad_setting_are_told_in_a_line(tmp_path):
    needs_kafka_python()
    with RecordedBroker("g", {}, {}, state="Dead") as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "g"]
        assert "group 'g': does not exist" in one_line(here("what-if", *live, cwd=tmp_path), 2)
        (tmp_path / "c.properties").write_text("sasl.no.such=hush\n")
        message = one_line(here("what-if", *live, "c.properties", cwd=tmp_path), 2)
    assert "c.properties:1: sasl.no.such" in message and "hush" not in message


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (
            ["--bootstrap-server", "x:1", "--to", "range"],
            "--bootstrap-server: expected --group with the name of one group",
        ),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(tmp_path, arguments, complaint):
    assert complaint in one_line(here("what-if", *arguments, cwd=tmp_path), 2)
