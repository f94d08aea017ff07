"""Every field that a reader reads changes the report of `place`, or is named as not used.

A field moves from the first table to the second only by hand: the tables are the contract.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kassay.engines.replicas.cluster import PlacementChange
from kassay.engines.replicas.planned import plan_cluster
from kassay.engines.replicas.sources import ClusterSources, take_file
from kassay.engines.replicas.steps import StepBound

TOPICS = """\
Topic: t\tTopicId: MR146C8fSzWgAgcASSBtAg\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=1,a=b
\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\tElr: \tLastKnownElr: \tOffline: \tObservers: \tX: 1
\tTopic: t\tPartition: 1\tLeader: none\tReplicas: 2,3\tIsr: \tElr: 3\tLastKnownElr: 3
"""
BROKERS = "".join(
    f"h{n}:9092 (id: {n} rack: {rack} isFenced: false) -> (\n)\n" for n, rack in enumerate("abc", 1)
)
SIZES = json.dumps(
    {
        "brokers": [
            {
                "broker": 1,
                "logDirs": [
                    {
                        "logDir": "/a",
                        "error": None,
                        "partitions": [{"partition": "t-0", "size": 10, "offsetLag": 0, "isFuture": False}],
                    },
                    {"logDir": "/b", "error": None, "partitions": []},
                ],
            }
        ]
    }
)
GIVEN = {"topics.txt": TOPICS, "brokers.txt": BROKERS, "sizes.txt": SIZES}

USED = [
    ("topics.txt", "Topic", "Topic: t", "Topic: u"),
    ("topics.txt", "ReplicationFactor", "ReplicationFactor: 2", "ReplicationFactor: 3"),
    ("topics.txt", "min.insync.replicas", "min.insync.replicas=1", "min.insync.replicas=2"),
    ("topics.txt", "throttles", "a=b", "leader.replication.throttled.replicas=0:1"),
    ("topics.txt", "MarkedForDeletion", "Configs:", "MarkedForDeletion: true\tConfigs:"),
    ("topics.txt", "Leader", "Leader: 1", "Leader: 2"),
    ("topics.txt", "no Leader", "Leader: 1", "Leader: none"),
    ("topics.txt", "Replicas", "Replicas: 1,2", "Replicas: 2,1"),
    ("topics.txt", "Isr", "Isr: 1,2", "Isr: 1"),
    ("topics.txt", "Elr", "Elr: 3", "Elr: 2"),
    ("topics.txt", "LastKnownElr", "LastKnownElr: 3", "LastKnownElr: 2"),
    ("topics.txt", "Offline", "Offline: ", "Offline: 2"),
    ("topics.txt", "Observers", "Observers: ", "Observers: 2"),
    ("topics.txt", "Adding Replicas", "Isr: 1,2", "Isr: 1,2\tAdding Replicas: 2"),
    ("topics.txt", "Removing Replicas", "Isr: 1,2", "Isr: 1,2\tRemoving Replicas: 2"),
    ("brokers.txt", "id", "id: 1 ", "id: 4 "),
    ("brokers.txt", "rack", "rack: b", "rack: a"),
    ("brokers.txt", "isFenced", "rack: a isFenced: false", "rack: a isFenced: true"),
    ("sizes.txt", "size", '"size": 10', '"size": 11'),
    ("sizes.txt", "partition", '"t-0"', '"t-1"'),
    ("sizes.txt", "offsetLag", '"offsetLag": 0', '"offsetLag": 5'),
    ("sizes.txt", "isFuture", '"isFuture": false', '"isFuture": true'),
    ("sizes.txt", "error", '"error": null', '"error": "KafkaStorageException"'),
    ("sizes.txt", "isCordoned", '"error": null', '"isCordoned": true, "error": null'),
]
"""File, field, and a change of it that changes the report."""

NAMED = [
    ("topics.txt", "TopicId", "TopicId: MR146C8fSzWgAgcASSBtAg", "TopicId: NR146C8fSzWgAgcASSBtAg"),
    ("topics.txt", "Configs: a", "a=b", "a=c"),
    ("topics.txt", "X", "X: 1", "X: 2"),
    ("brokers.txt", "host, port and API versions of brokers", "h1:9092", "h9:9093"),
]
"""File, name in the report, and a change of the field that changes nothing."""


def report(folder: Path, changed: dict[str, str]) -> dict[str, Any]:
    """The document for the files, some of them changed: judged, and planned with broker 4 in place of 2."""
    sources = ClusterSources()
    for name, text in (GIVEN | changed).items():
        (folder / name).write_text(text)
        take_file(sources, str(folder / name))
    cluster = sources.cluster(judged=True)
    plan = plan_cluster(cluster, PlacementChange(), None, StepBound())
    return {"homes": sorted(map(str, plan.homes().items())), **plan.to_json({})}


def changed(name: str, old: str, new: str) -> dict[str, str]:
    """A file with one field changed."""
    assert old in GIVEN[name]
    return {name: GIVEN[name].replace(old, new)}


@pytest.mark.parametrize(("name", "field", "old", "new"), USED, ids=[field for _, field, *_ in USED])
def test_a_field_changes_the_report(tmp_path: Path, name: str, field: str, old: str, new: str) -> None:
    before, after = report(tmp_path, {}), report(tmp_path, changed(name, old, new))
    before.pop("not_used"), after.pop("not_used")
    assert before != after, field


@pytest.mark.parametrize(("name", "field", "old", "new"), NAMED, ids=[field for _, field, *_ in NAMED])
def test_a_field_that_changes_nothing_is_named(
    tmp_path: Path, name: str, field: str, old: str, new: str
) -> None:
    before, after = report(tmp_path, {}), report(tmp_path, changed(name, old, new))
    assert before == after and field in before["not_used"]


def test_nothing_else_is_named(tmp_path: Path) -> None:
    assert set(report(tmp_path, {})["not_used"]) == {field for _, field, *_ in NAMED}
