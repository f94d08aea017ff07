"""A live group through confluent-kafka's AdminClient, against a broker with recorded answers.

Run by `tox -e live`; without confluent-kafka what needs it is skipped.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest

from kassay.certify.clusters.inputs import CALLS, connect, read_config, read_live
from kassay.certify.clusters.observed import observe
from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from tests.certify.clusters.broker import (
    API_VERSIONS,
    CONSUMER_GROUP_DESCRIBE,
    DESCRIBE_GROUPS,
    FIND_COORDINATOR,
    LIST_GROUPS,
    METADATA,
    RecordedBroker,
)
from tests.cli.runner import here, one_line, valid

MEMBERS = {"a": {"orders": [0, 1, 2], "refunds": [0]}, "b": {}}
TOPICS = {"orders": 4, "refunds": 1}


class Watched:
    """An AdminClient that notes which of its methods are taken."""

    def __init__(self, admin: object) -> None:
        self.admin = admin
        self.taken: list[str] = []

    def __getattr__(self, name: str) -> object:
        self.taken.append(name)
        return getattr(self.admin, name)


@pytest.mark.live
def test_only_calls_that_read_are_made_and_only_such_requests_arrive():
    pytest.importorskip("confluent_kafka")
    with RecordedBroker("billing", MEMBERS, TOPICS) as broker:
        admin = Watched(connect(broker.bootstrap, {}))
        group = observe(read_live(admin, "billing", broker.bootstrap))
    assert tuple(admin.taken) == ("describe_consumer_groups", "describe_cluster", "describe_topics")
    assert set(admin.taken) < set(CALLS)
    assert broker.asked == {
        API_VERSIONS,
        METADATA,
        FIND_COORDINATOR,
        CONSUMER_GROUP_DESCRIBE,
        DESCRIBE_GROUPS,
    }
    assert (group.name, group.strategy, group.is_consumer_group) == ("billing", "range", False)
    assert group.unowned == (TopicPartition("orders", 3),)
    assert group.cluster.replica_racks["orders"][0] == frozenset({"az-a"})
    assert {member.member_id: len(member.owned) for member in group.group.members} == {"a": 4, "b": 0}


@pytest.mark.live
def test_what_if_and_scale_answer_from_a_live_group(tmp_path):
    pytest.importorskip("confluent_kafka")
    with RecordedBroker("billing", MEMBERS, TOPICS) as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "billing"]
        done = here("what-if", *live, "--to", "sticky", "--json", "-", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        document = valid(json.loads(done.stdout), "what-if-1")
        scaled = here("scale", *live, "--to", "2", cwd=tmp_path)
    assert document["today"]["unowned"] == [["orders", 3, "b"]]
    assert [path["from"] for path in document["paths"]] == ["partition.assignment.strategy=range"]
    assert "2 (today)" in scaled.stdout


@pytest.mark.live
@pytest.mark.parametrize(
    ("state", "warned"), [("PreparingRebalance", True), ("Stable", False), ("CompletingRebalance", True)]
)
def test_a_group_that_rebalances_is_warned_of(state, warned):
    pytest.importorskip("confluent_kafka")
    with RecordedBroker("g", MEMBERS, TOPICS, state=state) as broker:
        group = observe(read_live(connect(broker.bootstrap, {}), "g", broker.bootstrap))
    assert any("rebalancing" in each for each in group.warnings) is warned


TARGETS = {"a": {"orders": [0, 1], "refunds": [0]}, "b": {"orders": [2, 3]}}


@pytest.mark.live
def test_a_group_of_the_consumer_protocol_is_read_with_its_targets():
    pytest.importorskip("confluent_kafka")
    with RecordedBroker(
        "billing", MEMBERS, TOPICS, strategy="uniform", state="Reconciling", targets=TARGETS
    ) as broker:
        admin = Watched(connect(broker.bootstrap, {}))
        inputs = read_live(admin, "billing", broker.bootstrap)
    assert broker.asked == {API_VERSIONS, METADATA, FIND_COORDINATOR, CONSUMER_GROUP_DESCRIBE}
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
    pytest.importorskip("confluent_kafka")
    state = "Stable" if own is TARGETS else "Assigning"
    with RecordedBroker("billing", own, TOPICS, strategy="uniform", state=state, targets=TARGETS) as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "billing"]
        done = here("what-if", *live, "--to", "server-range", "--json", "-", cwd=tmp_path)
        scaled = here("scale", *live, "--to", "2", cwd=tmp_path)
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
    pytest.importorskip("confluent_kafka")
    with RecordedBroker("g", {}, {}, protocol_type=protocol_type) as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "g"]
        for command in ("what-if", "scale"):
            assert words in one_line(here(command, *live, cwd=tmp_path), 2)
    assert (LIST_GROUPS in broker.asked) is (protocol_type != "connect")


@pytest.mark.live
def test_a_dead_group_and_a_bad_setting_are_told_in_a_line(tmp_path):
    pytest.importorskip("confluent_kafka")
    with RecordedBroker("g", {}, {}, state="Dead") as broker:
        live = ["--bootstrap-server", broker.bootstrap, "--group", "g"]
        assert "group 'g': does not exist" in one_line(here("what-if", *live, cwd=tmp_path), 2)
        (tmp_path / "c.properties").write_text("no.such.key=hush\n")
        message = one_line(here("what-if", *live, "--command-config", "c.properties", cwd=tmp_path), 2)
    assert "no.such.key" in message and "hush" not in message


def test_properties_are_read_as_java_has_them(tmp_path):
    path = tmp_path / "client.properties"
    path.write_text(
        "# a comment\nsecurity.protocol = SASL_SSL\nsasl.mechanism=PLAIN\n"
        'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";\n'
    )
    assert read_config(str(path)) == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "u",
        "sasl.password": "p",
    }
    path.write_text("x\n")
    with pytest.raises(InputError, match=r"client.properties:1: expected key=value"):
        read_config(str(path))


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--bootstrap-server", "x:1"], "--bootstrap-server: expected --group with the name of one group"),
        (["--command-config", "x", "g.txt"], "--command-config: expected --bootstrap-server with it"),
    ],
)
def test_what_makes_no_sense_is_told_in_a_line(tmp_path, arguments, complaint):
    assert complaint in one_line(here("what-if", *arguments, cwd=tmp_path), 2)
