"""Faulty partitioners: the default rule with one fault."""

from __future__ import annotations

import time
from functools import partial

from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.murmur2 import murmur2
from kassay.kinds import controls
from kassay.model.java import to_positive
from kassay.model.partitioners.kinds import PARTITIONER
from kassay.model.partitioners.partitioner import PartitionerBase, ProducerRecord, TopicMetadata

control = partial(controls.control, kinds=PARTITIONER, like="partitioner:explicit")


class _Spoilt(PartitionerBase):
    """The reference, except for records with a key."""

    def __init__(self) -> None:
        self._rule = Explicit()

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The partition that the reference or the fault chooses."""
        if record.partition is not None or record.key is None:
            return self._rule.partition(record, topic)
        return self.keyed(record.key, topic.count)

    def keyed(self, key: bytes, count: int) -> int:
        """The partition for a key."""
        return to_positive(murmur2(key)) % count


@control("keeps-the-sign", breaks="in-range")
class KeepsTheSign(_Spoilt):
    """Java's remainder of a negative hash is taken for a partition."""

    def keyed(self, key: bytes, count: int) -> int:
        """A negative number for every second key."""
        hashed = murmur2(key)
        return hashed % count if hashed >= 0 else -(-hashed % count)


@control("adds-bytes", breaks="hash-compatible")
class AddsBytes(_Spoilt):
    """A sum of the bytes stands for the hash."""

    def keyed(self, key: bytes, count: int) -> int:
        """The partition by the sum."""
        return sum(key) % count


@control("remembers-keys", breaks="same-key-same-partition")
class RemembersKeys(_Spoilt):
    """Keys go round all partitions, one call after the other."""

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0

    def keyed(self, key: bytes, count: int) -> int:  # the fault
        """The partition by the number of calls."""
        self._calls += 1
        return self._calls % count


@control("salts-hashes", breaks="deterministic")
class SaltsHashes(_Spoilt):
    """Python's own hash of the bytes, another one in each process."""

    def keyed(self, key: bytes, count: int) -> int:
        """The partition by the salted hash."""
        return hash(key) % count


@control("drops-empty-keys", breaks="total")
class DropsEmptyKeys(_Spoilt):
    """An empty key makes it fail."""

    def keyed(self, key: bytes, count: int) -> int:
        """The default rule, which here also reads the last byte."""
        return (to_positive(murmur2(key)) + 0 * key[-1]) % count


@control("ignores-leaders", breaks="available-only")
class IgnoresLeaders(_Spoilt):
    """A record without a key goes to any partition, with a leader or without."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The first partition for a record without a key."""
        return 0 if record.key is None and record.partition is None else super().partition(record, topic)


@control("wraps-explicit", breaks="refuses-out-of-range")
class WrapsExplicit(_Spoilt):
    """A partition that is not there is taken modulo the count."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The remainder of the partition by the count."""
        explicit = record.partition
        return super().partition(record, topic) if explicit is None else explicit % topic.count


@control("waits-for-ever", breaks="terminates")
class SendsNever(_Spoilt):
    """It waits for a leader where no partition has one."""

    def partition(self, record: ProducerRecord, topic: TopicMetadata) -> int:
        """The reference's partition, if there is a leader."""
        while not topic.available:
            time.sleep(1)
        return super().partition(record, topic)


@control("keeps-the-first", breaks="pure")
class KeepsTheFirst(_Spoilt):
    """What becomes of keys depends on which object of the process it is."""

    objects = 0

    def __init__(self) -> None:
        super().__init__()
        KeepsTheFirst.objects += 1
        self._number = KeepsTheFirst.objects

    def keyed(self, key: bytes, count: int) -> int:
        """The partition for a key, shifted further for each object."""
        return (super().keyed(key, count) + self._number) % count
