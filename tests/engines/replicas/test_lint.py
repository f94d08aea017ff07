"""Reassignment files looked through: every rule with a file that breaks it, and clean ones."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from kassay.engines.replicas.lint import LintContext, LintSeverity, lint
from kassay.engines.replicas.states import PartitionState
from kassay.model.cluster import TopicPartition
from kassay.reading.kafka.reassignment import read_reassignments
from tests.engines.replicas.clusters import cluster
from tests.reading.kafka.outputs import output

ROWS: dict[str, list[tuple[int, ...]]] = {"t": [(1, 2, 3), (2, 3, 4)], "topic": [(1, 2)]}
PLACED = replace(cluster(ROWS), moving=frozenset({TopicPartition("t", 1)}), cordoned=frozenset({6}))
CONTEXT = LintContext(PLACED, has_topics=True, has_brokers=True)


def rules(document: Any, context: LintContext = CONTEXT) -> list[str]:
    """The rules that a document breaks, warnings in brackets."""
    (block,) = read_reassignments(json.dumps(document), "f")
    return [
        each.rule if each.severity is LintSeverity.ERROR else f"({each.rule})"
        for each in lint(block, context)
    ]


def row(*replicas: int, topic: str = "t", partition: int = 0, **more: Any) -> dict[str, Any]:
    """A document with one entry."""
    entry = {"topic": topic, "partition": partition, "replicas": list(replicas), **more}
    return {"version": 1, "partitions": [entry]}


@pytest.mark.parametrize(
    ("document", "broken"),
    [
        (row(4, 2, 3), []),
        (row(4, 2, 3, log_dirs=["any", "any", "/d"]), []),
        (row(1, 2, 3), ["(no-change)"]),
        (row(4, 2, 3, log_dirs=["any"]), ["log-dirs-length"]),
        (row(4, 2, 3, log_dirs=["any", "any", "d"]), ["log-dir"]),
        (row(), ["empty-replicas"]),
        (row(2, 2, 3), ["duplicate-replica"]),
        (row(4, 2), ["replication-factor"]),
        (row(4, 2, 3, 5), ["(replication-factor)"]),
        (row(1, 4, 2), ["rack-spread"]),
        (row(7, 2, 3), ["unknown-broker"]),
        (row(-1, 2, 3), ["broker"]),
        (row(6, 4, 2), ["cordoned"]),
        (row(4, 2, 3, partition=2), ["unknown-partition"]),
        (row(4, 2, 3, partition=-1), ["partition", "unknown-partition"]),
        (row(4, 5, 6, partition=1), ["cordoned", "moving"]),
        (row(4, 2, 3, topic="topi"), ["unknown-topic"]),
        (row(4, 2, 3) | {"version": 2}, ["version"]),
        ({"version": 1, "partitions": []}, ["empty"]),
        ({"topics": [{"topic": "t"}, {"topic": "t"}]}, ["duplicate-topic"]),
        ({"topics": [{"topic": "x"}], "version": 3}, ["unknown-topic", "version"]),
    ],
)
def test_a_rule_and_what_breaks_it(document: Any, broken: list[str]) -> None:
    assert sorted(rules(document)) == sorted(broken)


def test_a_partition_twice_names_the_line_of_the_other() -> None:
    entry = '{"topic": "t", "partition": 0, "replicas": [4, 2, 3], "replicas": [4, 2, 3]}'
    (block,) = read_reassignments(f'{{"partitions": [\n{entry},\n{entry}]}}', "f")
    texts = [str(each) for each in lint(block, LintContext())]
    assert texts == [
        "f:2: partitions[0].replicas: error: stands twice, of which Kafka takes the last without a word "
        "[duplicate-key]",
        "f:3: partitions[1]: error: t-0 stands in line 2 too [duplicate-partition]",
        "f:3: partitions[1].replicas: error: stands twice, of which Kafka takes the last without a word "
        "[duplicate-key]",
    ]


def test_the_example_of_kafka_s_own_documentation_is_an_error() -> None:
    (block,) = read_reassignments(output("reassign-by-hand.json"), "f")
    assert [str(each) for each in lint(block, LintContext())] == [
        "f:3: partitions[0].log_dirs: error: 1 for 2 replicas, expected one each (`any` for any) "
        "[log-dirs-length]",
        "f:5: partitions[1].replicas: error: broker 3 twice, expected each once [duplicate-replica]",
    ]


def test_without_a_cluster_only_the_file_is_looked_at() -> None:
    assert rules(row(7, 2, topic="x"), LintContext()) == []


def test_a_kind_of_warning_is_one_line_that_names_the_others() -> None:
    entries = [{"topic": "t", "partition": n, "replicas": [1, 2, 3]} for n in range(6)]
    placed = cluster({"t": [(1, 2)] * 6})
    (block,) = read_reassignments(json.dumps({"partitions": entries}), "f")
    (warning,) = lint(block, LintContext(placed, has_topics=True, has_brokers=True))
    assert warning.message == "t-0 gets RF 3, has RF 2 now; so do 5 others: t-1, t-2, t-3, t-4 and 1 more"


STATE = PartitionState(1, (1, 2, 3), frozenset({1, 2, 3}))
ALIVE = PartitionState(2, (2, 3, 4), frozenset({2, 3, 4}))
"""The state of another partition, which shows that brokers 2, 3 and 4 answer."""


@pytest.mark.parametrize(
    ("state", "broken"),
    [
        (STATE, []),
        (STATE._replace(isr=frozenset({1})), ["(under-replicated)", "cannot-finish"]),
        (
            STATE._replace(isr=frozenset({1}), min_isr=2),
            ["(under-min-isr)", "(under-replicated)", "cannot-finish"],
        ),
        (STATE._replace(leader=None, isr=frozenset({1, 2, 3})), ["cannot-finish"]),
        (STATE._replace(replicas=(1, 2), isr=frozenset({1, 2}), observers=(3,)), ["observers"]),
    ],
)
def test_the_state_of_the_partition_counts(state: PartitionState, broken: list[str]) -> None:
    placed = replace(cluster(ROWS), states={TopicPartition("t", 0): state, TopicPartition("t", 1): ALIVE})
    context = LintContext(placed, has_topics=True, has_brokers=True)
    assert sorted(rules(row(4, 2, 3), context)) == broken
