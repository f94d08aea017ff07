"""Lives of Streams applications and of Connect clusters with one thing less."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kassay.kinds.removal import Without, copied, left_out


def tasks_without(case: Mapping[str, Any]) -> Iterator[Without]:
    """Without each event, what is set, tags and racks, each process and each task."""
    yield from _changes(case)
    for number, change in enumerate(case.get("changes", ())):
        if change.get("lags"):
            at = ("changes", number, "lags")
            yield Without(f"the copies behind before rebalance {number + 2}", copied(case, at, []))
    if case.get("standby_replicas"):
        less = copied(case, ("standby_replicas",), case["standby_replicas"] - 1)
        yield Without("one standby copy", less)
    if case.get("stateful"):
        yield Without("state", copied(case, ("stateful",), 0))
    if case.get("rack_aware_tags"):
        yield Without("the tags to spread over", copied(case, ("rack_aware_tags",), []))
    for number, process in enumerate(case["processes"]):
        process_at = ("processes", number)
        if process.get("threads", 1) > 1:
            words = f"the {process['threads']} threads of {process['process']}"
            yield Without(words, copied(case, (*process_at, "threads"), 1))
        if len(case["processes"]) > 1:
            less = left_out(case, ("processes",), number)
            yield Without(f"process {process['process']}", less, extent=(1, "process"))
    for number, tasks in enumerate(case["partitions"]):
        if tasks > 1:
            less = copied(case, ("partitions", number), tasks - 1)
            extent = tasks, f"task of subtopology {number}"
            yield Without(f"one task of subtopology {number}", less, extent=extent)


def connect_without(case: Mapping[str, Any]) -> Iterator[Without]:
    """Without each event, each wait, each worker, each connector and one of its tasks."""
    yield from _changes(case)
    for number, change in enumerate(case.get("changes", ())):
        if change.get("wait_ms"):
            at = ("changes", number, "wait_ms")
            yield Without(f"the {change['wait_ms']} ms before rebalance {number + 2}", copied(case, at, 0))
    for number, worker in enumerate(case["workers"]):
        if len(case["workers"]) > 1:
            less = left_out(case, ("workers",), number)
            yield Without(f"worker {worker}", less, extent=(1, "worker"))
    for number, (connector, tasks) in enumerate(case.get("connectors", ())):
        less = left_out(case, ("connectors",), number)
        yield Without(f"connector {connector}", less, extent=(1, "connector"))
        if tasks:
            less = copied(case, ("connectors", number), [connector, tasks - 1])
            yield Without(f"one task of {connector}", less, extent=(tasks, f"task of {connector}"))


def _changes(case: Mapping[str, Any]) -> Iterator[Without]:
    """Without each event, and without a rebalance that nothing happens before."""
    for number, change in enumerate(case.get("changes", ())):
        for place, event in enumerate(change.get("events", ())):
            less = left_out(case, ("changes", number, "events"), place)
            yield Without(_event(event), less, event=True)
        if not change.get("events"):
            less = left_out(case, ("changes",), number)
            yield Without(f"rebalance {number + 2}", less, event=True)


def _event(event: Mapping[str, Any]) -> str:
    """What happens, in the event's own words: `ProcessLeave` of a process is `process leave`."""
    name = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in event["event"]).strip()
    rest = [str(value) for key, value in event.items() if key != "event" and value not in (None, {}, [])]
    return " ".join(["the", name, *rest])
