"""Uniform sticky: keyless records stay with a partition until it has had a batch, today's rule.

Goals, in order: full batches; keyless bytes spread over partitions evenly. Keyed records go by murmur2.
A partition is drawn among the available ones (among all, if none is). Records stick to it until
`batch.size` bytes went there, then the next is drawn. Kafka's sender may put the switch off while a batch
is not full, and may draw by the lengths of its queues; here nobody has a sender, so neither is done. A
partition that becomes unavailable meanwhile keeps its records until then, so only where the metadata
stay as they are does every keyless record go to an available partition.
Kafka draws from the thread's random numbers; here from an injected source.
Source: Kafka `BuiltInPartitioner`, KIP-794 (before it, KIP-480).
Cost: O(1) a record.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from kassay.assignors.partitioners.murmur2 import partition_for_key
from kassay.assignors.partitioners.turns import at_turn
from kassay.assignors.registry import reference
from kassay.model.errors import InputError
from kassay.model.java.randomness import POSITIVE_INTS, JavaRandom, RandomSource
from kassay.model.kinds import Kind
from kassay.model.partitioners.partitioner import PartitionerBase, ProducerRecord, TopicMetadata

BATCH_SIZE_BYTES: Final = 16_384


class StickyPartition:
    """The partition that keyless records of one topic stick to, and how much it has had."""

    def __init__(self, batch_size_bytes: int, random: RandomSource) -> None:
        self._batch_size_bytes = batch_size_bytes
        self._random = random
        self._current: int | None = None
        self._produced_bytes = 0

    def current(self, topic: TopicMetadata) -> int:
        """The partition of the next record; raises `NoPartitionsError`."""
        if self._current is None:
            self._current = self._draw(topic)
        return self._current

    def produced(self, size_bytes: int, topic: TopicMetadata) -> None:
        """Count bytes that went to the current partition, and draw another when it has had enough."""
        self._produced_bytes += size_bytes
        if self._produced_bytes >= self._batch_size_bytes:
            self._current = self._draw(topic)
            self._produced_bytes = 0

    def _draw(self, topic: TopicMetadata) -> int:
        return at_turn(self._random.next_int(POSITIVE_INTS), topic)


@reference(
    "uniform-sticky",
    kind=Kind.PARTITIONER,
    claims=("hash-compatible",),
    source="org.apache.kafka.clients.producer.internals.BuiltInPartitioner",
)
class UniformSticky(PartitionerBase):
    """Keyless records stick to a drawn partition for a batch, keyed ones by murmur2 (KIP-794)."""

    def __init__(self, random: RandomSource | None = None) -> None:
        self._random = random or JavaRandom(0)
        self._batch_size_bytes = BATCH_SIZE_BYTES
        self._ignore_keys = False
        self._sticky: dict[str, StickyPartition] = {}

    def configure(self, config: Mapping[str, str]) -> None:
        """Take `batch.size` and `partitioner.ignore.keys`; raises `InputError` for another than a number."""
        size = config.get("batch.size", str(BATCH_SIZE_BYTES))
        if not size.isdecimal():
            raise InputError(f"batch.size: {size!r}, expected a number of bytes")
        # The producer sends single records where the batch size is 0.
        self._batch_size_bytes = max(1, int(size))
        self._ignore_keys = config.get("partitioner.ignore.keys", "false").lower() == "true"

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `NoPartitionsError`."""
        if record.key is not None and not self._ignore_keys:
            return partition_for_key(record.key, topic.count)
        sticky = self.sticky(record.topic)
        partition = sticky.current(topic)
        sticky.produced(record.size_bytes, topic)
        return partition

    def sticky(self, topic: str) -> StickyPartition:
        """The sticky partition of the topic's keyless records."""
        if topic not in self._sticky:
            self._sticky[topic] = StickyPartition(self._batch_size_bytes, self._random)
        return self._sticky[topic]
