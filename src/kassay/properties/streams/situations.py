"""The situations of Streams applications: the events of a history, found in one pass through it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Final

from kassay.model.streams.events import (
    ProcessRestart,
    ProcessRetag,
    Running,
    StandbysChange,
    StateLost,
    happen,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.kinds import STREAMS
from kassay.properties.registry import situation
from kassay.properties.streams.scenarios import ACCEPTABLE_LAG

_MOVING: Final = (
    "converges",
    "stable",
    "fixed-point",
    "sticky-minimal",
    "sticky-by-member",
    "sticky-standbys",
)
_BALANCE: Final = ("balanced-within-one", "balanced-optimal", "stateful-balanced", "threads-balanced")
_COPYING: Final = ("standby-disjoint", "standby-count", "task-errors")
_SPREADING: Final = ("standby-tags",)

SENTENCES: Final = {
    "process-joins": ("A process joins a running application.", (*_MOVING, *_BALANCE, "warm-ups")),
    "process-leaves": ("A process leaves, and its state with it.", (*_MOVING, "complete")),
    "process-restarts": ("A process restarts, with its state and new threads.", _MOVING),
    "state-lost": ("A process loses the state of tasks that it does not run.", _MOVING),
    "standbys-change": ("The requested number of standby copies changes.", (*_MOVING, *_COPYING)),
    "threads-differ": ("Processes have different numbers of threads.", _BALANCE),
    "lagging-copy": (
        "A standby copy is further behind than is acceptable.",
        (*_MOVING, *_COPYING, "warm-ups"),
    ),
    "standby-0": ("No standby copies are requested.", ("complete",)),
    "standby-1": ("One standby copy of each stateful task is requested.", _COPYING),
    "standby-2": ("Two standby copies of each stateful task are requested.", _COPYING),
    "more-standbys-than-processes": ("There are too few processes for the copies.", _COPYING),
    "stateless-and-stateful": ("Some tasks have state and some have none.", _COPYING),
    "no-change": ("A settled application is run again.", ("stable", "fixed-point")),
    "client-tags": ("Copies are to be spread over a tag that differs between processes.", _SPREADING),
    "several-tags": ("Copies are to be spread over the values of several tags.", _SPREADING),
    "few-tag-values": ("A tag has fewer values than a task has copies.", _SPREADING),
    "enough-tag-values": (
        "A tag has a value for each copy, two or more of them standby.",
        _SPREADING,
    ),
    "tags-missing": ("A process lacks a tag over which copies are to be spread.", _SPREADING),
    "process-retags": ("A process restarts with another rack or other tags.", _SPREADING),
}
"""The situations with the claims that require them."""


@lru_cache(maxsize=1)
def reached(history: TaskHistory) -> frozenset[str]:
    """The situations that the history contains."""
    here = {join.process_id: Running(join.threads, join.rack, join.tags) for join in history.processes}
    standbys = history.standby_replicas
    names = {f"standby-{standbys}"}
    if 0 < history.stateful < len(history.partitions):
        names.add("stateless-and-stateful")
    for change in (TaskChange(), *history.changes):
        for event in change.events:
            before = len(here)
            if isinstance(event, ProcessRetag) and _says_otherwise(event, here):
                names.add("process-retags")
            happen(event, here)
            match event:
                case ProcessRestart(process_id) if process_id in here:
                    names.add("process-restarts")
                case StateLost(process_id) if process_id in here:
                    names.add("state-lost")
                case StandbysChange(replicas) if replicas != standbys:
                    names.add("standbys-change")
                    standbys = replicas
            if len(here) != before:
                names.add("process-joins" if len(here) > before else "process-leaves")
        if len({runs.threads for runs in here.values()}) > 1:
            names.add("threads-differ")
        if history.stateful and len(here) <= standbys:
            names.add("more-standbys-than-processes")
        if history.stateful and standbys and any(lag > ACCEPTABLE_LAG for lag in change.lags):
            names.add("lagging-copy")
        if history.stateful and 0 < standbys < len(here):
            names.update(_of_tags(history.rack_aware_tags, list(here.values()), standbys + 1))
    if any(not change.events for change in history.changes):
        names.add("no-change")
    return frozenset(names)


def _says_otherwise(event: ProcessRetag, here: dict[str, Running]) -> bool:
    """Whether the process is present with another rack or other tags."""
    before = here.get(event.process_id)
    return before is not None and (before.rack, before.tags) != (event.rack, event.tags)


def _of_tags(keys: tuple[str, ...], processes: list[Running], copies: int) -> Iterator[str]:
    """The situations in which this number of copies is to be spread over the values of these tags."""
    values = [{dict(runs.tags).get(key) for runs in processes} for key in keys]
    numbers = [len(of_key) for of_key in values]
    if any(None in of_key for of_key in values):
        yield "tags-missing"
    elif any(number > 1 for number in numbers):
        yield "client-tags"
        if sum(number > 1 for number in numbers) > 1:
            yield "several-tags"
        if any(1 < number < copies for number in numbers):
            yield "few-tag-values"
        if any(number >= copies > 2 for number in numbers):
            yield "enough-tag-values"


def _is_reached(name: str, history: TaskHistory) -> bool:
    return name in reached(history)


for _name, (_sentence, _claims) in SENTENCES.items():
    situation(_name, kinds=STREAMS, required_by=_claims, sentence=_sentence)(partial(_is_reached, _name))
