"""Coordinator lookup: which partition of `__consumer_offsets` a group belongs to.

The broker that leads that partition coordinates the group. Kafka takes the absolute value of the
group id's hash first and the remainder then, and for the one hash that has no absolute value, 0. What is
written about it often takes the remainder first. Both give the same for every hash but that one, and
there for every count that is a power of two:

>>> offsets_partition("polygenelubricants", 50), remainder_first("polygenelubricants", 50)
(0, 48)
>>> lookups_differ("polygenelubricants", 50), lookups_differ("polygenelubricants", 64)
(True, False)
>>> lookups_differ("my-group", 50)
False

Sources: Kafka `GroupMetadataManager.partitionFor`, `Utils.abs`; the Javadoc of `String.hashCode`.
"""

from __future__ import annotations

from kassay.assignors.registry import reference
from kassay.model.errors import InputError
from kassay.model.java.hashes import string_hash
from kassay.model.java.int32 import INT_MIN, remainder, utils_abs
from kassay.model.protocols.kinds import COORDINATOR

OFFSETS_PARTITIONS = 50
"""The broker's default for `offsets.topic.num.partitions`."""


def offsets_partition(group_id: str, partitions: int = OFFSETS_PARTITIONS) -> int:
    """The group's partition of the offsets topic, as Kafka computes it: `abs(hash) % partitions`.

    Raises `InputError` for fewer than 1 partition.

    >>> offsets_partition("my-group")
    12
    """
    return utils_abs(string_hash(group_id)) % _checked(partitions)


def remainder_first(group_id: str, partitions: int = OFFSETS_PARTITIONS) -> int:
    """The partition as often described: `abs(hash % partitions)`, with Java's remainder.

    Raises `InputError` for fewer than 1 partition.

    >>> remainder_first("my-group")
    12
    """
    return abs(remainder(string_hash(group_id), _checked(partitions)))


def lookups_differ(group_id: str, partitions: int = OFFSETS_PARTITIONS) -> bool:
    """Whether the two ways lead to different partitions: a hash of -2**31, and no power of two."""
    _checked(partitions)
    return string_hash(group_id) == INT_MIN and INT_MIN % partitions != 0


def _checked(partitions: int) -> int:
    if partitions < 1:
        raise InputError(f"{partitions} partitions in the offsets topic, expected at least 1")
    return partitions


@reference(
    "coordinator",
    kind=COORDINATOR,
    source="org.apache.kafka.coordinator.group.GroupCoordinatorService",
    since="3.9",
)
class CoordinatorLookup:
    """Which partition of the offsets topic, and so which broker, a group belongs to."""

    def partition_for(self, group_id: str, partitions: int) -> int:
        """The group's partition of an offsets topic of that many."""
        return offsets_partition(group_id, partitions)
