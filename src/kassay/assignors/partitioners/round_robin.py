"""Round robin: keyless records go round the available partitions, with one counter for each topic.

Goals, in order: an available partition while there is one; keyless records spread evenly.
The counter, made non-negative, modulo the number of available partitions, is an index into their
numbers. With none available, the counter modulo all partitions is the number itself. Kafka starts a counter
at a random number; here it starts at the injected one, 0 by default. When the set of available partitions
changes, so does the remainder, and some partitions miss a turn. Keyed records use murmur2: equal keys in one
partition. Kafka's `RoundRobinPartitioner` (KIP-369) is the same rule with keys ignored.
Source: Kafka `DefaultPartitioner` up to 2.3; its 0.9 form (`murmur2`) has one counter for all topics.
Cost: O(1) without a key.
"""

from __future__ import annotations

from kassay.assignors.partitioners.murmur2 import Turns, partition_for_key
from kassay.assignors.registry import reference
from kassay.model.java import to_positive
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import PartitionerBase, ProducerRecord, TopicMetadata


@reference(
    "round-robin",
    kind=PARTITIONER,
    claims=("hash-compatible", "available-only"),
    source="org.apache.kafka.clients.producer.internals.DefaultPartitioner",
)
class RoundRobinPartitioner(PartitionerBase):
    """Keyless records round robin, a counter for each topic; keyed ones by murmur2: the default up to 2.3."""

    def __init__(self, start: int = 0) -> None:
        self._start = start
        self._turns: dict[str, Turns] = {}

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `NoPartitionsError`."""
        if record.key is not None:
            return partition_for_key(record.key, topic.count)
        if record.topic not in self._turns:
            self._turns[record.topic] = Turns(to_positive, self._start)
        return self._turns[record.topic].next(topic)
