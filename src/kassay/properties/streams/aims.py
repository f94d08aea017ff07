"""Lives of a Streams application that reach situations for certain, several of them each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kassay.model.streams.history import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    StandbysChange,
    StateLost,
    TaskChange,
    TaskHistory,
)
from kassay.model.streams.tasks import CHANGELOG
from kassay.properties.sources import Source
from kassay.properties.streams.scenarios import ACCEPTABLE_LAG, process_id

_EVENTS: Final = ("process-restarts", "state-lost", "standbys-change")
_ALWAYS: Final = ("process-joins", "process-leaves", "threads-differ", "stateless-and-stateful", "no-change")

STREAMS_AIMS: Final = {
    **dict.fromkeys((*_ALWAYS, "lagging-copy", "standby-1"), "standby-1"),
    "standby-0": "standby-0",
    "standby-2": "standby-2",
    "more-standbys-than-processes": "more-standbys-than-processes",
    **dict.fromkeys(_EVENTS, "restarts"),
}
"""The recipe for a situation by the situation's name."""
_STANDBYS: Final = {
    "standby-0": 0,
    "standby-1": 1,
    "standby-2": 2,
    "more-standbys-than-processes": 2,
    "restarts": 1,
}


def aimed_task_history(source: Source, aim: str) -> TaskHistory:
    """A life by the recipe called `aim`, which raises `KeyError` where there is none.

    A process comes, one goes, nothing happens; copies lag, and not all processes have as many threads. With
    `restarts` one starts again, one loses its state, and another number of copies is asked for.
    """
    standbys = _STANDBYS[aim]
    few = aim == "more-standbys-than-processes"
    size = source.integer(1, 2) if few else source.integer(3, 4)
    threads = [source.integer(2, 4), *[1] * (size - 1)]
    behind = (source.choice((ACCEPTABLE_LAG + 1, CHANGELOG)), source.integer(0, ACCEPTABLE_LAG))
    changes = (
        *(_restarts(source, size) if aim == "restarts" else ()),
        TaskChange((ProcessJoin(process_id(size), 1),), behind),
        TaskChange((), behind[1:]),
        TaskChange((ProcessLeave(process_id(source.integer(0, size))),)),
        *([TaskChange()] if source.boolean() else []),
    )
    return TaskHistory(
        partitions=(source.integer(2, 5), source.integer(1, 4)),
        stateful=1,
        processes=tuple(ProcessJoin(process_id(i), count) for i, count in enumerate(threads)),
        changes=changes,
        standby_replicas=standbys,
        acceptable_recovery_lag=ACCEPTABLE_LAG,
        warmup_replicas_max=source.choice((1, 2, 5)),
    )


def _restarts(source: Source, size: int) -> Iterator[TaskChange]:
    """One of the processes starts again, one loses its state, and the number of copies changes."""
    yield TaskChange((ProcessRestart(process_id(source.integer(0, size - 1))),))
    yield TaskChange((StateLost(process_id(source.integer(0, size - 1))),))
    yield TaskChange((StandbysChange(source.choice((0, 2))),))
