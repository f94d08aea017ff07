"""Murmur2: keyed records by hash, keyless ones round robin over the available partitions.

Goals, in order: equal keys in one partition while the count stays; keyless records spread evenly.
Keyed: the 32-bit murmur2 of the key bytes, without its sign bit, modulo the number of partitions,
available or not. Keyless: one counter for all topics (`Turns`). A partition that the record
names is ignored: the producer handles it (`explicit`).
Source: Kafka `Utils.murmur2`, and `DefaultPartitioner` of the 0.9 clients; the hash is still the
default for keyed records (`BuiltInPartitioner.partitionForKey`).
Cost: O(n) for a key of n bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kassay.assignors.registry import reference
from kassay.model.java import to_positive, wrap
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import (
    NoPartitionsError,
    PartitionerBase,
    ProducerRecord,
    TopicMetadata,
)

# Round robin of the older default partitioners over keyless records.
#
# The counter is a Java int: it overflows into the negative numbers, and each release makes it non-negative in
# its own way (`Utils.abs` in 0.8, `toPositive` later).
# Source: Kafka `Partitioner` (0.8), `DefaultPartitioner` (0.9 to 2.3).


def at_turn(turn: int, topic: TopicMetadata) -> int:
    """The available partition at that turn, of all if none is available; raises `NoPartitionsError`."""
    if not topic.count:
        raise NoPartitionsError("a topic with 0 partitions cannot take a record")
    available = topic.available
    return available[turn % len(available)] if available else turn % topic.count


class Turns:
    """A counter that goes round the available partitions."""

    def __init__(self, positive: Callable[[int], int], start: int = 0) -> None:
        self._positive = positive
        self._counter = wrap(start)

    def next(self, topic: TopicMetadata) -> int:
        """The next partition; raises `NoPartitionsError`."""
        partition = at_turn(self._positive(self._counter), topic)
        self._counter = wrap(self._counter + 1)
        return partition


_SEED: Final = 0x9747B28C
_MIX: Final = 0x5BD1E995
_INT: Final = 0xFFFFFFFF


def murmur2(data: bytes) -> int:
    """Kafka's 32-bit murmur2 of the bytes, as a Java int.

    Austin Appleby's MurmurHash2 with Kafka's seed: four bytes at a time, the low byte first, then the
    remaining one to three.

    >>> murmur2(b""), murmur2(b"21")
    (275646681, -973932308)
    """
    mixed = _SEED ^ len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        word = int.from_bytes(data[start : start + 4], "little") * _MIX & _INT
        word = (word ^ word >> 24) * _MIX & _INT
        mixed = mixed * _MIX & _INT ^ word
    if whole < len(data):
        mixed = (mixed ^ int.from_bytes(data[whole:], "little")) * _MIX & _INT
    mixed = (mixed ^ mixed >> 13) * _MIX & _INT
    return wrap(mixed ^ mixed >> 15)


def partition_for_key(key: bytes, count: int, positive: Callable[[int], int] = to_positive) -> int:
    """The partition of a keyed record, its hash made `positive`; raises `NoPartitionsError` for a count of 0.

    >>> partition_for_key(b"21", 50)
    40
    """
    if count < 1:
        raise NoPartitionsError(f"a topic with {count} partitions cannot take a record")
    return positive(murmur2(key)) % count


@reference(
    "murmur2",
    kind=PARTITIONER,
    claims=("hash-compatible", "available-only"),
    source="org.apache.kafka.clients.producer.internals.DefaultPartitioner",
    since="3.9",
)
class Murmur2(PartitionerBase):
    """Keyed records by murmur2, keyless ones round robin: the default of the 0.9 clients."""

    positive = staticmethod(to_positive)
    """How hashes and the counter are made non-negative."""

    def __init__(self, start: int = 0) -> None:
        self._keyless = Turns(self.positive, start)

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition of the record; raises `NoPartitionsError`."""
        if record.key is None:
            return self._keyless.next(topic)
        return partition_for_key(record.key, topic.count, self.positive)
