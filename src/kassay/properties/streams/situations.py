"""The situations of Streams applications: what happens in a history, found in one walk through it."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Final

from kassay.model.kinds import Kind
from kassay.model.streams.history import (
    ProcessRestart,
    StandbysChange,
    StateLost,
    TaskChange,
    TaskHistory,
    happen,
)
from kassay.properties.registry import situation
from kassay.properties.streams.scenarios import ACCEPTABLE_LAG

_MOVING: Final = ("converges", "stable", "fixed-point", "sticky-minimal", "sticky-by-member")
_BALANCE: Final = ("balanced-within-one", "balanced-optimal", "stateful-balanced", "threads-balanced")
_COPYING: Final = ("standby-disjoint", "standby-count", "task-errors")

SENTENCES: Final = {
    "process-joins": ("A process comes to a running application.", (*_MOVING, *_BALANCE, "warm-ups")),
    "process-leaves": ("A process goes, and its state with it.", (*_MOVING, "complete")),
    "process-restarts": ("A process starts again, with its state and new threads.", _MOVING),
    "state-lost": ("A process loses the state that it does not run on.", _MOVING),
    "standbys-change": ("Another number of standby copies is asked for.", (*_MOVING, *_COPYING)),
    "threads-differ": ("Processes have different numbers of threads.", _BALANCE),
    "lagging-copy": (
        "A standby copy is further behind than is acceptable.",
        (*_MOVING, *_COPYING, "warm-ups"),
    ),
    "standby-0": ("No standby copies are asked for.", ("complete",)),
    "standby-1": ("One standby copy of each stateful task is asked for.", _COPYING),
    "standby-2": ("Two standby copies of each stateful task are asked for.", _COPYING),
    "more-standbys-than-processes": ("There are too few processes for the copies.", _COPYING),
    "stateless-and-stateful": ("Some tasks have state and some have none.", _COPYING),
    "no-change": ("A settled application is run again.", ("stable", "fixed-point")),
}
"""Each with the claims that require it."""


@lru_cache(maxsize=1)
def reached(history: TaskHistory) -> frozenset[str]:
    """The situations that the history has in it."""
    here = {join.process_id: join.threads for join in history.processes}
    standbys = history.standby_replicas
    names = {f"standby-{standbys}"}
    if 0 < history.stateful < len(history.partitions):
        names.add("stateless-and-stateful")
    for change in (TaskChange(), *history.changes):
        for event in change.events:
            before = len(here)
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
        if len(set(here.values())) > 1:
            names.add("threads-differ")
        if history.stateful and len(here) <= standbys:
            names.add("more-standbys-than-processes")
        if history.stateful and standbys and any(lag > ACCEPTABLE_LAG for lag in change.lags):
            names.add("lagging-copy")
    if any(not change.events for change in history.changes):
        names.add("no-change")
    return frozenset(names)


def _is_reached(name: str, history: TaskHistory) -> bool:
    return name in reached(history)


for _name, (_sentence, _claims) in SENTENCES.items():
    situation(_name, kinds=Kind.STREAMS, required_by=_claims, sentence=_sentence)(partial(_is_reached, _name))
