"""Outputs of other tools and of old releases: written from the source of each tool, with what they say."""

from __future__ import annotations

import pytest

from kassay.engines.clusters.inputs import ClusterInputs
from kassay.engines.clusters.observed import observe
from kassay.engines.replicas.sources import ClusterSources
from kassay.model.errors import InputError
from kassay.reading.kafka.dialects import in_todays_words
from kassay.reading.kafka.topics import read_topics
from tests.reading.kafka.outputs import FOLDER, output

OTHERS = FOLDER / "others"


def other(name: str) -> str:
    return (OTHERS / name).read_text(encoding="utf-8")


def group_of(name: str, group: str | None = None):
    inputs = ClusterInputs()
    inputs.take(other(name), name)
    return observe(inputs, group), inputs


@pytest.mark.parametrize("name", ["kcat.txt", "kcat.json"])
def test_topics_of_kcat(name: str) -> None:
    topics = {each.name: each for each in read_topics(in_todays_words(other(name)).text, name)}
    rows = topics["orders"].partitions
    assert [row.replicas for row in rows] == [(1, 2, 3), (2, 3, 1), (3,)]
    assert [row.isr for row in rows] == [(1, 2, 3), (2, 1), ()]
    assert [row.leader for row in rows] == [1, 2, None]
    assert topics["mails"].partition_count == 1


def test_a_topic_of_rpk_has_its_partitions_and_no_preferred_leaders() -> None:
    (topic,) = read_topics(in_todays_words(other("rpk-topic.txt")).text, "f")
    assert (topic.name, topic.partition_count, topic.replication_factor) == ("orders", 3, 3)
    assert [row.leader for row in topic.partitions] == [1, 2, None]
    with pytest.raises(InputError, match=r"replicas sorted, .* expected the output of kafka-topics"):
        ClusterSources().read(str(OTHERS / "rpk-topic.txt"), "")


def test_a_group_of_rpk() -> None:
    observed, inputs = group_of("rpk-group.txt")
    owned = {observed.labels[who]: sorted(map(str, tps)) for who, tps in observed.assignment.items()}
    assert owned == {"billing-1": ["mails-0", "orders-0"], "billing-2": ["orders-1"]}
    assert (observed.strategy, observed.stability.state) == ("range", "Stable")
    assert [row.lag for row in inputs.groups[0].offsets] == [None, 12, 0, 0]
    assert [str(tp) for tp in observed.unowned] == ["orders-2"]


def test_groups_of_rpk_with_instance_ids_and_without_members() -> None:
    observed, inputs = group_of("rpk-group-static.txt", "billing")
    assert inputs.group_names == ("billing", "gone")
    assert (len(observed.consumers), observed.strategy) == (1, "cooperative-sticky")
    with pytest.raises(InputError, match=r"has no members .its state is Empty"):
        group_of("rpk-group-static.txt", "gone")


@pytest.mark.parametrize(
    ("name", "clients"),
    [
        ("groups-0.10.0.txt", ["billing-1", "billing-2"]),
        (
            "offset-checker-0.10.txt",
            ["billing_node1-1466150400000-5f3e4c0e-0", "billing_node2-1466150400001-0c1b45a1-0"],
        ),
        (
            "groups-0.9-zookeeper.txt",
            ["billing_node1-1466150400000-5f3e4c0e-0", "billing_node2-1466150400001-0c1b45a1-0"],
        ),
    ],
)
def test_tables_with_owners(name: str, clients: list[str]) -> None:
    observed, inputs = group_of(name)
    assert sorted(observed.labels.values()) == clients
    assert [str(tp) for tp in observed.unowned] == ["orders-2"]
    lags = [row.lag for row in inputs.groups[0].offsets]
    assert lags == ([12, 0, 0] if "checker" in name else [12, None, 0])


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("cruise-control-proposals.json", "found Cruise Control's proposals, expected kafka-consumer-groups"),
        ("burrow-lag.json", "found an answer of Burrow,"),
        ("rpk-cluster-info.txt", "found the output of rpk cluster info,"),
        ("rpk-topic-list.txt", "found the output of rpk topic list or kaf topics,"),
        (
            "rpk-topic-no-partitions.txt",
            "found the output of rpk topic describe without the partitions: add -a",
        ),
        ("get-offsets.txt", "found the output of kafka-get-offsets.sh,"),
    ],
)
def test_what_is_not_read_is_refused_by_its_name(name: str, what: str) -> None:
    with pytest.raises(InputError, match=what):
        ClusterInputs().take(other(name), name)


@pytest.mark.parametrize(
    "name", ["groups-offsets-3.9.txt", "topics-4.4.txt", "brokers-4.4.txt", "log-dirs-4.4.txt"]
)
def test_todays_words_stay_as_they_are(name: str) -> None:
    assert in_todays_words(output(name)) == (output(name), "")
