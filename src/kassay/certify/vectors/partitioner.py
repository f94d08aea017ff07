"""Vectors of the producer's hash: murmur2 of a key and the partition that follows for several counts.

The target is asked for the partition of a keyed record. Against a reference the hash is compared too.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kassay.assignors.partitioners.murmur2 import murmur2
from kassay.certify.vectors.registry import vector_format
from kassay.model.errors import KafkaError
from kassay.model.java.int32 import to_positive
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata


@dataclass(frozen=True)
class HashExpected:
    """The hash, and the partition by the number of partitions."""

    murmur2: int
    to_positive: int
    partition: Mapping[str, int]


@dataclass(frozen=True)
class HashVector:
    """One vector."""

    key_b64: str
    expected: HashExpected


@vector_format("partitioner-murmur2", HashVector, reference="partitioner:murmur2")
def check_murmur2(vector: HashVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target partitions the key as Kafka did for every count, else how not."""
    key, expected = base64.b64decode(vector.key_b64, validate=True), vector.expected
    if exact:
        hashed = murmur2(key)
        if hashed != expected.murmur2:
            return f"murmur2 {hashed}, expected {expected.murmur2}"
        if to_positive(hashed) != expected.to_positive:
            return f"to_positive {to_positive(hashed)}, expected {expected.to_positive}"
    partitioner = factory()
    partitioner.configure({})
    for count, wanted in expected.partition.items():
        try:
            given = partitioner.partition(ProducerRecord("topic", key), TopicMetadata.of(int(count)))
        except KafkaError as error:
            return f"of {count} partitions: raised {error.java_class} ({error}), expected {wanted}"
        if given != wanted:
            return f"of {count} partitions: {given}, expected {wanted}"
    partitioner.close()
    return None
