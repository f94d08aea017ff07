"""A Streams application in words: its events, its answers, and what can be removed from a history.

The events of a Streams application's history in words.

Answers of a task assignor in words, and better alternatives.

What can be removed from the history of a Streams application, in words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

from kassay.kinds.words import Event, EventForm, few, noun_of
from kassay.model.calls import Failure
from kassay.model.shape.nodes import put, without_item
from kassay.model.shape.removal import Removal, event_removals
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import ClientTasks, TaskAssignment
from kassay.writing.text import counted, series


def _place(event: Event) -> list[str]:
    rack = [f"rack {event['rack']}"] if event.get("rack") else []
    return [*rack, *(f"{key}={value}" for key, value in dict(event.get("tags") or {}).items())]


def _joins(event: Event) -> str:
    return f"{event['process']} joins ({', '.join([counted(event['threads'], 'thread'), *_place(event)])})"


def _moves(event: Event) -> str:
    return ", ".join(_place(event)) or "no rack and no tags"


EVENT_FORMS: Final[Mapping[str, EventForm]] = {
    "ProcessJoin": EventForm(lambda e: f"{e['process']} joining", _joins),
    "ProcessLeave": EventForm(lambda e: f"{e['process']} leaving", lambda e: f"{e['process']} leaves"),
    "ThreadsChange": EventForm(
        lambda e: f"{e['process']} changing to {counted(e['threads'], 'thread')}",
        lambda e: f"{e['process']} changes to {counted(e['threads'], 'thread')}",
    ),
    "ProcessRestart": EventForm(lambda e: f"{e['process']} restarting", lambda e: f"{e['process']} restarts"),
    "ProcessRetag": EventForm(
        lambda e: f"{e['process']} moving to {_moves(e)}",
        lambda e: f"{e['process']} moves to {_moves(e)}",
    ),
    "StateLost": EventForm(
        lambda e: f"{e['process']} losing its state",
        lambda e: f"{e['process']} loses its state",
    ),
    "StandbysChange": EventForm(
        lambda e: f"the change to {counted(e['replicas'], 'standby copy')}",
        lambda e: f"the application changes to {counted(e['replicas'], 'standby copy')}",
    ),
}
"""Each event of an application by its name."""


def task_words(step: TaskStep) -> str:
    """The tasks of each process."""

    def tasks(process_id: str) -> str:
        active, standby = given[process_id]
        parts = [f"active {series(active)}"] * bool(active) + [f"standby {series(standby)}"] * bool(standby)
        return f"{process_id} {' with '.join(parts) or 'gets nothing'}"

    given = step.given.processes
    return few([tasks(process_id) for process_id in given], "; ")


def by_threads(step: TaskStep) -> TaskAssignment:
    """Active tasks so that each weighs as little as possible, with the fewest leaving their process.

    The k-th task of a process with c threads weighs k/c. Standby copies stay where the answer has them.
    """
    request = step.request
    threads = {client.process_id: client.capacity for client in request.clients}
    held = {client.process_id: [*client.previous_active] for client in request.clients}
    room = dict.fromkeys(threads, 0)
    for _ in request.tasks if threads else ():
        lightest = min(threads, key=lambda p: (Fraction(room[p] + 1, threads[p]), room[p] >= len(held[p]), p))
        room[lightest] += 1
    active = {process: sorted(held[process])[: room[process]] for process in threads}
    kept = {task for tasks in active.values() for task in tasks}
    free = iter(sorted(set(request.tasks) - kept))
    for process, tasks in active.items():
        tasks += [task for _, task in zip(range(room[process] - len(tasks)), free, strict=False)]
    given = {} if isinstance(step.answer, Failure) else step.answer.processes
    copies = {process: given.get(process, ClientTasks()).standby for process in threads}
    return TaskAssignment(
        {
            process: ClientTasks(
                tuple(sorted(tasks)), tuple(task for task in copies[process] if task not in tasks)
            )
            for process, tasks in active.items()
        }
    )


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
