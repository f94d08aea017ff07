"""Explicit: the partition that the record names, else the default partitioner's.

This is the producer's own part, before it calls any `Partitioner`: for a partition outside the topic it
raises `IllegalArgumentException`. (Since 0.10 the producer first waits for metadata that has the partition,
and times out instead.) The other partitioner is the 0.9 default.
Source: Kafka `KafkaProducer.partition` of the 0.9 clients.
Cost: O(1) with a partition.
"""

from __future__ import annotations

from kassay.assignors.partitioners.murmur2 import Murmur2
from kassay.assignors.registry import reference
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata, named_partition


@reference(
    "explicit",
    kind=PARTITIONER,
    claims=("hash-compatible", "available-only", "refuses-out-of-range"),
    source="org.apache.kafka.clients.producer.KafkaProducer",
)
class Explicit(Murmur2):
    """The partition that the record names, else the default partitioner's."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `InvalidPartitionError`."""
        named = named_partition(record, topic)
        return super().partition(record, topic) if named is None else named
