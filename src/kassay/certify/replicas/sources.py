"""A cluster put together from the outputs of Kafka's tools.

Files are identified by their content: the order of files does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from kassay.certify.replicas.cluster import PlacedCluster, Rows, listed, named
from kassay.certify.replicas.states import States, idle_brokers, not_preferred, state_warnings, states_of
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.request import Replicas
from kassay.reading.documents import read_text
from kassay.reading.kafka.brokers import LogDirs, is_broker_versions, is_log_dirs, read_brokers, read_log_dirs
from kassay.reading.kafka.reassignment import (
    Reassignment,
    TopicsToMove,
    is_reassignment,
    read_current,
    read_reassignments,
)
from kassay.reading.kafka.topics import DescribedTopic, is_topics, read_topics, whole_topics

ABSENT: Final = (
    "to plan without one that is gone: --remove-broker N; with one that is only down: --add-broker N:rack"
)
"""What a plan needs for a broker that holds replicas and does not answer."""


@dataclass
class ClusterSources:
    """The partial descriptions of a cluster from files; `cluster` combines them."""

    topics: list[DescribedTopic] = field(default_factory=list)
    current: list[Reassignment] = field(default_factory=list)
    brokers: dict[int, tuple[Broker, str]] = field(default_factory=dict)
    log_dirs: list[LogDirs] = field(default_factory=list)

    def add_brokers(self, brokers: Iterable[Broker], file: str) -> None:
        """Add the brokers of a file; raises `InputError` if another file has a different rack for one."""
        for broker in brokers:
            before = self.brokers.get(broker.broker_id)
            if before is not None and before[0].rack != broker.rack:
                raise InputError(
                    f"{file}: broker {broker.broker_id}: found rack {broker.rack!r}, expected "
                    f"{before[0].rack!r} as in {before[1]}"
                )
            self.brokers[broker.broker_id] = (broker, file)

    def cluster(
        self,
        added: frozenset[int] = frozenset(),
        leaving: frozenset[int] = frozenset(),
        *,
        judged: bool = False,
    ) -> PlacedCluster:
        """The cluster; a broker in `leaving` may already be gone and missing from the description.

        Raises `InputError` if no file has the replicas, if partitions are missing, or if a broker that holds
        replicas is not described, unless the cluster is only to be `judged`.
        """
        rows, moving = self._rows()
        if not rows:
            raise InputError(
                "FILE: nothing says where replicas are, expected the output of kafka-topics.sh --describe or "
                "of kafka-reassign-partitions.sh"
            )
        holding = {broker for row in rows.values() for broker in row}
        brokers = {id_: broker for id_, (broker, _) in self.brokers.items()}
        warnings = []
        if not brokers:
            brokers = {id_: Broker(id_) for id_ in holding - added}
            warnings.append(
                "no racks were given: rack rules are not judged, and brokers without replicas are not known; "
                "add --brokers with the output of kafka-broker-api-versions.sh"
            )
        gone = frozenset((holding if judged else holding & leaving) - brokers.keys())
        missing = holding - brokers.keys() - added - gone
        if missing:
            raise InputError(
                f"--brokers: {listed(missing)} not described, expected every broker that holds replicas "
                f"({ABSENT})"
            )
        if moving:
            warnings.append(
                f"{len(moving)} partition{'s are' if len(moving) > 1 else ' is'} being reassigned "
                f"({named(moving)}): planned from where they are going; run the plan when they are there"
            )
        sizes = self._sizes(rows, warnings)
        states = states_of(self.topics)
        warnings += self._state_warnings(rows, states, frozenset(holding - brokers.keys()), judged=judged)
        cordoned = frozenset[int]().union(*(each.cordoned for each in self.log_dirs))
        return PlacedCluster(
            tuple(sorted(brokers.values())),
            rows,
            sizes,
            moving,
            cordoned,
            gone,
            tuple(warnings),
            tuple(self.log_dirs),
            frozenset(holding - brokers.keys()),
            states,
            pinned=frozenset(tp for tp, row in rows.items() if judged and not gone.isdisjoint(row)),
        )

    def _state_warnings(
        self, rows: Rows, states: States, undescribed: frozenset[int], *, judged: bool
    ) -> Iterator[str]:
        if undescribed:
            do = f"; {ABSENT}" if judged else ""
            verb, racks = ("does", "its rack is") if len(undescribed) == 1 else ("do", "their racks are")
            yield f"{listed(undescribed)} not among the brokers: {verb} not answer, {racks} not known{do}"
        idle = idle_brokers(states) - undescribed
        if idle:
            one = len(idle) == 1
            yield (
                f"{listed(idle)} {'leads' if one else 'lead'} nothing and {'is' if one else 'are'} in sync "
                f"with no leader: taken as not answering, {'gets' if one else 'get'} no replica"
            )
        if self.current:
            yield (
                f"{self.current[0].place.file} is JSON of kafka-reassign-partitions.sh: leaders and replicas "
                "in sync are not known; kafka-topics.sh --describe says them"
            )
        yield from state_warnings(self.topics, states)
        others = not_preferred(rows, states)
        if others:
            yield (
                f"{len(others)} partition{'s are' if len(others) > 1 else ' is'} not led by the preferred "
                f"leader ({named(others)}): kafka-leader-election.sh --election-type PREFERRED changes that"
            )

    def _rows(self) -> tuple[dict[TopicPartition, Replicas], frozenset[TopicPartition]]:
        rows: dict[TopicPartition, Replicas] = {}
        moving = set()
        for topic in whole_topics(self.topics):
            for row in topic.partitions:
                if row.partition in rows:
                    raise row.place.wrong("Partition", str(row.partition), "each once in all files")
                rows[row.partition] = row.target
                if row.is_moving:
                    moving.add(row.partition)
        for reassignment in self.current:
            for entry in reassignment.partitions:
                if entry.partition in rows:
                    raise entry.place.wrong(entry.path, str(entry.partition), "each once in all files")
                if not entry.replicas or len(set(entry.replicas)) < len(entry.replicas):
                    raise entry.place.wrong(f"{entry.path}.replicas", entry.replicas, "brokers, each once")
                if min(entry.replicas) < 0 or entry.partition.partition < 0:
                    raise entry.place.wrong(entry.path, str(entry.partition), "numbers from 0 on")
                rows[entry.partition] = entry.replicas
        return dict(sorted(rows.items())), frozenset(moving)

    def _sizes(self, rows: Rows, warnings: list[str]) -> dict[TopicPartition, int] | None:
        if not self.log_dirs:
            return None
        sizes: dict[TopicPartition, int] = {}
        for each in self.log_dirs:
            for tp, size in each.sizes.items():
                sizes[tp] = max(size, sizes.get(tp, 0))
            for broker, directory, error in each.offline:
                warnings.append(f"broker {broker}: log directory {directory} is offline ({error})")
        unknown = [tp for tp in rows if tp not in sizes]
        if unknown:
            warnings.append(f"no size of {len(unknown)} partitions ({named(unknown)}): they count 0 bytes")
        return sizes


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
