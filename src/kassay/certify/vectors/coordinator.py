"""Vectors of the coordinator lookup: the group id's Java hash and its partition for several counts.

Group ids are read from their UTF-16 code units, so that an id that is not valid Unicode counts too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from kassay.certify.vectors.registry import vector_format
from kassay.model.java.hashes import string_hash
from kassay.model.java.int32 import utils_abs
from kassay.reading.fields import Bound


@dataclass(frozen=True)
class LookupExpected:
    """The hash, and the partition by the number of partitions."""

    string_hash: int
    abs: int
    partition: Mapping[str, int]


@dataclass(frozen=True)
class LookupVector:
    """One vector."""

    group_id_utf16: tuple[Annotated[int, Bound("a code unit", range(0x10000).__contains__)], ...]
    expected: LookupExpected


@vector_format("coordinator-partition", LookupVector, reference="coordinator")
def check_coordinator(vector: LookupVector, factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target looks the group up as Kafka did for every count, else how not."""
    units, expected = vector.group_id_utf16, vector.expected
    group_id = struct.pack(f">{len(units)}H", *units).decode("utf-16-be", "surrogatepass")
    if exact:
        hashed = string_hash(group_id)
        if hashed != expected.string_hash:
            return f"hash {hashed}, expected {expected.string_hash}"
        if utils_abs(hashed) != expected.abs:
            return f"absolute value {utils_abs(hashed)}, expected {expected.abs}"
    lookup = factory()
    for count, wanted in expected.partition.items():
        given = lookup.partition_for(group_id, int(count))
        if given != wanted:
            return f"of {count} partitions: {given}, expected {wanted}"
    return None
