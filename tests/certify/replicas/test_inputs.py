"""Files told by their content."""

from __future__ import annotations

import itertools

import pytest

from kassay.certify.replicas.inputs import take_file, take_named, to_be_linted
from kassay.certify.replicas.placed import ClusterSources, PlacedCluster
from kassay.model.errors import InputError
from tests.reading.kafka.outputs import FOLDER

FILES = [str(FOLDER / name) for name in ("topics-4.4.txt", "brokers-4.4.txt", "log-dirs-4.4.txt")]


def test_the_order_of_files_does_not_matter() -> None:
    clusters: list[PlacedCluster] = []
    for order in itertools.permutations(FILES):
        sources = ClusterSources()
        for path in order:
            take_file(sources, path)
        clusters.append(sources.cluster())
    named = ClusterSources()
    take_named(named, FILES[:1], FILES[1:2], FILES[2:])
    assert all(each == clusters[0] for each in (*clusters, named.cluster()))


def test_what_is_to_be_linted_and_what_it_is_held_against() -> None:
    sources = ClusterSources()
    blocks = to_be_linted([str(FOLDER / "reassign-generate-4.4.txt"), *FILES], sources)
    assert len(blocks) == 2 and sources.topics and sources.brokers and sources.log_dirs


def test_what_is_none_of_them_is_told() -> None:
    with pytest.raises(
        InputError,
        match=r"README.md: not recognised, expected the output of kafka-topics.sh.*`id,rack` go with --brokers",
    ):
        take_file(ClusterSources(), str(FOLDER / "README.md"))
    sources = ClusterSources()
    take_named(sources, [str(FOLDER / "reassign-generate-4.4.txt")], [str(FOLDER / "racks.csv")])
    assert len(sources.cluster().brokers) == 8
