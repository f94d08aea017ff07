"""Wide histories of Streams applications: very many processes, tasks, threads or rounds, and extreme values.

Sizes make a history of their own, small in everything else; ranges change a history so that it has a value.
Sources: Kafka's `StreamsConfig`, `TaskId`, `ClientState`, and the schemas of the Streams rebalance protocols.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Final, NamedTuple

from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    ProcessRetag,
    Running,
    StandbysChange,
    StateLost,
    TaskEvent,
    ThreadsChange,
    happen,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import CHANGELOG, process_id
from kassay.properties.sources import Source
from kassay.properties.streams.scenarios import ACCEPTABLE_LAG
from kassay.properties.wide.ranges import Size, WideRange

_ROUNDS_MOST: Final = 129
_THREADS_MOST: Final = 257
_COPIES_TO: Final = 130
"""More processes have no standby copies: few tasks are spread over all of them anyway."""
LAG_MOST: Final = 2**63 - 1
_SETTLED_TASKS: Final = 32
"""So many tasks move within the rounds of a history, one or two at a time; more need as many warm-ups."""


class _Round(NamedTuple):
    """The processes and standby replicas at a rebalance, and the change before it; `was` is before that."""

    was: Mapping[str, Running]
    here: Mapping[str, Running]
    had_standbys: int
    standbys: int
    change: TaskChange


def _rounds(history: TaskHistory) -> Iterator[_Round]:
    """Every rebalance of the history, the first one included."""
    here: dict[str, Running] = {}
    standbys = history.standby_replicas
    for change in (TaskChange(history.processes), *history.changes):
        was, had = dict(here), standbys
        for event in change.events:
            happen(event, here)
            standbys = event.replicas if isinstance(event, StandbysChange) else standbys
        yield _Round(was, dict(here), had, standbys, change)


def _events(history: TaskHistory) -> list[TaskEvent]:
    return [*history.processes, *(event for change in history.changes for event in change.events)]


def _new_ids(history: TaskHistory) -> Iterator[str]:
    """Plain process ids that the history does not mention."""
    used = {event.process_id for event in _events(history) if not isinstance(event, StandbysChange)}
    return (name for name in map(process_id, count()) if name not in used)


def _then(history: TaskHistory, *changes: tuple[TaskEvent, ...]) -> TaskHistory:
    """The history with more changes at its end."""
    return replace(history, changes=(*history.changes, *map(TaskChange, changes)))


def _last(history: TaskHistory) -> list[str]:
    """The processes at the end of the history, in the order in which they joined."""
    here: Mapping[str, Running] = {}
    for each in _rounds(history):
        here = each.here
    return list(here)


def _with_processes(history: TaskHistory, number: int) -> TaskHistory:
    """The history with at least so many processes at the start, the new ones as the last of the others."""
    new = _new_ids(history)
    more = [
        replace(history.processes[-1], process_id=next(new)) for _ in range(number - len(history.processes))
    ]
    return replace(history, processes=(*history.processes, *more))


def _with_copies(history: TaskHistory, processes: int = 2) -> TaskHistory:
    """The history with so many processes, a task with state, and a standby copy of it."""
    return replace(
        _with_processes(history, processes),
        stateful=max(1, history.stateful),
        standby_replicas=max(1, history.standby_replicas),
    )


def _has_copies(history: TaskHistory) -> bool:
    """Whether tasks have standby copies at some rebalance."""
    return history.stateful > 0 and any(each.standbys and len(each.here) > 1 for each in _rounds(history))


# Sizes


def _joined_later(history: TaskHistory) -> int:
    """The number of processes that join after the start and that were not there at the start."""
    first = {join.process_id for join in history.processes}
    later = {e.process_id for change in history.changes for e in change.events if isinstance(e, ProcessJoin)}
    return len(later - first)


SIZES: Final = (
    Size("processes", lambda history: len(history.processes)),
    Size("subtopologies", lambda history: len(history.partitions)),
    Size("tasks of a subtopology", lambda history: max(history.partitions)),
    Size(
        "threads of a process",
        lambda history: max(join.threads for join in history.processes),
        _THREADS_MOST,
        "each thread is a member of the group",
    ),
    Size("processes that join later", _joined_later),
    Size(
        "rounds",
        lambda history: len(history.changes),
        _ROUNDS_MOST,
        "more calls of one object are a history of their own",
    ),
)


def sized_tasks(source: Source, sizes: Mapping[str, int]) -> TaskHistory:
    """A history with these sizes and everything else minimal."""
    processes = sizes.get("processes", 2)
    largest, width = sizes.get("tasks of a subtopology", 0), sizes.get("subtopologies", 1)
    joiners, rounds = sizes.get("processes that join later", 0), sizes.get("rounds", 0)
    threads = sizes.get("threads of a process", 1)
    most = largest or (source.choice((1, 2, 3)) if width > 1 or processes > 65 else 3)
    rest = source.choice((1, 2)) if most > 1 and width < 65 else 1
    sizes_of = [most, *[rest] * (width - 1)]
    place = source.integer(0, min(width - 1, 12))
    sizes_of[0], sizes_of[place] = sizes_of[place], sizes_of[0]
    is_large = max(sizes.values(), default=0) > 65
    history = TaskHistory(
        partitions=tuple(sizes_of),
        stateful=source.choice((0, width) if is_large else (0, 1, width)),
        processes=tuple(ProcessJoin(process_id(n), threads if n == 0 else 1) for n in range(processes)),
        standby_replicas=0 if processes > _COPIES_TO else source.choice((0, 1)),
        acceptable_recovery_lag=ACCEPTABLE_LAG,
        warmup_replicas_max=max(2, sum(sizes_of)),
    )
    if joiners or rounds:
        return replace(history, changes=_replacing(processes, joiners, rounds))
    leaves: tuple[TaskEvent, ...] = (ProcessLeave(process_id(source.integer(0, processes - 1))),)
    grows: tuple[TaskEvent, ...] = (ProcessJoin(process_id(processes), 1),)
    return _then(history, *((source.choice((leaves, grows)),)))


def _replacing(processes: int, joiners: int, rounds: int) -> tuple[TaskChange, ...]:
    """So many changes in which ever new processes replace the oldest; without joiners, two take turns."""
    if not joiners:
        one, other = process_id(processes), process_id(processes + 1)
        turns: tuple[TaskEvent, ...] = (
            ProcessJoin(one, 1),
            ProcessRestart(one),
            ProcessLeave(one),
            ProcessJoin(other, 2),
            ProcessLeave(other),
        )
        return tuple(TaskChange((turns[number % len(turns)],)) for number in range(rounds))
    at_once = max(1, min(32, joiners // 8)) if not rounds else -(-joiners // rounds)
    number_of_changes = rounds or -(-joiners // at_once)
    names = [process_id(number) for number in range(processes + joiners)]
    changes = []
    for number in range(number_of_changes):
        start = processes + number * at_once
        new = names[start : start + at_once]
        gone = names[start - processes : start - processes + len(new)]
        events: tuple[TaskEvent, ...] = (*(ProcessJoin(name, 1) for name in new), *map(ProcessLeave, gone))
        changes.append(TaskChange(events))
    return tuple(changes)


# Numbers of the configuration

_STANDBYS: Final = {str(number): number for number in (0, 1, 2, 3, 4, 5, 10, 100)}
_USED_STANDBYS_MOST: Final = 5
"""Up to so many standby replicas there are enough processes for them."""


def _widen_standbys(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """So many standby replicas from the start, and enough processes for up to five."""
    number = _STANDBYS[wanted]
    history = _with_copies(history, 1 + min(number, _USED_STANDBYS_MOST) + source.integer(0, 1))
    return replace(history, standby_replicas=number)


def _standbys_seen(history: TaskHistory, wanted: str) -> bool:
    return history.stateful > 0 and any(each.standbys == _STANDBYS[wanted] for each in _rounds(history))


_BESIDE_PROCESSES: Final = {
    "one less than the processes": -1,
    "as many as processes": 0,
    "more than processes": 3,
}


def _widen_beside(history: TaskHistory, wanted: str, _: Source) -> TaskHistory:
    """As many standby replicas as processes, or about so many, unless these are very many."""
    history = _with_copies(history)
    if len(history.processes) > _COPIES_TO:
        return history
    return replace(history, standby_replicas=len(history.processes) + _BESIDE_PROCESSES[wanted])


def _beside_seen(history: TaskHistory, wanted: str) -> bool:
    beyond = _BESIDE_PROCESSES[wanted]
    return history.stateful > 0 and any(
        each.standbys - len(each.here) == beyond or 0 < beyond <= each.standbys - len(each.here)
        for each in _rounds(history)
    )


_STANDBY_CHANGES: Final = ("more", "fewer", "none", "none and again")


def _widen_standby_changes(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Another number of standby replicas while the application runs."""
    history = _with_copies(history, 3)
    if wanted == "more":
        return _then(history, (StandbysChange(max(each.standbys for each in _rounds(history)) + 1),))
    if wanted == "fewer":
        more = replace(history, standby_replicas=max(2, history.standby_replicas))
        return _then(more, (StandbysChange(2),), (StandbysChange(1),))
    again = (StandbysChange(0),), (StandbysChange(source.integer(1, 2)),)
    return _then(history, *(again[:1] if wanted == "none" else again))


