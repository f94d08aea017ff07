"""Vectors of the coordinator lookup: the group id's Java hash and its partition for several counts.

Group ids are read from their UTF-16 code units, so that an id that is not valid Unicode counts too.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

from kassay.certify.vectors.registry import vector_format
from kassay.model.errors import InputError
from kassay.model.java.hashes import string_hash
from kassay.model.java.int32 import utils_abs


@vector_format("coordinator-partition", reference="coordinator")
def check_coordinator(vector: Mapping[str, Any], factory: Callable[[], Any], *, exact: bool) -> str | None:
    """None if the target looks the group up as Kafka did for every count, else how not."""
    group_id, expected = _read(vector)
    if exact:
        hashed = string_hash(group_id)
        if hashed != expected["string_hash"]:
            return f"hash {hashed}, expected {expected['string_hash']}"
        if utils_abs(hashed) != expected["abs"]:
            return f"absolute value {utils_abs(hashed)}, expected {expected['abs']}"
    lookup = factory()
    for count, wanted in expected["partition"].items():
        given = lookup.partition_for(group_id, count)
        if given != wanted:
            return f"of {count} partitions: {given}, expected {wanted}"
    return None


def _read(vector: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The group id and what is expected; raises `InputError`."""
    try:
        units = [int(unit) for unit in vector["group_id_utf16"]]
        group_id = struct.pack(f">{len(units)}H", *units).decode("utf-16-be", "surrogatepass")
        expected = vector["expected"]
        partitions = {int(count): int(wanted) for count, wanted in expected["partition"].items()}
        return group_id, {
            "string_hash": int(expected["string_hash"]),
            "abs": int(expected["abs"]),
            "partition": partitions,
        }
    except (KeyError, TypeError, ValueError, AttributeError, struct.error) as error:
        raise InputError(f"vector {vector.get('id', '?')}: not a coordinator vector ({error!r})") from error
