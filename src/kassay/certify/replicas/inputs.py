"""Outputs of Kafka's tools, identified by their content: the order of files does not matter."""

from __future__ import annotations

from collections.abc import Iterable

from kassay.certify.replicas.placed import ClusterSources
from kassay.model.errors import InputError
from kassay.reading.documents import read_text
from kassay.reading.kafka.brokers import is_broker_versions, read_brokers
from kassay.reading.kafka.log_dirs import is_log_dirs, read_log_dirs
from kassay.reading.kafka.reassignment import (
    Reassignment,
    TopicsToMove,
    is_reassignment,
    read_current,
    read_reassignments,
)
from kassay.reading.kafka.topics import is_topics, read_topics

_EXPECTED = (
    "the output of kafka-topics.sh --describe, kafka-broker-api-versions.sh, kafka-log-dirs.sh or "
    "kafka-reassign-partitions.sh"
)


def take_file(sources: ClusterSources, path: str) -> None:
    """Add a file's content, whichever tool printed it; raises `InputError`."""
    text = read_text(path, _EXPECTED)
    if is_topics(text):
        sources.topics += read_topics(text, path)
    elif is_broker_versions(text):
        sources.add_brokers(read_brokers(text, path), path)
    elif is_log_dirs(text):
        sources.log_dirs.append(read_log_dirs(text, path))
    elif is_reassignment(text):
        sources.current.append(read_current(text, path))
    else:
        raise InputError(f"{path}: not recognised, expected {_EXPECTED}; lines `id,rack` go with --brokers")


def take_named(
    sources: ClusterSources,
    topics: Iterable[str] = (),
    brokers: Iterable[str] = (),
    sizes: Iterable[str] = (),
) -> None:
    """Add files whose kind the user named; raises `InputError`.

    Racks may come from a file of the user's own, and replicas from reassignment JSON.
    """
    for path in topics:
        text = read_text(path, "the output of kafka-topics.sh --describe")
        if is_reassignment(text):
            sources.current.append(read_current(text, path))
        else:
            sources.topics += read_topics(text, path)
    for path in brokers:
        sources.add_brokers(read_brokers(read_text(path, "brokers and their racks"), path), path)
    for path in sizes:
        sources.log_dirs.append(read_log_dirs(read_text(path, "the output of kafka-log-dirs.sh"), path))


def to_be_linted(paths: Iterable[str], sources: ClusterSources) -> list[Reassignment | TopicsToMove]:
    """The objects of kafka-reassign-partitions in the files; `sources` receives all other content."""
    blocks: list[Reassignment | TopicsToMove] = []
    for path in paths:
        text = read_text(path, _EXPECTED)
        if is_topics(text) or is_broker_versions(text) or is_log_dirs(text):
            take_file(sources, path)
        else:
            blocks += read_reassignments(text, path)
    return blocks
