"""Partitioners with one deliberate fault each, and the claim that it breaks."""

from itertools import count

from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.partitioners.murmur2 import murmur2
from kassay.model.partitioners.partitioner import PartitionerBase

_serial = count()


class Delegating(PartitionerBase):
    """No fault: the reference with an explicit partition honoured."""

    def __init__(self):
        self.rule = Explicit()

    def partition(self, record, topic):
        return self.rule.partition(record, topic)


class SignedRemainder(Delegating):
    """Java's remainder of a negative hash, taken for a partition."""

    def partition(self, record, topic):
        if record.key is None or record.partition is not None:
            return super().partition(record, topic)
        hashed = murmur2(record.key)
        return hashed % topic.count if hashed >= 0 else -(-hashed % topic.count)


class OneTooMany(Delegating):
    """Counts partitions from 1."""

    def partition(self, record, topic):
        return super().partition(record, topic) + (record.partition is None)


class AvoidsUnavailable(Delegating):
    """A keyed record goes elsewhere while its partition has no leader."""

    def partition(self, record, topic):
        chosen = super().partition(record, topic)
        keyed = record.key is not None and record.partition is None
        return topic.available[0] if keyed and topic.available and chosen not in topic.available else chosen


class AbsoluteHash(Delegating):
    """The absolute value of the hash, as in 0.8."""

    def partition(self, record, topic):
        if record.key is None or record.partition is not None:
            return super().partition(record, topic)
        return abs(murmur2(record.key)) % topic.count


class SignedTail(Delegating):
    """The last bytes of a key of odd length, sign-extended."""

    def partition(self, record, topic):
        if record.key is not None and record.partition is None and len(record.key) % 4:
            chosen = super().partition(record, topic)
            return (chosen + 1) % topic.count if record.key[-1] >= 0x80 else chosen
        return super().partition(record, topic)


class IgnoresAvailability(Delegating):
    """Keyless records round all partitions."""

    def __init__(self):
        super().__init__()
        self.turn = 0

    def partition(self, record, topic):
        if record.key is None and record.partition is None:
            self.turn += 1
            return self.turn % topic.count
        return super().partition(record, topic)


class FoldsExplicit(Delegating):
    """A partition that is not there is folded into the range."""

    def partition(self, record, topic):
        return (
            record.partition % topic.count
            if record.partition is not None
            else super().partition(record, topic)
        )


class FailsOnEmptyKey(Delegating):
    """Takes the first byte of a key that may be empty."""

    def partition(self, record, topic):
        if record.key is not None:
            record.key[0]
        return super().partition(record, topic)


class SeededPerObject(Delegating):
    """Every object hashes with a seed of its own."""

    def __init__(self):
        super().__init__()
        self.seed = next(_serial)

    def partition(self, record, topic):
        chosen = super().partition(record, topic)
        return (chosen + self.seed) % topic.count if record.partition is None else chosen


FAULTY = {
    "in-range": (SignedRemainder, OneTooMany),
    "same-key-same-partition": (AvoidsUnavailable,),
    "hash-compatible": (AbsoluteHash, SignedTail, SignedRemainder),
    "available-only": (IgnoresAvailability,),
    "refuses-out-of-range": (FoldsExplicit,),
    "total": (FailsOnEmptyKey,),
    "pure": (SeededPerObject,),
    "deterministic": (SeededPerObject,),
}
"""By the claim that the fault breaks."""
