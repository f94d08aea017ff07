"""What can be removed from a request to a placer or a planner, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal


def request_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Fenced brokers, racks, existing partitions, replicas, partitions and brokers."""
    request = case["request"]
    for number, broker in enumerate(request["brokers"]):
        name = f"broker {broker['id']}"
        at = ("request", "brokers", number)
        if broker.get("fenced"):
            yield Removal(f"{name} being fenced", put(case, (*at, "fenced"), False))
        if broker.get("rack") is not None:
            yield Removal(f"the rack of {name}", put(case, (*at, "rack"), None))
    if any(broker.get("rack") is not None for broker in request["brokers"]):
        bare = [broker | {"rack": None} for broker in request["brokers"]]
        yield Removal("the racks of the brokers", put(case, ("request", "brokers"), bare))
    if request.get("existing"):
        yield Removal("the partitions that exist already", put(case, ("request", "existing"), []))
    for field, noun in (("replication_factor", "replica"), ("partitions", "new partition")):
        if request[field] > 1:
            existing = [row[: request[field] - 1] for row in request.get("existing", [])]
            less = put(case, ("request", field), request[field] - 1)
            if field == "replication_factor" and existing:
                less["request"]["existing"] = existing
            yield Removal(f"one {noun}", less, extent=(request[field], noun))
    for number, broker in enumerate(request["brokers"]):
        less = without_item(case, ("request", "brokers"), number)
        yield Removal(f"broker {broker['id']}", less, extent=(1, "broker"))


def plan_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Racks, partitions and brokers."""
    for number, broker in enumerate(case["brokers"]):
        if broker.get("rack") is not None:
            yield Removal(f"the rack of broker {broker['id']}", put(case, ("brokers", number, "rack"), None))
    for number, row in enumerate(case["before"]):
        words = f"{row['topic']}-{row['partition']}"
        yield Removal(words, without_item(case, ("before",), number), extent=(1, "partition"))
    for number, broker in enumerate(case["brokers"]):
        less = without_item(case, ("brokers",), number)
        yield Removal(f"broker {broker['id']}", less, extent=(1, "broker"))
