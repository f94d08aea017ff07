"""Coordinator lookup: the partition of `__consumer_offsets` that stores a group.

The broker that leads that partition coordinates the group. Kafka first takes the absolute value of the
group id's hash and then the remainder; for the one hash that has no absolute value, it takes 0.
Articles often take the remainder first. Both give the same for every other hash, and
for that one if the count is a power of two:

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
from kassay.model.java import INT_MIN, remainder, string_hash, utils_abs
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
    """Whether the two formulas give different partitions: a hash of -2**31, and no power of two."""
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
    """The partition of the offsets topic that stores a group; its leader coordinates the group."""

    def partition_for(self, group_id: str, partitions: int) -> int:
        """The group's partition of an offsets topic with that many partitions."""
        return offsets_partition(group_id, partitions)
