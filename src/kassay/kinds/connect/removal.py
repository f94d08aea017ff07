"""What can be removed from the history of a Connect cluster, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from kassay.kinds.connect.events import EVENT_FORMS
from kassay.kinds.events import noun_of
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal, event_removals


def connect_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Without each event, each wait, each worker, each connector and one of its tasks."""
    yield from event_removals(case, partial(noun_of, EVENT_FORMS))
    for number, change in enumerate(case.get("changes", ())):
        if change.get("wait_ms"):
            at = ("changes", number, "wait_ms")
            yield Removal(f"the {change['wait_ms']} ms before rebalance {number + 2}", put(case, at, 0))
    for number, worker in enumerate(case["workers"]):
        if len(case["workers"]) > 1:
            less = without_item(case, ("workers",), number)
            yield Removal(f"worker {worker}", less, extent=(1, "worker"))
    for number, (connector, tasks) in enumerate(case.get("connectors", ())):
        less = without_item(case, ("connectors",), number)
        yield Removal(f"connector {connector}", less, extent=(1, "connector"))
        if tasks:
            less = put(case, ("connectors", number), [connector, tasks - 1])
            yield Removal(f"one task of {connector}", less, extent=(tasks, f"task of {connector}"))
