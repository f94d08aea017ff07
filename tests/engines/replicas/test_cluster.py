"""Files told by their content.

A cluster put together from what files say, and changes of its brokers.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from kassay.engines.replicas.cluster import PlacedCluster, PlacementChange, listed
from kassay.engines.replicas.sources import ClusterSources, take_file, to_be_linted
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.reading.kafka.brokers import read_brokers, read_log_dirs
from kassay.reading.kafka.reassignment import read_current
from kassay.reading.kafka.topics import read_topics
from tests.engines.replicas.clusters import cluster
from tests.reading.kafka.outputs import FOLDER, output

FILES = [str(FOLDER / name) for name in ("topics-4.4.txt", "brokers-4.4.txt", "log-dirs-4.4.txt")]


def test_the_order_of_files_does_not_matter() -> None:
    clusters: list[PlacedCluster] = []
    for order in itertools.permutations(FILES):
        sources = ClusterSources()
        for path in order:
            take_file(sources, path)
        clusters.append(sources.cluster())
    assert all(each == clusters[0] for each in clusters)


def test_what_is_to_be_linted_and_what_it_is_held_against() -> None:
    sources = ClusterSources()
    blocks = to_be_linted([str(FOLDER / "reassign-generate-4.4.txt"), *FILES], sources)
    assert len(blocks) == 1 and sources.topics and sources.brokers and sources.log_dirs


def test_what_is_none_of_them_is_told() -> None:
    with pytest.raises(
        InputError,
        match=r"README.md: not recognised, expected the output of kafka-topics.sh.*lines `id,rack`",
    ):
        take_file(ClusterSources(), str(FOLDER / "README.md"))
    sources = ClusterSources()
    for name in ("reassign-generate-4.4.txt", "racks.csv"):
        take_file(sources, str(FOLDER / name))
    assert len(sources.cluster().brokers) == 8


def sources(topics: str = "topics-4.4.txt", brokers: str | None = "brokers-4.4.txt") -> ClusterSources:
    """What the fixtures say."""
    known = ClusterSources(topics=list(read_topics(output(topics), topics)))
    if brokers is not None:
        known.add_brokers(read_brokers(output(brokers), brokers), brokers)
    return known


def test_topics_brokers_and_sizes_together() -> None:
    known = sources()
    known.log_dirs.append(read_log_dirs(output("log-dirs-4.4.txt"), "f"))
    placed = known.cluster()
    assert len(placed.brokers) == 8 and placed.has_racks and len(placed.rows) == 6
    assert placed.bytes_of(TopicPartition("orders", 3)) == 1_000_000_000 - 2
    assert any("/data/kafka-b is offline" in each for each in placed.warnings)


def test_without_brokers_those_that_hold_replicas_are_known() -> None:
    placed = sources(brokers=None).cluster()
    assert placed.ids == {1, 2, 3, 4, 5, 6, 7, 8} and not placed.has_racks
    assert "no racks were given" in placed.warnings[0]


def test_a_partition_that_moves_counts_where_it_is_going() -> None:
    placed = sources("topics-moving-4.4.txt").cluster()
    assert placed.rows[TopicPartition("orders", 0)] == (2, 4, 7)
    assert placed.moving == {TopicPartition("orders", 0), TopicPartition("orders", 1)}
    assert "2 partitions are being reassigned (orders-0, orders-1)" in placed.warnings[0]


def test_where_replicas_are_may_stand_in_a_reassignment() -> None:
    known = ClusterSources(current=[read_current(output("reassign-generate-4.4.txt"), "f")])
    assert list(known.cluster().rows.values()) == [(1, 4, 7), (4, 7, 1)]
    known.current *= 2
    with pytest.raises(InputError, match=r"f:2: partitions\[0\]: found 'orders-0', expected each once"):
        known.cluster()


def test_a_broker_that_nobody_describes_is_told_with_what_to_do() -> None:
    known = sources(brokers=None)
    known.add_brokers([Broker(1, "a"), Broker(4, "a")], "f")
    with pytest.raises(InputError, match=r"brokers 2, 3, 5, 6, 7, 8 not described, .* --remove-broker"):
        known.cluster()
    with pytest.raises(InputError, match=r"f2: broker 1: found rack 'b', expected 'a' as in f"):
        known.add_brokers([Broker(1, "b")], "f2")
    with pytest.raises(InputError, match=r"^FILE: nothing says where replicas are"):
        ClusterSources().cluster()


def test_a_change_names_brokers_that_there_are_and_new_ones() -> None:
    placed = cluster({"t": [(1, 2)]})
    change = PlacementChange(frozenset({1}), frozenset({2}), (Broker(9, "c"),), frozenset({2, 3}))
    target = change.apply(placed)
    assert (target.ids, target.cordoned) == ({3, 4, 5, 6, 9}, {3})
    assert change.leaving == {1, 2} and not change.is_none
    with pytest.raises(InputError, match=r"^--drain 8: no such broker, expected one of brokers 1, 2"):
        PlacementChange(drained=frozenset({8})).apply(placed)
    with pytest.raises(InputError, match=r"^--add-broker 1: found among the brokers, expected a new id"):
        PlacementChange(added=(Broker(1),)).apply(placed)


def test_a_broker_that_is_gone_may_be_removed_without_being_described() -> None:
    known = sources(brokers=None)
    known.add_brokers([Broker(n, f"r{n % 3}") for n in range(1, 8)], "f")
    placed = known.cluster(leaving=frozenset({8, 77}))
    assert (placed.gone, 8 in placed.ids) == ({8}, False) and placed.has_racks
    assert PlacementChange(removed=frozenset({8})).apply(placed).ids == set(range(1, 8))
    with pytest.raises(InputError, match=r"^--remove-broker 77: no such broker"):
        PlacementChange(removed=frozenset({77})).apply(placed)


def test_brokers_in_a_sentence() -> None:
    assert [listed(ids) for ids in ([], [3], range(9))] == [
        "no broker",
        "broker 3",
        "brokers 0, 1, 2, 3, 4, 5 and 3 more",
    ]


def test_a_partition_that_keeps_no_replica_is_refused() -> None:
    row = "\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tRemoving Replicas: 1"
    known = ClusterSources(topics=list(read_topics(f"Topic: t\tPartitionCount: 1\n{row}", "f")))
    with pytest.raises(InputError, match=r"f:2: Removing Replicas: found .*, expected a replica that stays"):
        known.cluster()


def test_what_a_failed_tool_said_is_quoted(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("Error while executing topic command : Timed out\n\tat java\n")
    with pytest.raises(InputError, match=r"t\.txt: the tool failed: Error while executing .* : Timed out$"):
        take_file(ClusterSources(), str(path))
