"""Partitioners, which choose the partition of a record, and records sent through them.

Records sent through a partitioner, as values; the only place where a record meets a partitioner. Source:
Kafka `org.apache.kafka.clients.producer.Partitioner`, `ProducerRecord`, `PartitionInfo`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import ClassVar, Final, NamedTuple, Protocol, runtime_checkable

from kassay.model.calls import Call, Failure, Look, Refusal, attempt, call, failure_of
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


class Sent(NamedTuple):
    """One record, the metadata at that time, and its partition."""

    record: ProducerRecord
    topic: TopicMetadata
    answer: int | Refusal | Failure


@dataclass(frozen=True)
class ProducerSends:
    """The records that a producer sends, in order, with the metadata of their topics at that time."""

    records: tuple[tuple[ProducerRecord, TopicMetadata], ...]
    config: Mapping[str, str] = field(default_factory=dict)


class ProducerSendsStep(Call[ProducerSends, tuple[Sent, ...]]):
    """One run through a new partitioner, with an answer for each record."""


def send_by_new(new: Callable[[], Partitioner], sending: ProducerSends) -> tuple[Sent, ...]:
    """As `send_all`, with a new partitioner; an error where it is made fails all records."""
    partitioner = attempt(new)
    if isinstance(partitioner, Failure):
        return tuple(Sent(record, topic, partitioner) for record, topic in sending.records)
    return send_all(partitioner, sending)


def send_all(partitioner: Partitioner, sending: ProducerSends) -> tuple[Sent, ...]:
    """The partitions of the records, in order; configures the partitioner first and closes it at the end.

    A refusal is an answer; any other error is the failure of that record. An error in `configure` fails all
    records, one in `close` fails the last.
    """
    failure = attempt(lambda: partitioner.configure(sending.config))
    if failure is not None:
        return tuple(Sent(record, topic, failure) for record, topic in sending.records)
    sent = [Sent(*each, answer) for each, answer in zip(sending.records, _answers(partitioner, sending))]
    failure = attempt(partitioner.close)
    if failure is not None:
        sent[-1:] = [last._replace(answer=failure) for last in sent[-1:]]
    return tuple(sent)


def send(new: Callable[[], Partitioner], sending: ProducerSends, *, again: bool = False) -> ProducerSendsStep:
    """A step with a new partitioner, and a second one if `again`."""
    partitioners: list[Partitioner] = []

    def kept() -> Partitioner:
        partitioners.append(new())
        return partitioners[-1]

    looks = (Look.OTHER,) if again else ()
    step = call(ProducerSendsStep, send_by_new, lambda: kept, sending, looks)
    return replace(step, mutated=getattr(partitioners[0], "mutated", None)) if partitioners else step


def _answers(partitioner: Partitioner, sending: ProducerSends) -> Iterator[int | Refusal | Failure]:
    """The answer to each record; many at a time if the partitioner has `partition_each`, and one by one."""
    each = getattr(partitioner, "partition_each", None)
    if each is None:
        for record, topic in sending.records:
            yield _answer(partitioner, record, topic)
        return
    said = each([sent for sent in sending.records if sent[0].partition is None])
    for record, topic in sending.records:
        if record.partition is not None:
            yield _answer(partitioner, record, topic)
        else:
            answer = next(said)
            yield failure_of(answer) if isinstance(answer, Exception) else answer


def _answer(
    partitioner: Partitioner, record: ProducerRecord, topic: TopicMetadata
) -> int | Refusal | Failure:
    try:
        return partitioner.partition(record, topic)
    except InvalidPartitionError as refused:
        return Refusal(refused.java_class, str(refused))
    except Exception as error:  # the target's own code
        return failure_of(error)
