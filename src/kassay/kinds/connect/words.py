"""A Connect cluster in words: its events, its answers, and what can be removed from a history.

The events of a Connect cluster's history in words.

Answers of a Connect assignor in words.

What can be removed from the history of a Connect cluster, in words.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from kassay.kinds.words import Event, EventForm, OwnWords, few, noun_of
from kassay.model.connect.history import ConnectStep
from kassay.model.connect.work import ConnectAssignment, ConnectRequest
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal, event_removals
from kassay.writing.text import counted, series


def _joins(event: Event) -> str:
    running: Mapping[str, Any] = event.get("running") or {}
    work = [*running.get("connectors", ()), *running.get("tasks", ())]
    return f"{event['worker']} joins" + (f" (runs {series(work)})" if work else "")


def _tasks(event: Event) -> str:
    return counted(event["tasks"], "task")


EVENT_FORMS: Final[Mapping[str, EventForm]] = {
    "WorkerJoin": EventForm(lambda e: f"{e['worker']} joining", _joins),
    "WorkerLeave": EventForm(lambda e: f"{e['worker']} leaving", lambda e: f"{e['worker']} leaves"),
    "LeaderChange": EventForm(
        lambda _: "the change of the leader", lambda _: "another worker becomes the leader"
    ),
    "ConnectorCreate": EventForm(
        lambda e: f"connector {e['connector']} being created",
        lambda e: f"connector {e['connector']} is created with {_tasks(e)}",
    ),
    "ConnectorDelete": EventForm(
        lambda e: f"connector {e['connector']} being deleted",
        lambda e: f"connector {e['connector']} is deleted",
    ),
    "ConnectorResize": EventForm(
        lambda e: f"connector {e['connector']} changing to {_tasks(e)}",
        lambda e: f"connector {e['connector']} changes to {_tasks(e)}",
    ),
    "MissedAssignment": EventForm(
        lambda e: f"{e['worker']} missing an assignment",
        lambda e: f"{e['worker']} misses the next assignment",
    ),
    "SyncFailure": EventForm(
        lambda _: "the failed sync",
        lambda _: "the next sync fails: no worker gets the assignment, and the leader knows it",
    ),
}
"""Each event of a cluster by its name."""


def connect_words(step: ConnectStep) -> str:
    """What each worker must start and stop, and the delay."""

    def change(worker_id: str) -> str:
        starts, stops = workers[worker_id]
        parts = [f"starts {series(starts)}"] * bool(starts) + [f"stops {series(stops)}"] * bool(stops)
        return f"{worker_id} {' and '.join(parts) or 'changes nothing'}"

    workers: Mapping[str, Any] = step.given.workers
    delay = f"; all rejoin after {step.given.delay_ms} ms" if step.given.delay_ms else ""
    return few([change(worker_id) for worker_id in workers], "; ") + delay


class MemoryOfEach(OwnWords):
    """Gives each of two leaders the memory from its own answers.

    Where the first leader is new or remembers nothing, so does the second.
    """

    def __init__(self) -> None:
        self._memory: Hashable = None

    def note(self, method: str, outcome: Any) -> None:
        """Record the memory that the other leader's answer leaves."""
        if isinstance(outcome, ConnectAssignment):
            self._memory = outcome.memory

    def for_other(self, argument: Any) -> Any:
        """The request with the memory of the other leader."""
        if isinstance(argument, ConnectRequest) and argument.memory is not None:
            return replace(argument, memory=self._memory)
        return super().for_other(argument)


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
