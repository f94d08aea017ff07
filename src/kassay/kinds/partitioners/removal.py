"""What can be removed from the records sent to a partitioner, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal


def record_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Keys, missing leaders, partitions that records name, the records, and the configuration."""
    for number, record in enumerate(case["records"]):
        name = f"record {number + 1}"
        at = ("records", number)
        if record.get("key"):
            yield Removal(f"the bytes of the key of {name}", put(case, (*at, "key"), ""))
        if record.get("unavailable"):
            yield Removal(f"the missing leaders for {name}", put(case, (*at, "unavailable"), []))
        if record.get("partition") is not None:
            yield Removal(f"the partition that {name} names", put(case, (*at, "partition"), None))
        if len(case["records"]) > 1:
            yield Removal(name, without_item(case, ("records",), number), extent=(1, "record"))
    if case.get("config"):
        yield Removal("the configuration", put(case, ("config",), {}))
