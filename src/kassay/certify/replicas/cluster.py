"""A cluster as its tools describe it, and the requested change.

Outputs of Kafka's tools, identified by their content: the order of files does not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

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

Rows = Mapping[TopicPartition, Replicas]
_SHOWN = 6


@dataclass(frozen=True)
class PlacedCluster:
    """Brokers by id, and the replicas of every partition, preferred leader first.

    `sizes`: bytes of one copy of each partition, None if unknown. `moving`: partitions under reassignment;
    their rows are the destination. `cordoned` brokers accept no new replicas; `gone` brokers hold replicas
    but no longer exist. `outputs`: what kafka-log-dirs printed. `undescribed` brokers hold replicas, and the
    cluster's tools did not list them.
    """

    brokers: tuple[Broker, ...]
    rows: Rows
    sizes: Mapping[TopicPartition, int] | None = None
    moving: frozenset[TopicPartition] = frozenset()
    cordoned: frozenset[int] = frozenset()
    gone: frozenset[int] = frozenset()
    warnings: tuple[str, ...] = ()
    outputs: tuple[LogDirs, ...] = ()
    undescribed: frozenset[int] = frozenset()

    @cached_property
    def silent(self) -> frozenset[int]:
        """The brokers that hold replicas and do not answer: not listed by the cluster's tools, or fenced."""
        fenced = {broker.broker_id for broker in self.brokers if broker.fenced}
        held = {broker for row in self.rows.values() for broker in row}
        return self.undescribed | (fenced & held)

    @cached_property
    def ids(self) -> frozenset[int]:
        """The brokers' ids."""
        return frozenset(broker.broker_id for broker in self.brokers)

    @cached_property
    def racks(self) -> dict[int, str | None]:
        """The rack of each broker."""
        return {broker.broker_id: broker.rack for broker in self.brokers}

    @property
    def has_racks(self) -> bool:
        """Whether every broker has a rack."""
        return bool(self.brokers) and all(broker.rack is not None for broker in self.brokers)

    def bytes_of(self, tp: TopicPartition) -> int:
        """Bytes of one copy of the partition, 0 if unknown."""
        return 0 if self.sizes is None else self.sizes.get(tp, 0)


@dataclass(frozen=True)
class PlacementChange:
    """The requested change: brokers to decommission, to drain but keep, to add, to cordon."""

    removed: frozenset[int] = frozenset()
    drained: frozenset[int] = frozenset()
    added: tuple[Broker, ...] = ()
    cordoned: frozenset[int] = frozenset()

    @property
    def leaving(self) -> frozenset[int]:
        """The brokers that must hold nothing."""
        return self.removed | self.drained

    @property
    def is_none(self) -> bool:
        """Whether the change is empty."""
        return not (self.removed or self.drained or self.added)

    def apply(self, cluster: PlacedCluster) -> PlacedCluster:
        """The cluster with the brokers that may hold replicas; raises `InputError` for invalid ids."""
        known = cluster.ids | cluster.gone
        for option, ids in (
            ("--remove-broker", self.removed),
            ("--drain", self.drained),
            ("--cordon", self.cordoned),
        ):
            for id_ in sorted(ids - known - {broker.broker_id for broker in self.added}):
                raise InputError(f"{option} {id_}: no such broker, expected one of {listed(known)}")
        for broker in self.added:
            if broker.broker_id in known:
                raise InputError(
                    f"--add-broker {broker.broker_id}: found among the brokers, expected a new id"
                )
        brokers = (*(b for b in cluster.brokers if b.broker_id not in self.leaving), *self.added)
        return replace(
            cluster,
            brokers=tuple(sorted(brokers)),
            cordoned=(cluster.cordoned | self.cordoned) - self.leaving,
            gone=frozenset(),
            warnings=(),
            outputs=(),
        )


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
        self, added: frozenset[int] = frozenset(), leaving: frozenset[int] = frozenset()
    ) -> PlacedCluster:
        """The cluster; a broker in `leaving` may already be gone and missing from the description.

        Raises `InputError` if no file has the replicas, if partitions are missing, or if a broker that holds
        replicas is not described.
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
        gone = frozenset((holding & leaving) - brokers.keys())
        missing = holding - brokers.keys() - added - gone
        if missing:
            raise InputError(
                f"--brokers: {listed(missing)} not described, expected every broker that holds replicas "
                "(one that is gone: --remove-broker N; one that is only down: --add-broker N:rack)"
            )
        if moving:
            warnings.append(
                f"{len(moving)} partition{'s are' if len(moving) > 1 else ' is'} being reassigned "
                f"({named(moving)}): planned from where they are going; run the plan when they are there"
            )
        sizes = self._sizes(rows, warnings)
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


def listed(ids: Iterable[int]) -> str:
    """Broker ids for a sentence."""
    ids = sorted(ids)
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    names = ", ".join(map(str, ids[:_SHOWN])) + more
    return f"broker{'s' if len(ids) != 1 else ''} {names}" if ids else "no broker"


def named(tps: Iterable[TopicPartition]) -> str:
    """Partitions for a sentence."""
    tps = sorted(tps)
    return ", ".join(map(str, tps[:_SHOWN])) + (f" and {len(tps) - _SHOWN} more" if len(tps) > _SHOWN else "")


def leaders_of(rows: Iterable[Replicas]) -> Counter[int]:
    """The number of partitions that each broker leads if preferred leaders lead."""
    return Counter(row[0] for row in rows if row)


def replicas_of(rows: Iterable[Replicas]) -> Counter[int]:
    """The number of replicas on each broker."""
    return Counter(broker for row in rows for broker in row)


def bytes_on(cluster: PlacedCluster, rows: Rows) -> Counter[int]:
    """The bytes of the replicas on each broker in these rows."""
    held: Counter[int] = Counter()
    for tp, row in rows.items():
        for broker in row:
            held[broker] += cluster.bytes_of(tp)
    return held


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
