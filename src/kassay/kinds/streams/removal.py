"""What can be removed from the history of a Streams application, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from kassay.kinds.events import noun_of
from kassay.kinds.streams.events import EVENT_FORMS
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal, event_removals


def task_removals(case: Mapping[str, Any]) -> Iterator[Removal]:
    """Without each event, each setting, tags and racks, each process and each task."""
    yield from event_removals(case, partial(noun_of, EVENT_FORMS))
    for number, change in enumerate(case.get("changes", ())):
        if change.get("lags"):
            at = ("changes", number, "lags")
            yield Removal(f"the copies behind before rebalance {number + 2}", put(case, at, []))
    if case.get("standby_replicas"):
        less = put(case, ("standby_replicas",), case["standby_replicas"] - 1)
        yield Removal("one standby copy", less)
    if case.get("stateful"):
        yield Removal("state", put(case, ("stateful",), 0))
    if case.get("rack_aware_tags"):
        yield Removal("the tags to spread over", put(case, ("rack_aware_tags",), []))
    for number, process in enumerate(case["processes"]):
        process_at = ("processes", number)
        if process.get("threads", 1) > 1:
            words = f"the {process['threads']} threads of {process['process']}"
            yield Removal(words, put(case, (*process_at, "threads"), 1))
        if len(case["processes"]) > 1:
            less = without_item(case, ("processes",), number)
            yield Removal(f"process {process['process']}", less, extent=(1, "process"))
    for number, tasks in enumerate(case["partitions"]):
        if tasks > 1:
            less = put(case, ("partitions", number), tasks - 1)
            extent = tasks, f"task of subtopology {number}"
            yield Removal(f"one task of subtopology {number}", less, extent=extent)
