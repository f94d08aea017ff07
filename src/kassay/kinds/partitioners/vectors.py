"""Vectors of hash results: a keyed record's partition, and a group's partition in the offsets topic.

The check calls the target for the partition with several counts. For a reference it also compares the hash.
Group ids are read from their UTF-16 code units, so that an id that is not valid Unicode is tested too.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from kassay.assignors.partitioners.murmur2 import murmur2
from kassay.kinds.vectors import vector_format
from kassay.model.errors import KafkaError
from kassay.model.java import string_hash, to_positive, utils_abs
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata
from kassay.model.shape.codec import MOST
from kassay.reading.documents import Bound, wrong


@dataclass(frozen=True)
class RecordHashes:
    """The hash of a key, and the partition by the number of partitions."""

    murmur2: int
    to_positive: int
    partition: Mapping[str, int]


@dataclass(frozen=True)
class RecordVector:
    """A keyed record."""

    key_b64: str
    expected: RecordHashes


@dataclass(frozen=True)
class GroupHashes:
    """The hash of a group id, and the partition by the number of partitions."""

    string_hash: int
    abs: int
    partition: Mapping[str, int]


@dataclass(frozen=True)
class GroupVector:
    """A group."""

    group_id_utf16: tuple[Annotated[int, Bound("a code unit", range(0x10000).__contains__)], ...]
    expected: GroupHashes


@vector_format("partitioner-murmur2", RecordVector, reference="partitioner:murmur2")
def check_murmur2(vector: RecordVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target partitions the key as Kafka did for every count, else the difference."""
    key, expected = base64.b64decode(vector.key_b64, validate=True), vector.expected
    hashed = murmur2(key)
    if exact and hashed != expected.murmur2:
        return f"murmur2 {hashed}, expected {expected.murmur2}"
    if exact and to_positive(hashed) != expected.to_positive:
        return f"to_positive {to_positive(hashed)}, expected {expected.to_positive}"
    partitioner = factory()
    partitioner.configure({})
    record = ProducerRecord("topic", key)
    difference = _difference(
        expected.partition, lambda count: partitioner.partition(record, TopicMetadata.of(count))
    )
    partitioner.close()
    return difference


@vector_format("coordinator-partition", GroupVector, reference="coordinator")
def check_coordinator(vector: GroupVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target looks up the group as Kafka did for every count, else the difference."""
    units, expected = vector.group_id_utf16, vector.expected
    group_id = struct.pack(f">{len(units)}H", *units).decode("utf-16-be", "surrogatepass")
    hashed = string_hash(group_id)
    if exact and hashed != expected.string_hash:
        return f"hash {hashed}, expected {expected.string_hash}"
    if exact and utils_abs(hashed) != expected.abs:
        return f"absolute value {utils_abs(hashed)}, expected {expected.abs}"
    lookup = factory()
    return _difference(expected.partition, lambda count: lookup.partition_for(group_id, count))


def _number(count: str) -> int:
    """The number of partitions in a field's name."""
    number = int(count) if count.isdecimal() and len(count) <= len(str(MOST)) else MOST + 1
    if number > MOST:
        raise wrong("expected.partition", count, f"numbers of partitions up to {MOST}")
    return number


def _difference(partitions: Mapping[str, int], ask: Callable[[int], int]) -> str | None:
    """The first count with a partition other than Kafka's."""
    for count, wanted in partitions.items():
        try:
            partition = ask(_number(count))
        except KafkaError as error:
            return f"of {count} partitions: raised {error.java_class} ({error}), expected {wanted}"
        if partition != wanted:
            return f"of {count} partitions: {partition}, expected {wanted}"
    return None
