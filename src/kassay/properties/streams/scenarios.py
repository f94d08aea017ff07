"""Histories of a Streams application, from a source of choices or made to reach situations for certain.

Histories of a Streams application, generated from a source of choices.

Written once, for seeds and for Hypothesis (`sources`).

Histories of a Streams application that reach situations for certain, several of them each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    ProcessRetag,
    StandbysChange,
    StateLost,
    Tags,
    TaskEvent,
    ThreadsChange,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import CHANGELOG, process_id
from kassay.properties.sources import Source, many


@dataclass(frozen=True)
class TaskProfile:
    """How large an application may be."""

    processes: int = 6
    threads: int = 4
    subtopologies: int = 3
    partitions: int = 8
    changes: int = 6


SMALL: Final = TaskProfile()
LARGE: Final = TaskProfile(processes=20, threads=6, subtopologies=4, partitions=60, changes=3)
ACCEPTABLE_LAG: Final = 100
STANDBYS_MAX: Final = 2
LAGS: Final = (0, ACCEPTABLE_LAG, ACCEPTABLE_LAG + 1, 5_000, CHANGELOG)
"""Caught up, just caught up, just not, behind, and empty."""


def task_history(source: Source, profile: TaskProfile = SMALL) -> TaskHistory:
    """One history; the source's choices decide everything in it."""
    partitions = tuple(
        many(source, 1, profile.subtopologies, lambda _: source.integer(1, profile.partitions))
    )
    same_threads = source.boolean()
    usual = source.integer(1, profile.threads)

    def threads() -> int:
        return usual if same_threads else source.integer(1, profile.threads)

    return TaskHistory(
        partitions=partitions,
        stateful=source.integer(0, len(partitions)),
        processes=tuple(
            many(
                source,
                1,
                profile.processes,
                lambda i: ProcessJoin(process_id(i), threads()),
                0.7 if profile is SMALL else 0.95,
            )
        ),
        changes=tuple(
            many(source, 0, profile.changes, lambda _: _change(source, profile, usual, same_threads), 0.75)
        ),
        standby_replicas=source.integer(0, STANDBYS_MAX),
        acceptable_recovery_lag=ACCEPTABLE_LAG,
        warmup_replicas_max=source.choice((1, 2, 5)),
    )


def _change(source: Source, profile: TaskProfile, usual: int, same_threads: bool) -> TaskChange:
    """Nothing, one or two events, or only time passing."""
    events: list[TaskEvent] = []
    if source.boolean(0.7):
        events = many(source, 1, 3, lambda _: _event(source, profile, usual, same_threads), chance=0.25)
    lags = many(source, 0, 6, lambda _: source.choice(LAGS), chance=0.7)
    return TaskChange(tuple(events), tuple(lags))


def _event(source: Source, profile: TaskProfile, usual: int, same_threads: bool) -> TaskEvent:
    """An event of a process among the names in use, or a change of the number of copies."""
    name = process_id(source.integer(0, profile.processes))
    kind = source.choice(
        (ProcessLeave, ProcessJoin, ThreadsChange, ProcessRestart, StateLost, StandbysChange)
    )
    if kind is StandbysChange:
        return StandbysChange(source.integer(0, STANDBYS_MAX))
    if kind in (ProcessLeave, ProcessRestart, StateLost):
        return kind(name)
    threads = usual if same_threads and kind is ProcessJoin else source.integer(1, profile.threads)
    return ProcessJoin(name, threads) if kind is ProcessJoin else ThreadsChange(name, threads)


_EVENTS: Final = ("process-restarts", "state-lost", "standbys-change")
_ALWAYS: Final = ("process-joins", "process-leaves", "threads-differ", "stateless-and-stateful", "no-change")

RACKS: Final = ("r0", "r1", "r2")
_VALUES: Final = ("a", "b", "c")
_CLUSTERS: Final = (("cluster", 2),)
_ZONES: Final = (("zone", 3),)


class _Recipe(NamedTuple):
    """The requested standby copies, and the number of values of each tag over which they are spread."""

    standbys: int
    tags: tuple[tuple[tuple[str, int], ...], ...]
    one_lacks: str = ""


