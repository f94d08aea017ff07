"""Abs: the 0.8 partitioner, which makes numbers non-negative with `Utils.abs`.

Goals, in order: the partition that the record names; equal keys in one partition; keyless records
round robin over the available partitions, one counter for all topics.
Keyed: `Utils.abs` of the murmur2 of the key, modulo the number of partitions. The later
`toPositive` clears the sign bit instead, so for about half of all keys, those whose hash is negative,
the two differ unless both have the same remainder: the upgrade to 0.9 moved keys. The one int without an
absolute value counts as 0. For a partition outside the topic it raises `IllegalArgumentException`.
Source: Kafka `org.apache.kafka.clients.producer.internals.Partitioner`, 0.8.2.
Cost: O(n) for a key of n bytes.
"""

from __future__ import annotations

from kassay.assignors.partitioners.explicit import Explicit
from kassay.assignors.registry import reference
from kassay.model.java import utils_abs
from kassay.model.partitioners.kinds import PARTITIONER


@reference(
    "abs",
    kind=PARTITIONER,
    claims=("available-only", "refuses-out-of-range"),
    source="org.apache.kafka.clients.producer.internals.Partitioner",
)
class Abs(Explicit):
    """Explicit partition, else the absolute hash of the key, else round robin: the 0.8 producer."""

    positive = staticmethod(utils_abs)
