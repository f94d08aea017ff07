"""Partitioners: they choose the partition to which a producer sends a record.

Source: Kafka `org.apache.kafka.clients.producer.Partitioner`, `ProducerRecord`, `PartitionInfo`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import ClassVar, Final, NamedTuple, Protocol, runtime_checkable

from kassay.model.errors import KafkaError


class InvalidPartitionError(KafkaError):
    """A record names a partition that its topic does not have."""

    java_class: ClassVar[str] = "java.lang.IllegalArgumentException"


class NoPartitionsError(InvalidPartitionError):
    """A record is for a topic without partitions; Kafka divides by zero there."""

    java_class: ClassVar[str] = "java.lang.ArithmeticException"


class ProducerRecord(NamedTuple):
    """A record for a topic: serialized key and value, and an optional explicit partition."""

    topic: str
    key: bytes | None = None
    value: bytes | None = None
    partition: int | None = None

    @property
    def size_bytes(self) -> int:
        """The size of key and value in bytes."""
        return len(self.key or b"") + len(self.value or b"")


class PartitionInfo(NamedTuple):
    """One partition of the record's topic; it is `available` while it has a leader."""

    partition: int
    available: bool = True


@dataclass(frozen=True)
class TopicMetadata:
    """The producer's metadata of the record's topic: its partitions in number order."""

    partitions: tuple[PartitionInfo, ...]

    @property
    def count(self) -> int:
        """The number of partitions."""
        return len(self.partitions)

    @cached_property
    def available(self) -> tuple[int, ...]:
        """The numbers of the available partitions, in order."""
        return tuple(info.partition for info in self.partitions if info.available)

    @property
    def unavailable(self) -> list[int]:
        """The numbers of the partitions without a leader, in order."""
        return [info.partition for info in self.partitions if not info.available]

    @classmethod
    def of(cls, count: int, unavailable: Iterable[int] = ()) -> TopicMetadata:
        """A topic with `count` partitions, all available except these."""
        partitions = _with_leaders(count)
        gone = sorted({p for p in unavailable if 0 <= p < count})
        for p in gone:
            partitions[p] = PartitionInfo(p, available=False)
        return cls(tuple(partitions))


_SHARED_MAX: Final = 1 << 17
"""The number of partitions up to which topics share the values of their partitions."""


@cache
def _shared(size: int) -> tuple[PartitionInfo, ...]:
    return tuple(map(PartitionInfo, range(size)))


def _with_leaders(count: int) -> list[PartitionInfo]:
    """So many available partitions, as a list of the caller's own."""
    if count > _SHARED_MAX:
        return list(map(PartitionInfo, range(count)))
    return list(_shared(1 << max(0, count - 1).bit_length())[:count])


def named_partition(record: ProducerRecord, topic: TopicMetadata) -> int | None:
    """The partition that the record names, or None; raises `InvalidPartitionError`."""
    named = record.partition
    if named is not None and not 0 <= named < topic.count:
        raise InvalidPartitionError(
            f"partition {named} of {record.topic}: expected one of 0 to {topic.count - 1}"
        )
    return named


@runtime_checkable
class Partitioner(Protocol):
    """Kafka's interface: configured once, called for each record, closed at the end."""

    def configure(self, config: Mapping[str, str]) -> None:
        """Apply the producer's configuration; called before any other method."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `InvalidPartitionError`."""

    def close(self) -> None:
        """Release resources; called last."""


class PartitionerBase:
    """Default implementations of the optional methods."""

    def configure(self, config: Mapping[str, str]) -> None:
        """Ignore the configuration."""

    def close(self) -> None:
        """Do nothing."""