TAGGED: Final = {
    "client-tags": _Recipe(1, (_ZONES,)),
    "several-tags": _Recipe(1, (_CLUSTERS + _ZONES,)),
    "few-tag-values": _Recipe(2, (_CLUSTERS, _CLUSTERS + _ZONES)),
    "enough-tag-values": _Recipe(2, (_ZONES,)),
    "tags-missing": _Recipe(1, (_CLUSTERS,), "cluster"),
}
"""The recipes for histories with tags, by the situation that they reach for certain."""

STREAMS_AIMS: Final = {
    **dict.fromkeys((*_ALWAYS, "lagging-copy", "standby-1"), "standby-1"),
    "standby-0": "standby-0",
    "standby-2": "standby-2",
    "more-standbys-than-processes": "more-standbys-than-processes",
    **dict.fromkeys(_EVENTS, "restarts"),
    **{name: name for name in TAGGED},
    "process-retags": "client-tags",
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
    """A history by the recipe called `aim`, which raises `KeyError` if there is none.

    A process joins, one leaves, nothing happens; copies lag, and not all processes have equally many threads.
    With `restarts` one restarts, one loses its state, and the number of copies changes. `tagged_task_history`
    generates histories with tags.
    """
    if aim in TAGGED:
        return tagged_task_history(source, aim)
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
    """One of the processes restarts, one loses its state, and the number of copies changes."""
    yield TaskChange((ProcessRestart(process_id(source.integer(0, size - 1))),))
    yield TaskChange((StateLost(process_id(source.integer(0, size - 1))),))
    yield TaskChange((StandbysChange(source.choice((0, 2))),))


def tagged_task_history(source: Source, aim: str) -> TaskHistory:
    """A history by that recipe, which raises `KeyError` if there is none.

    The first processes have all values of every tag, the last one lacks the recipe's missing one. One joins,
    copies lag, one restarts with other tags and another rack, and one leaves.
    """
    recipe = TAGGED[aim]
    tags = source.choice(recipe.tags)
    size, unused = source.integer(4, 6), source.boolean(0.25)
    same_threads = source.boolean()
    processes = tuple(
        ProcessJoin(
            process_id(number),
            1 if same_threads else source.integer(1, 3),
            source.choice(RACKS),
            _tags(source, tags, number, unused, lacks=recipe.one_lacks if number == size - 1 else ""),
        )
        for number in range(size)
    )
    again = source.integer(2, size - 2)
    rack = RACKS[(RACKS.index(str(processes[again].rack)) + 1) % len(RACKS)]
    joins = ProcessJoin(process_id(size), 1, rack, _tags(source, tags, size, unused))
    changes = (
        TaskChange((joins,), (source.choice((0, ACCEPTABLE_LAG, ACCEPTABLE_LAG + 1, CHANGELOG)),)),
        TaskChange(
            (ProcessRetag(process_id(again), rack, _tags(source, tags, size, unused)),),
            (source.integer(0, ACCEPTABLE_LAG),),
        ),
        TaskChange((ProcessLeave(process_id(source.integer(2, size - 2))),)),
    )
    return TaskHistory(
        partitions=(source.integer(2, 5), source.integer(1, 3)),
        stateful=source.choice((1, 2)),
        processes=processes,
        changes=changes,
        standby_replicas=recipe.standbys,
        acceptable_recovery_lag=ACCEPTABLE_LAG,
        warmup_replicas_max=source.choice((1, 2, 5)),
        rack_aware_tags=tuple(key for key, _ in tags),
    )


def _tags(
    source: Source, tags: tuple[tuple[str, int], ...], number: int, unused: bool, lacks: str = ""
) -> Tags:
    """The tags of a process; with `unused`, one more over which nothing is spread."""
    here = [
        (key, _VALUES[number if number < values else source.integer(0, values - 1)])
        for key, values in tags
        if key != lacks
    ]
    if unused:
        here.append(("team", source.choice(_VALUES)))
    return tuple(sorted(here))