def _standby_changes_seen(history: TaskHistory, wanted: str) -> bool:
    pairs = [(each.had_standbys, each.standbys) for each in _rounds(history)]
    return (
        history.stateful > 0
        and {
            "more": any(before < after for before, after in pairs),
            "fewer": any(before > after > 0 for before, after in pairs),
            "none": any(before > after == 0 for before, after in pairs),
            "none and again": any(before == 0 < after for before, after in pairs)
            and any(before > after == 0 for before, after in pairs),
        }[wanted]
    )


_STATE: Final = ("none", "some", "all")


def _widen_state(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """No subtopology with state, some, or all."""
    sizes = history.partitions
    if wanted == "some" and len(sizes) == 1:
        sizes = (*sizes, source.integer(1, 3))
    number = {"none": 0, "some": max(1, len(sizes) // 2), "all": len(sizes)}[wanted]
    return replace(history, partitions=sizes, stateful=number)


def _state_seen(history: TaskHistory, wanted: str) -> bool:
    return {
        "none": history.stateful == 0,
        "some": 0 < history.stateful < len(history.partitions),
        "all": history.stateful == len(history.partitions),
    }[wanted]


_RECOVERY_LAGS: Final = {
    "0": 0,
    "1": 1,
    "10000": 10_000,
    "changelog": CHANGELOG,
    "2^31-1": 2**31 - 1,
    "2^31": 2**31,
    "2^32": 2**32,
    "2^53+1": 2**53 + 1,
    "2^63-1": LAG_MOST,
}


def _widen_recovery_lag(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Another acceptable recovery lag, with copies around it."""
    value = _RECOVERY_LAGS[wanted]
    lags = tuple(lag for lag in (value - 1, value, value + 1) if 0 <= lag < LAG_MOST)
    history = _with_lag(history, source.choice(lags) if lags else 0)
    return replace(history, acceptable_recovery_lag=value)


_LAGS: Final = {
    "0": 0,
    "1": 1,
    "2^31-1": 2**31 - 1,
    "2^31": 2**31,
    "2^32": 2**32,
    "2^53+1": 2**53 + 1,
    "2^63-2": LAG_MOST - 1,
}
_LAG_RELATIONS: Final = ("acceptable", "acceptable and one more", "whole changelog", "one apart")


def _with_lag(history: TaskHistory, *lags: int) -> TaskHistory:
    """The history with copies of which the first ones have these lags at the last change.

    A changelog is longer than the lag of a copy that has any of it.
    """
    history = _with_copies(history, 2 + (len(lags) > 1))
    if not history.changes or not _copies_before_last(history):
        history = _then(history, (StandbysChange(max(1, history.standby_replicas)),))
        if not _copies_before_last(history):
            history = _then(history, (ProcessJoin(next(_new_ids(history)), 1),), ())
    last = history.changes[-1]
    changed = replace(last, lags=(*lags, *last.lags))
    longest = max(history.changelog, min(LAG_MOST, max(lags) + 1000))
    return replace(history, changes=(*history.changes[:-1], changed), changelog=longest)


def _copies_before_last(history: TaskHistory) -> bool:
    """Whether tasks had copies before the last change."""
    *_, last = _rounds(history)
    return bool(last.had_standbys) and len(last.was) > 1


def _lags_seen_by(history: TaskHistory) -> set[int]:
    """The lags of copies that a target can see."""
    if not history.stateful:
        return set()
    return {
        min(lag, history.changelog)
        for each in _rounds(history)
        if each.had_standbys and len(each.was) > 1
        for lag in each.change.lags[: history.partitions[0]]
    }


def _widen_lag(history: TaskHistory, wanted: str, _: Source) -> TaskHistory:
    """A copy with this lag."""
    if wanted not in _LAG_RELATIONS:
        return _with_lag(history, _LAGS[wanted])
    if history.acceptable_recovery_lag >= history.changelog:
        history = replace(history, acceptable_recovery_lag=ACCEPTABLE_LAG)
    usual = history.acceptable_recovery_lag
    if wanted == "one apart":
        if history.partitions[0] < 2:
            history = replace(history, partitions=(2, *history.partitions[1:]))
        return _with_lag(history, usual + 500, usual + 501)
    if wanted == "whole changelog":
        return replace(_with_lag(history, history.changelog), changelog=history.changelog)
    return _with_lag(history, usual if wanted == "acceptable" else usual + 1)


def _lag_seen(history: TaskHistory, wanted: str) -> bool:
    lags, usual = _lags_seen_by(history), history.acceptable_recovery_lag
    if wanted in _LAGS:
        return _LAGS[wanted] in lags
    return {
        "acceptable": usual in lags,
        "acceptable and one more": usual + 1 in lags,
        "whole changelog": history.changelog in lags,
        "one apart": any(lag + 1 in lags for lag in lags),
    }[wanted]


_CHANGELOGS: Final = {
    "0": 0,
    "1": 1,
    "2^31-1": 2**31 - 1,
    "2^31": 2**31,
    "2^53+1": 2**53 + 1,
    "2^63-1": LAG_MOST,
}


def _widen_changelog(history: TaskHistory, wanted: str, _: Source) -> TaskHistory:
    """Changelogs of another length; lags are at most that."""
    return replace(_with_copies(history), changelog=_CHANGELOGS[wanted])


_WARM_UPS: Final = {str(number): number for number in (1, 2, 3, 10, 100)} | {"2^31-1": 2**31 - 1}


def _widen_warm_ups(history: TaskHistory, wanted: str, _: Source) -> TaskHistory:
    """So many warm-up replicas at most, and a process that joins without state."""
    history = _then(_with_copies(history, 1), (ProcessJoin(next(_new_ids(history)), 1),))
    return replace(history, warmup_replicas_max=_WARM_UPS[wanted])


# Relations of counts

_SHAPES: Final = ("equal", "growing", "falling", "one task each")


def _widen_shape(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Three or four subtopologies whose numbers of tasks are equal, or in this order."""
    width, first = source.integer(3, 4), source.integer(2, 4)
    growing = tuple(first + number for number in range(width))
    sizes = {
        "equal": (first,) * width,
        "growing": growing,
        "falling": growing[::-1],
        "one task each": (1,) * width,
    }[wanted]
    return replace(history, partitions=sizes, stateful=min(history.stateful, width))


def _shape_seen(history: TaskHistory, wanted: str) -> bool:
    sizes = list(history.partitions)
    if len(sizes) < 2:
        return False
    return {
        "equal": len(set(sizes)) == 1 < sizes[0],
        "growing": sizes == sorted(sizes) and len(set(sizes)) == len(sizes),
        "falling": sizes == sorted(sizes, reverse=True) and len(set(sizes)) == len(sizes),
        "one task each": set(sizes) == {1},
    }[wanted]


_THREADS: Final = ("one each", "equally many", "one process with many", "all different")


def _widen_threads(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Threads of the first processes."""
    history = _with_processes(history, 3)
    usual, last = source.integer(2, 5), len(history.processes) - 1
    numbers: dict[str, Callable[[int], int]] = {
        "one each": lambda _: 1,
        "equally many": lambda _: usual,
        "one process with many": lambda n: 9 if n == last else 1,
        "all different": lambda n: 1 + n,
    }
    processes = tuple(replace(join, threads=numbers[wanted](n)) for n, join in enumerate(history.processes))
    return replace(history, processes=processes)


def _threads_seen(history: TaskHistory, wanted: str) -> bool:
    threads = sorted(join.threads for join in history.processes)
    return (
        len(threads) > 1
        and {
            "one each": threads[-1] == 1,
            "equally many": threads[0] == threads[-1] > 1,
            "one process with many": threads[-1] >= 9 > threads[-2],
            "all different": len(set(threads)) == len(threads),
        }[wanted]
    )


_THREAD_CHANGES: Final = ("more", "fewer", "to one", "over nine", "there and back")


def _widen_thread_changes(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """A process that stays has other threads."""
    history = _with_processes(history, 2)
    who = source.choice(_last(history))
    *_, end = _rounds(history)
    has = end.here[who].threads

    def to(number: int) -> tuple[TaskEvent, ...]:
        return (ThreadsChange(who, number),)

    return _then(
        history,
        *{
            "more": (to(has + 2),),
            "fewer": (to(has + 2), to(has + 1)),
            "to one": (to(max(3, has)), to(1)),
            "over nine": (to(9), to(10)),
            "there and back": (to(has + 1), to(has)),
        }[wanted],
    )


def _thread_changes_seen(history: TaskHistory, wanted: str) -> bool:
    pairs = [
        (each.was[who].threads, runs.threads, who)
        for each in _rounds(history)
        for who, runs in each.here.items()
        if who in each.was and each.was[who].threads != runs.threads
    ]
    return any(
        {
            "more": before < after,
            "fewer": before > after > 1,
            "to one": before > after == 1,
            "over nine": before <= 9 < after,
            "there and back": any((after, before, who) == other for other in pairs[number + 1 :]),
        }[wanted]
        for number, (before, after, who) in enumerate(pairs)
    )


_RATIOS: Final = (
    "fewer tasks than processes",
    "as many tasks as processes",
    "one task more than processes",
    "fewer tasks than threads",
    "as many tasks as threads",
    "one task more than threads",
    "ten tasks a thread",
    "a hundred tasks a thread",
)


def _widen_ratio(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Tasks of one subtopology or two, as many as that for the processes of the start."""
    history = _with_processes(history, 3)
    processes, threads = len(history.processes), sum(join.threads for join in history.processes)
    if wanted.endswith("a thread"):
        processes, threads = 3, 3
        first = tuple(replace(join, threads=1) for join in history.processes[:3])
        history = replace(history, processes=first)
    tasks = {
        _RATIOS[0]: processes - 1,
        _RATIOS[1]: processes,
        _RATIOS[2]: processes + 1,
        _RATIOS[3]: threads - 1,
        _RATIOS[4]: threads,
        _RATIOS[5]: threads + 1,
        _RATIOS[6]: 10 * threads,
        _RATIOS[7]: 100 * threads,
    }[wanted]
    rest = source.integer(0, tasks - 1)
    sizes = (tasks - rest, rest) if rest else (tasks,)
    warm_ups = max(history.warmup_replicas_max, tasks if tasks > _SETTLED_TASKS else 0)
    stateful = min(history.stateful, len(sizes))
    return replace(history, partitions=sizes, stateful=stateful, warmup_replicas_max=warm_ups)


def _ratio_seen(history: TaskHistory, wanted: str) -> bool:
    tasks, processes = sum(history.partitions), len(history.processes)
    threads = sum(join.threads for join in history.processes)
    return (
        processes > 1
        and {
            _RATIOS[0]: tasks < processes,
            _RATIOS[1]: tasks == processes,
            _RATIOS[2]: tasks == processes + 1,
            _RATIOS[3]: tasks < threads,
            _RATIOS[4]: tasks == threads,
            _RATIOS[5]: tasks == threads + 1,
            _RATIOS[6]: tasks >= 10 * threads,
            _RATIOS[7]: tasks >= 100 * threads,
        }[wanted]
    )


# The life of an application

_LIVES: Final = (
    "back with its id",
    "all replaced",
    "all restart",
    "restarts ten times",
    "all but one leave",
    "all lose their state",
    "five rounds without a change",
)
_RESTARTS: Final = 10
_QUIET: Final = 5


def _widen_life(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Processes that leave and return, restart, or lose their state, one or all; or nothing happens."""
    history = _with_processes(history, 2)
    names = _last(history)
    *_, end = _rounds(history)
    if len(names) < 2:
        new = next(_new_ids(history))
        history = _then(history, (ProcessJoin(new, 1),))
        names, end = [*names, new], end._replace(here={**end.here, new: Running(1)})
    who = source.choice(names)
    leave, back = ProcessLeave(who), ProcessJoin(who, *end.here[who])
    fresh = _new_ids(history)
    others = [ProcessJoin(next(fresh), *end.here[name]) for name in names]
    lives: dict[str, tuple[tuple[TaskEvent, ...], ...]] = {
        "back with its id": ((leave,), (back,)),
        "all replaced": ((*others, *map(ProcessLeave, names)),),
        "all restart": (tuple(map(ProcessRestart, names)),),
        "restarts ten times": ((ProcessRestart(who),),) * _RESTARTS,
        "all but one leave": (tuple(map(ProcessLeave, names[1:])), ()),
        "all lose their state": (tuple(map(StateLost, names)),),
        "five rounds without a change": ((),) * _QUIET,
    }
    return _then(history, *lives[wanted])


def _life_seen(history: TaskHistory, wanted: str) -> bool:
    gone: set[str] = set()
    back = replaced = restarted = alone = lost = False
    starts: dict[str, int] = {}
    quiet = longest = 0
    for was, here, _, _, change in _rounds(history):
        left = {event.process_id for event in change.events if isinstance(event, ProcessLeave)} & was.keys()
        again = {
            event.process_id for event in change.events if isinstance(event, ProcessRestart)
        } & was.keys()
        back = back or any(who not in was for who in gone & here.keys())
        replaced = replaced or (bool(was) and was.keys().isdisjoint(here))
        restarted = restarted or (len(was) > 1 and again >= was.keys())
        alone = alone or len(was) > 1 == len(here)
        lost = lost or (
            len(was) > 1
            and {event.process_id for event in change.events if isinstance(event, StateLost)} >= was.keys()
        )
        starts.update({who: starts.get(who, 0) + 1 for who in again})
        gone |= left
        quiet = quiet + 1 if change == TaskChange() else 0
        longest = max(longest, quiet)
    return {
        "back with its id": back,
        "all replaced": replaced,
        "all restart": restarted,
        "restarts ten times": max(starts.values(), default=0) >= _RESTARTS,
        "all but one leave": alone,
        "all lose their state": lost,
        "five rounds without a change": longest >= _QUIET,
    }[wanted]


# Racks and tags

_RACKS: Final = {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "10": 10}
_RACK_FACTS: Final = ("one each", "missing at one", "changes")
TAG_KEYS: Final = ("cluster", "zone", "team", "disk", "floor")


def _with_racks(history: TaskHistory, rack: Callable[[int], str | None]) -> TaskHistory:
    """The history with the racks of its first processes by number."""
    processes = tuple(replace(join, rack=rack(n)) for n, join in enumerate(history.processes))
    return replace(history, processes=processes)


def _widen_racks(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """So many racks, or one for each process, or a process without or with another one."""
    if wanted in _RACKS:
        number = _RACKS[wanted]
        return _with_racks(_with_processes(history, max(2, number)), lambda n: f"r{n % number}")
    history = _with_processes(history, 3)
    if wanted == "one each":
        return _with_racks(history, lambda n: f"r{n}")
    if wanted == "missing at one":
        lacks = source.integer(0, len(history.processes) - 1)
        return _with_racks(history, lambda n: None if n == lacks else f"r{n % 2}")
    history = _with_racks(history, lambda n: f"r{n % 2}")
    who = source.choice(_last(history))
    *_, end = _rounds(history)
    return _then(history, (ProcessRetag(who, "r2", end.here[who].tags),))


def _racks_seen(history: TaskHistory, wanted: str) -> bool:
    racks = [join.rack for join in history.processes]
    known = {rack for rack in racks if rack is not None}
    if wanted in _RACKS:
        return len(known) == _RACKS[wanted] and len(racks) > 1
    if wanted == "changes":
        return any(
            who in each.was and runs.rack != each.was[who].rack
            for each in _rounds(history)
            for who, runs in each.here.items()
        )
    return len(racks) > 1 and (
        len(known) == len(racks) if wanted == "one each" else None in racks and bool(known)
    )


_TAG_COUNTS: Final = {str(number): number for number in range(1, 6)}


def _with_tags(
    history: TaskHistory, keys: tuple[str, ...], value: Callable[[int, int], str | None]
) -> TaskHistory:
    """The history with these tags of every process that joins, and copies to be spread over all of them.

    `value` returns that of a process for a key, by their numbers; None if the process lacks it.
    """
    number = count()

    def tags() -> tuple[tuple[str, str], ...]:
        own = next(number)
        values = ((key, value(own, place)) for place, key in enumerate(keys))
        return tuple(sorted((key, each) for key, each in values if each is not None))

    def tagged(event: TaskEvent) -> TaskEvent:
        return replace(event, tags=tags()) if isinstance(event, ProcessJoin | ProcessRetag) else event

    history = _with_copies(history)
    return replace(
        history,
        processes=tuple(replace(join, tags=tags()) for join in history.processes),
        changes=tuple(replace(c, events=tuple(map(tagged, c.events))) for c in history.changes),
        rack_aware_tags=keys,
    )


def _plain_values(number: int, place: int) -> str:
    """Few values for even keys, more for others."""
    return "abc"[number % (2 + place % 2)]


def _widen_tag_count(history: TaskHistory, wanted: str, _: Source) -> TaskHistory:
    """So many tags of each process, and copies to be spread over all of them."""
    return _with_tags(_with_processes(history, 4), TAG_KEYS[: _TAG_COUNTS[wanted]], _plain_values)


def _tag_count_seen(history: TaskHistory, wanted: str) -> bool:
    number = _TAG_COUNTS[wanted]
    return (
        _has_copies(history)
        and len(history.rack_aware_tags) == number
        and all(len(join.tags) >= number for join in history.processes)
    )


_TAG_FACTS: Final = (
    "all values equal",
    "all values different",
    "two keys with the same values",
    "missing at one",
    "missing at all but one",
    "tags that nothing is spread over",
    "racks and tags",
    "change",
)


def _widen_tag_facts(history: TaskHistory, wanted: str, source: Source) -> TaskHistory:
    """Relations between the tags of processes."""
    history = _with_processes(history, 4)
    lacks = source.integer(0, 3)
    values: dict[str, Callable[[int, int], str | None]] = {
        "all values equal": lambda _number, _place: "a",
        "all values different": lambda number, place: f"v{number}{place}",
        "two keys with the same values": lambda number, _: "abc"[number % 3],
        "missing at one": lambda n, place: None if n == lacks and not place else _plain_values(n, place),
        "missing at all but one": lambda n, place: None if n != lacks and place else _plain_values(n, place),
    }
    history = _with_tags(history, TAG_KEYS[:2], values.get(wanted, _plain_values))
    if wanted == "tags that nothing is spread over":
        return replace(history, rack_aware_tags=history.rack_aware_tags[: source.integer(0, 1)])
    if wanted == "racks and tags":
        return _with_racks(history, lambda number: f"r{number % 3}")
    if wanted == "change":
        *_, end = _rounds(history)
        who = source.choice(list(end.here))
        return _then(history, (ProcessRetag(who, end.here[who].rack, (("cluster", "c"), ("zone", "d"))),))
    return history


def _widen_key_values(history: TaskHistory, _wanted: str, _source: Source) -> TaskHistory:
    """Tags whose values are keys."""
    return _with_tags(history, TAG_KEYS[:2], lambda number, place: TAG_KEYS[(number + place) % 2])


def _key_values_seen(history: TaskHistory, _wanted: str) -> bool:
    return any(value in dict(join.tags) for join in history.processes for _, value in join.tags)


def _tag_facts_seen(history: TaskHistory, wanted: str) -> bool:
    keys, own = history.rack_aware_tags, [dict(join.tags) for join in history.processes]
    columns = [[tags.get(key) for tags in own] for key in keys]
    if len(own) < 2 or not any(own):
        return False
    return {
        "all values equal": any(None not in c and len(set(c)) == 1 for c in columns),
        "all values different": any(None not in c and len(set(c)) == len(c) for c in columns),
        "two keys with the same values": len(columns) > 1
        and None not in columns[0]
        and columns[0] == columns[1],
        "missing at one": any(sum(v is None for v in c) == 1 for c in columns),
        "missing at all but one": any(sum(v is not None for v in c) == 1 < len(c) - 1 for c in columns),
        "tags that nothing is spread over": any(tags.keys() - set(keys) for tags in own),
        "racks and tags": bool(keys) and any(join.rack for join in history.processes),
        "change": any(
            who in each.was and runs.tags != each.was[who].tags
            for each in _rounds(history)
            for who, runs in each.here.items()
        ),
    }[wanted]


def _value_seen(values: Mapping[str, int], name: str, history: TaskHistory, wanted: str) -> bool:
    return _has_copies(history) and getattr(history, name) == values[wanted]


RANGES: Final = (
    WideRange(
        "standby replicas",
        tuple(_STANDBYS),
        _widen_standbys,
        _standbys_seen,
        "StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG",
    ),
    WideRange(
        "standby replicas and processes",
        tuple(_BESIDE_PROCESSES),
        _widen_beside,
        _beside_seen,
        "StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG",
    ),
    WideRange(
        "changes of standby replicas",
        _STANDBY_CHANGES,
        _widen_standby_changes,
        _standby_changes_seen,
        "GroupConfig.STREAMS_NUM_STANDBY_REPLICAS_CONFIG",
    ),
    WideRange(
        "subtopologies with state", _STATE, _widen_state, _state_seen, "TopicsInfo.stateChangelogTopics"
    ),
    WideRange(
        "acceptable recovery lags",
        tuple(_RECOVERY_LAGS),
        _widen_recovery_lag,
        partial(_value_seen, _RECOVERY_LAGS, "acceptable_recovery_lag"),
        "StreamsConfig.ACCEPTABLE_RECOVERY_LAG_CONFIG",
    ),
    WideRange("lags", (*_LAGS, *_LAG_RELATIONS), _widen_lag, _lag_seen, "ClientState.computeTaskLags"),
    WideRange(
        "lengths of changelogs",
        tuple(_CHANGELOGS),
        _widen_changelog,
        partial(_value_seen, _CHANGELOGS, "changelog"),
        "StreamsGroupHeartbeatRequest.TaskEndOffsets",
    ),
    WideRange(
        "warm-up replicas",
        tuple(_WARM_UPS),
        _widen_warm_ups,
        partial(_value_seen, _WARM_UPS, "warmup_replicas_max"),
        "StreamsConfig.MAX_WARMUP_REPLICAS_CONFIG",
    ),
    WideRange("sizes of subtopologies", _SHAPES, _widen_shape, _shape_seen, "TaskId"),
    WideRange("threads", _THREADS, _widen_threads, _threads_seen, "StreamsConfig.NUM_STREAM_THREADS_CONFIG"),
    WideRange(
        "changes of threads",
        _THREAD_CHANGES,
        _widen_thread_changes,
        _thread_changes_seen,
        "KafkaStreams.addStreamThread",
    ),
    WideRange("tasks, processes and threads", _RATIOS, _widen_ratio, _ratio_seen, "TaskId"),
    WideRange("lives of processes", _LIVES, _widen_life, _life_seen, "StateDirectory.initializeProcessId"),
    WideRange(
        "racks of processes",
        (*_RACKS, *_RACK_FACTS),
        _widen_racks,
        _racks_seen,
        "CommonClientConfigs.CLIENT_RACK_CONFIG",
    ),
    WideRange(
        "numbers of tags",
        tuple(_TAG_COUNTS),
        _widen_tag_count,
        _tag_count_seen,
        "StreamsConfig.MAX_RACK_AWARE_ASSIGNMENT_TAG_LIST_SIZE",
    ),
    WideRange(
        "tags",
        _TAG_FACTS,
        _widen_tag_facts,
        _tag_facts_seen,
        "StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG",
    ),
    WideRange(
        "tag values",
        ("that are keys",),
        _widen_key_values,
        _key_values_seen,
        "StreamsConfig.RACK_AWARE_ASSIGNMENT_TAGS_CONFIG",
        names=("tag", "value"),
    ),
)


PLACES: Final = frozenset(("rack", "tag", "value"))
"""The spaces of names that only histories with racks and tags have."""


def placed_tasks(source: Source, history: TaskHistory) -> TaskHistory:
    """The history with racks and tags, several of each, over whose values copies are spread."""
    history = _with_processes(history, source.integer(3, 5))
    racks, keys = source.integer(2, 4), source.integer(2, 4)
    return _with_racks(
        _with_tags(history, TAG_KEYS[:keys], _plain_values), lambda number: f"r{number % racks}"
    )
