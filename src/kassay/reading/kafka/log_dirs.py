"""The output of `kafka-log-dirs.sh --describe`: two lines of chatter, then one line of JSON, sizes in bytes.

For each broker its log directories, and in each the replicas with `size`, `offsetLag` and `isFuture`, which
marks a copy that is moving into this directory and will replace the one in another. `error` names the
exception of an offline directory. Fields have Kafka's names. No release up to 4.4 prints which directories
are cordoned (KIP-1066); the AdminClient knows it (`LogDirDescription.isCordoned`), so a field of this name is
read if present.

Source: Kafka `LogDirsCommand`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from kassay.model.cluster import TopicPartition
from kassay.model.errors import InputError
from kassay.reading.documents import parse_json
from kassay.reading.fields import Count, difference
from kassay.reading.values import read_as

TOOL: Final = "kafka-log-dirs.sh --describe"
_PARTITION: Final = re.compile(r"(?P<topic>.+)-(?P<number>\d{1,9})", re.ASCII)


@dataclass(frozen=True)
class LogDirReplica:
    """A replica in a log directory; `partition` is `topic-number`, `size` in bytes."""

    partition: str
    size: Count
    offsetLag: int = 0  # noqa: N815  # as the file has it
    isFuture: bool = False  # noqa: N815  # as the file has it

    @property
    def named(self) -> TopicPartition:
        """The partition; `read_log_dirs` has checked the name."""
        return _named(self.partition)


@dataclass(frozen=True)
class LogDir:
    """A log directory of a broker; `error` is the class of Kafka's exception where it is offline."""

    logDir: str  # noqa: N815  # as the file has it
    partitions: tuple[LogDirReplica, ...] = ()
    error: str | None = None
    isCordoned: bool = False  # noqa: N815  # as the file has it


@dataclass(frozen=True)
class BrokerLogDirs:
    """The log directories of one broker."""

    broker: Count
    logDirs: tuple[LogDir, ...]  # noqa: N815  # as the file has it

    @property
    def is_cordoned(self) -> bool:
        """Whether none of its directories takes new replicas."""
        return bool(self.logDirs) and all(each.isCordoned for each in self.logDirs)


@dataclass(frozen=True)
class LogDirs:
    """The tool's output for each queried broker."""

    brokers: tuple[BrokerLogDirs, ...]

    @cached_property
    def replica_sizes(self) -> dict[tuple[TopicPartition, int], int]:
        """The bytes of each replica by partition and broker, without copies that are still moving."""
        return {
            (replica.named, broker.broker): replica.size
            for broker in self.brokers
            for directory in broker.logDirs
            for replica in directory.partitions
            if not replica.isFuture
        }

    @cached_property
    def sizes(self) -> dict[TopicPartition, int]:
        """The bytes of a copy of each partition: those of its largest replica."""
        largest: dict[TopicPartition, int] = {}
        for (tp, _), size in self.replica_sizes.items():
            largest[tp] = max(size, largest.get(tp, 0))
        return largest

    @property
    def cordoned(self) -> frozenset[int]:
        """The brokers that take no new replicas, since all their directories are cordoned."""
        return frozenset(broker.broker for broker in self.brokers if broker.is_cordoned)

    @property
    def offline(self) -> tuple[tuple[int, str, str], ...]:
        """Directories that do not answer: broker, directory, Kafka's exception."""
        return tuple(
            (broker.broker, each.logDir, each.error)
            for broker in self.brokers
            for each in broker.logDirs
            if each.error is not None
        )


def is_log_dirs(text: str) -> bool:
    """Whether the text looks like this tool's output."""
    return re.search(r'^\{.*"logDirs"\s*:', text, re.MULTILINE | re.DOTALL) is not None


def read_log_dirs(text: str, file: str) -> LogDirs:
    """The directories by broker; raises `InputError` with file, field and what was expected."""
    start = re.search(r"^\s*\{", text, re.MULTILINE)
    if start is None:
        raise InputError(f"{file}: no JSON, expected the output of {TOOL}")
    line = text.count("\n", 0, start.end()) + 1
    log_dirs = read_as(LogDirs, parse_json(text[start.start() :], file, line), f"{file}:{line}")
    for path, replica in _replicas(log_dirs):
        if _PARTITION.fullmatch(replica.partition) is None:
            what = difference(replica.partition, "`topic-number`")
            raise InputError(f"{file}:{line}: {path}.partition: {what}")
    ids = [broker.broker for broker in log_dirs.brokers]
    for index, id_ in enumerate(ids):
        if id_ in ids[:index]:
            raise InputError(f"{file}:{line}: brokers[{index}].broker: found {id_} twice, expected once")
    return log_dirs


def _replicas(log_dirs: LogDirs) -> Iterator[tuple[str, LogDirReplica]]:
    for i, broker in enumerate(log_dirs.brokers):
        for j, directory in enumerate(broker.logDirs):
            for k, replica in enumerate(directory.partitions):
                yield f"brokers[{i}].logDirs[{j}].partitions[{k}]", replica


def _named(partition: str) -> TopicPartition:
    topic, _, number = partition.rpartition("-")
    return TopicPartition(topic, int(number))
