"""Vectors of the producer's hash: murmur2 of a key and the partition that follows for several counts.

The target is asked for the partition of a keyed record. Against a reference the hash is compared too.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Any

from kassay.assignors.partitioners.murmur2 import murmur2
from kassay.certify.vectors.registry import vector_format
from kassay.model.errors import InputError, KafkaError
from kassay.model.java.int32 import to_positive
from kassay.model.partitioners.partitioner import ProducerRecord, TopicMetadata


@vector_format("partitioner-murmur2", reference="partitioner:murmur2")
def check_murmur2(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target partitions the key as Kafka did for every count, else how not."""
    key, expected = _read(vector)
    if exact:
        hashed = murmur2(key)
        if hashed != expected["murmur2"]:
            return f"murmur2 {hashed}, expected {expected['murmur2']}"
        if to_positive(hashed) != expected["to_positive"]:
            return f"to_positive {to_positive(hashed)}, expected {expected['to_positive']}"
    partitioner = factory()
    partitioner.configure({})
    for count, wanted in expected["partition"].items():
        try:
            given = partitioner.partition(ProducerRecord("topic", key), TopicMetadata.of(int(count)))
        except KafkaError as error:
            return f"of {count} partitions: raised {error.java_class} ({error}), expected {wanted}"
        if given != wanted:
            return f"of {count} partitions: {given}, expected {wanted}"
    partitioner.close()
    return None


def _read(vector: Mapping[str, Any]) -> tuple[bytes, Mapping[str, Any]]:
    """The key and what is expected; raises `InputError`."""
    try:
        key = base64.b64decode(vector["key_b64"], validate=True)
        expected = vector["expected"]
        partitions = {int(count): int(wanted) for count, wanted in expected["partition"].items()}
        return key, {
            "murmur2": int(expected["murmur2"]),
            "to_positive": int(expected["to_positive"]),
            "partition": partitions,
        }
    except (KeyError, TypeError, ValueError, AttributeError, binascii.Error) as error:
        raise InputError(f"vector {vector.get('id', '?')}: not a partitioner vector ({error!r})") from error
