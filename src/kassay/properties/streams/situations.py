"""The situations of Streams applications: what happens in a history, found in one walk through it."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Final

from kassay.model.kinds import Kind
from kassay.model.streams.history import TaskChange, TaskHistory, happen
from kassay.properties.registry import situation
from kassay.properties.streams.scenarios import ACCEPTABLE_LAG

_MOVING: Final = ("converges", "stable", "sticky-minimal")
_BALANCE: Final = ("balanced-within-one", "balanced-optimal")
_COPYING: Final = ("standby-disjoint",)

SENTENCES: Final = {
    "process-joins": ("A process comes to a running application.", (*_MOVING, *_BALANCE)),
    "process-leaves": ("A process goes, and its state with it.", (*_MOVING, "complete")),
    "threads-differ": ("Processes have different numbers of threads.", _BALANCE),
    "lagging-copy": ("A standby copy is further behind than is acceptable.", (*_MOVING, *_COPYING)),
    "standby-0": ("No standby copies are asked for.", ("complete",)),
    "standby-1": ("One standby copy of each stateful task is asked for.", _COPYING),
    "standby-2": ("Two standby copies of each stateful task are asked for.", _COPYING),
    "more-standbys-than-processes": ("There are too few processes for the copies.", _COPYING),
    "stateless-and-stateful": ("Some tasks have state and some have none.", _COPYING),
    "no-change": ("A settled application is run again.", ("stable",)),
}
"""Each with the claims that require it."""


@lru_cache(maxsize=1)
def reached(history: TaskHistory) -> frozenset[str]:
    """The situations that the history has in it."""
    here = {join.process_id: join.threads for join in history.processes}
    names = {f"standby-{history.standby_replicas}"}
    if 0 < history.stateful < len(history.partitions):
        names.add("stateless-and-stateful")
    for change in (TaskChange(), *history.changes):
        for event in change.events:
            before = len(here)
            happen(event, here)
            if len(here) != before:
                names.add("process-joins" if len(here) > before else "process-leaves")
        if len(set(here.values())) > 1:
            names.add("threads-differ")
        if history.stateful and len(here) <= history.standby_replicas:
            names.add("more-standbys-than-processes")
        if history.stateful and history.standby_replicas and any(lag > ACCEPTABLE_LAG for lag in change.lags):
            names.add("lagging-copy")
    if any(not change.events for change in history.changes):
        names.add("no-change")
    return frozenset(names)


def _is_reached(name: str, history: TaskHistory) -> bool:
    return name in reached(history)


for _name, (_sentence, _claims) in SENTENCES.items():
    situation(_name, kinds=Kind.STREAMS, required_by=_claims, sentence=_sentence)(partial(_is_reached, _name))
