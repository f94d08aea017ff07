"""Abs: the 0.8 partitioner, which makes numbers non-negative with `Utils.abs`.

Goals, in order: the partition that the record asks for; equal keys in one partition; keyless records
over the available partitions in turn, one counter for all topics.
Keyed: `Utils.abs` of the murmur2 of the key, modulo the number of partitions. The later
`toPositive` clears the sign bit instead, so for about half of all keys, those whose hash is negative,
the two differ unless the count divides both: the upgrade to 0.9 moved keys. The one int without an
absolute value counts as 0. A partition outside the topic is refused with `IllegalArgumentException`.
Source: Kafka `org.apache.kafka.clients.producer.internals.Partitioner`, 0.8.2.
Cost: O(n) for a key of n bytes.
"""

from __future__ import annotations

from kassay.assignors.partitioners.murmur2 import partition_for_key
from kassay.assignors.partitioners.turns import Turns
from kassay.assignors.registry import reference
from kassay.model.java.int32 import utils_abs
from kassay.model.kinds import Kind
from kassay.model.partitioners.partitioner import (
    PartitionerBase,
    ProducerRecord,
    TopicMetadata,
    named_partition,
)


@reference(
    "abs",
    kind=Kind.PARTITIONER,
    claims=("available-only", "refuses-out-of-range"),
    source="org.apache.kafka.clients.producer.internals.Partitioner",
)
class Abs(PartitionerBase):
    """Explicit partition, else the absolute hash of the key, else round robin: the 0.8 producer."""

    def __init__(self, start: int = 0) -> None:
        self._keyless = Turns(utils_abs, start)

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `InvalidPartitionError`."""
        named = named_partition(record, topic)
        if named is not None:
            return named
        if record.key is None:
            return self._keyless.next(topic)
        return partition_for_key(record.key, topic.count, utils_abs)
