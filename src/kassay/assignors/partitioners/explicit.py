"""Explicit: the partition that the record asks for; else whatever another partitioner says.

This is the producer's own part, before any `Partitioner` is asked: a partition outside the topic is
refused with `IllegalArgumentException`. (Since 0.10 the producer first waits for metadata that has
the partition, and times out in its stead.) The other partitioner is the 0.9 default unless one is
injected.
Source: Kafka `KafkaProducer.partition` of the 0.9 clients.
Cost: O(1) with a partition.
"""

from __future__ import annotations

from collections.abc import Mapping

from kassay.assignors.partitioners.murmur2 import Murmur2
from kassay.assignors.registry import reference
from kassay.model.kinds import Kind
from kassay.model.partitioners.partitioner import (
    InvalidPartitionError,
    Partitioner,
    ProducerRecord,
    TopicMetadata,
)


def asked_for(partition: int, topic: TopicMetadata) -> int:
    """The partition; raises `InvalidPartitionError` if the topic has no such partition."""
    if not 0 <= partition < topic.count:
        raise InvalidPartitionError(
            f"record for partition {partition}, expected one of 0 to {topic.count - 1}"
        )
    return partition


@reference(
    "explicit",
    kind=Kind.PARTITIONER,
    claims=("hash-compatible", "available-only", "refuses-out-of-range"),
    source="org.apache.kafka.clients.producer.KafkaProducer",
)
class Explicit:
    """The partition that the record asks for, else the default partitioner's."""

    def __init__(self, default: Partitioner | None = None) -> None:
        self._default = default or Murmur2()

    def configure(self, config: Mapping[str, str]) -> None:
        """Configure the other partitioner."""
        self._default.configure(config)

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `InvalidPartitionError`."""
        if record.partition is not None:
            return asked_for(record.partition, topic)
        return self._default.partition(record, topic)

    def close(self) -> None:
        """Close the other partitioner."""
        self._default.close()
