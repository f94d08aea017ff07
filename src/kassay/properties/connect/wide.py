"""Wide histories of Connect clusters: very many workers, connectors, tasks or rounds, and extreme values.

Sizes make a history of their own, small in everything else; ranges change a history so that it has a value.
Sources: Kafka's `DistributedConfig`, `ConnectorConfig`, `ConnectorTaskId`, `WorkerCoordinator`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Final, NamedTuple

from kassay.model.connect.history import (
    ConnectChange,
    ConnectEvent,
    ConnectHistory,
    ConnectorCreate,
    ConnectorDelete,
    ConnectorResize,
    LeaderChange,
    MissedAssignment,
    SyncFailure,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.work import ConnectorTaskId, Work
from kassay.properties.connect.scenarios import connector_name, worker_id
from kassay.properties.profile import related
from kassay.properties.sources import Source
from kassay.properties.wide.ranges import Size, WideRange

_ROUNDS_MOST: Final = 129
_INT_MOST: Final = 2**31 - 1
_WAIT_MOST: Final = 2**40


class _Round(NamedTuple):
    """The workers and the tasks of each connector at a rebalance, those before it, and the change between."""

    had: frozenset[str]
    workers: frozenset[str]
    was: Mapping[str, int]
    connectors: Mapping[str, int]
    change: ConnectChange


def _rounds(history: ConnectHistory) -> Iterator[_Round]:
    """Every change of the history with the cluster before and after it."""
    workers, connectors = dict.fromkeys(history.workers), dict(history.connectors)
    for change in history.changes:
        had, was = frozenset(workers), dict(connectors)
        for event in change.events:
            match event:
                case WorkerJoin(name):
                    workers.setdefault(name)
                case WorkerLeave(name) if name in workers and len(workers) > 1:
                    del workers[name]
                case ConnectorCreate(name, tasks):
                    connectors.setdefault(name, tasks)
                case ConnectorDelete(name):
                    connectors.pop(name, None)
                case ConnectorResize(name, tasks) if name in connectors:
                    connectors[name] = tasks
        yield _Round(had, frozenset(workers), was, dict(connectors), change)


def _end(history: ConnectHistory) -> tuple[list[str], dict[str, int]]:
    """The workers and the tasks of each connector at the end, in order of their names."""
    workers, connectors = frozenset(history.workers), dict(history.connectors)
    for each in _rounds(history):
        workers, connectors = each.workers, dict(each.connectors)
    return sorted(workers), connectors


def _then(history: ConnectHistory, *changes: tuple[ConnectEvent, ...], wait: int = 0) -> ConnectHistory:
    """The history with more changes at its end, each after that wait in ms."""
    more = (ConnectChange(wait, events) for events in changes)
    return replace(history, changes=(*history.changes, *more))


def _texts(history: ConnectHistory) -> set[str]:
    """Every name of a worker or a connector in the history."""
    names = {*history.workers, *(name for name, _ in history.connectors)}
    for change in history.changes:
        for event in change.events:
            names |= {getattr(event, "worker_id", ""), getattr(event, "connector", "")}
    return names


def _new(history: ConnectHistory, named: Callable[[int], str]) -> Iterator[str]:
    """Plain names that the history does not mention."""
    used = _texts(history)
    return (name for name in map(named, count()) if name not in used)


def _with_workers(history: ConnectHistory, number: int) -> ConnectHistory:
    """The history with at least so many workers at the start."""
    new = _new(history, worker_id)
    more = [next(new) for _ in range(number - len(history.workers))]
    return replace(history, workers=(*history.workers, *more))


def _with_connectors(history: ConnectHistory, number: int, tasks: int = 2) -> ConnectHistory:
    """The history with at least so many connectors at the start."""
    new = _new(history, connector_name)
    more = [(next(new), tasks) for _ in range(number - len(history.connectors))]
    return replace(history, connectors=(*history.connectors, *more))


def _with_two_at_end(history: ConnectHistory) -> ConnectHistory:
    """The history with at least two workers and one connector with tasks at its end."""
    history = _with_connectors(_with_workers(history, 2), 1)
    workers, connectors = _end(history)
    more: list[ConnectEvent] = []
    if len(workers) < 2:
        more.append(WorkerJoin(next(_new(history, worker_id))))
    if not any(connectors.values()):
        more.append(ConnectorCreate(next(_new(history, connector_name)), 3))
    return _then(history, tuple(more)) if more else history


# Sizes


def _joined_later(history: ConnectHistory) -> int:
    """The number of workers that join after the start and that were not there at the start."""
    later = {e.worker_id for change in history.changes for e in change.events if isinstance(e, WorkerJoin)}
    return len(later - set(history.workers))


def _created_later(history: ConnectHistory) -> int:
    """The number of connectors that are created after the start and that were not there at the start."""
    events = (event for change in history.changes for event in change.events)
    later = {event.connector for event in events if isinstance(event, ConnectorCreate)}
    return len(later - {name for name, _ in history.connectors})


SIZES: Final = (
    Size("workers", lambda history: len(history.workers)),
    Size("connectors", lambda history: len(history.connectors)),
    Size("tasks of a connector", lambda history: max((tasks for _, tasks in history.connectors), default=0)),
    Size("workers that join later", _joined_later),
    Size("connectors that are created later", _created_later),
    Size(
        "rounds",
        lambda history: len(history.changes),
        _ROUNDS_MOST,
        "more calls of one leader are a history of their own",
    ),
)


def sized_cluster(source: Source, sizes: Mapping[str, int]) -> ConnectHistory:
    """A history with these sizes and everything else minimal."""
    workers, width = sizes.get("workers", 2), sizes.get("connectors", 1)
    most = sizes.get("tasks of a connector") or source.choice((1, 2, 3))
    joiners, creates = (
        sizes.get("workers that join later", 0),
        sizes.get("connectors that are created later", 0),
    )
    rest = source.choice((0, 1)) if most > 1 else 1
    tasks = [most, *[rest] * (width - 1)]
    place = source.integer(0, min(width - 1, 12))
    tasks[0], tasks[place] = tasks[place], tasks[0]
    history = ConnectHistory(
        tuple(map(worker_id, range(workers))),
        tuple((connector_name(number), own) for number, own in enumerate(tasks)),
        max_delay_ms=source.choice((0, 1_000, 300_000)),
    )
    rounds = sizes.get("rounds", 0)
    if joiners or creates or rounds:
        return replace(history, changes=_replacing(history, joiners, creates, rounds))
    changes: tuple[ConnectEvent, ...] = (
        WorkerJoin(worker_id(workers)),
        WorkerLeave(worker_id(source.integer(0, workers - 1))),
        ConnectorCreate(connector_name(width), 1),
    )
    return _then(history, (source.choice(changes),))


def _replacing(history: ConnectHistory, joiners: int, creates: int, rounds: int) -> tuple[ConnectChange, ...]:
    """So many changes in which ever new workers and connectors replace the oldest."""
    if not joiners and not creates:
        more = worker_id(len(history.workers))
        name, tasks = history.connectors[0]
        turns: tuple[ConnectEvent, ...] = (
            WorkerJoin(more),
            ConnectorResize(name, tasks + 1),
            WorkerLeave(more),
            ConnectorResize(name, tasks),
        )
        return tuple(ConnectChange(0, (turns[number % len(turns)],)) for number in range(rounds))
    most = max(joiners, creates)
    number_of_changes = rounds or -(-most // max(1, min(64, most // 8)))
    fresh = [worker_id(len(history.workers) + number) for number in range(joiners)]
    created = [connector_name(len(history.connectors) + number) for number in range(creates)]
    old, gone = list(history.workers), [name for name, _ in history.connectors]
    changes = []
    for number in range(number_of_changes):
        joins = fresh[number * joiners // number_of_changes : (number + 1) * joiners // number_of_changes]
        names = created[number * creates // number_of_changes : (number + 1) * creates // number_of_changes]
        leaves, old = old[: len(joins)], [*old[len(joins) :], *joins]
        deletes, gone = gone[: len(names)], [*gone[len(names) :], *names]
        events: tuple[ConnectEvent, ...] = (
            *map(WorkerJoin, joins),
            *map(WorkerLeave, leaves),
            *(ConnectorCreate(name, 1) for name in names),
            *map(ConnectorDelete, deletes),
        )
        changes.append(ConnectChange(0, events))
    return tuple(changes)


# Delays, waits and the clock

_DELAYS: Final = {"0": 0, "1": 1, "2": 2, "60000": 60_000, "300000": 300_000, "2^31-1": _INT_MOST}


def _widen_delay(history: ConnectHistory, wanted: str, source: Source) -> ConnectHistory:
    """Another maximum delay, and a worker that leaves and returns around its end."""
    delay = _DELAYS[wanted]
    history = replace(_with_two_at_end(history), max_delay_ms=delay)
    who = source.choice(_end(history)[0])
    waits = (max(0, delay - 1), delay, delay + 1)
    return _then(_then(history, (WorkerLeave(who),)), (WorkerJoin(who),), wait=source.choice(waits))


_WAITS: Final[dict[str, Callable[[int], int]]] = {
    "none": lambda _: 0,
    "1 ms": lambda _: 1,
    "half the delay": lambda delay: delay // 2,
    "1 ms less than the delay": lambda delay: delay - 1,
    "the delay": lambda delay: delay,
    "1 ms more than the delay": lambda delay: delay + 1,
    "twice the delay": lambda delay: 2 * delay,
}


def _widen_wait(history: ConnectHistory, wanted: str, source: Source) -> ConnectHistory:
    """A wait after a worker left, before it returns or another one joins."""
    history = _with_two_at_end(history)
    if history.max_delay_ms < 10:
        history = replace(history, max_delay_ms=300_000)
    who = source.choice(_end(history)[0])
    other = source.choice((who, next(_new(history, worker_id))))
    wait = _WAITS[wanted](history.max_delay_ms)
    return _then(_then(history, (WorkerLeave(who),), wait=1), (WorkerJoin(other),), wait=wait)


def _wait_seen(history: ConnectHistory, wanted: str) -> bool:
    wait = _WAITS[wanted](history.max_delay_ms)
    lost = False
    for each in _rounds(history):
        if lost and each.change.wait_ms == wait:
            return True
        lost = bool(each.had - each.workers)
    return False


_CLOCKS: Final = {"2^31": 2**31, "2^32": 2**32, "in 2026": 1_790_000_000_000, "after 2038": 2_200_000_000_000}


def _widen_clock(history: ConnectHistory, wanted: str, _: Source) -> ConnectHistory:
    """A clock that shows at least so many ms at the last changes."""
    history = _with_two_at_end(history)
    left = _CLOCKS[wanted]
    waits = []
    while left:
        waits.append(min(left, _WAIT_MOST))
        left -= waits[-1]
    first = tuple(ConnectChange(wait) for wait in waits)
    history = replace(history, changes=(*first, *history.changes))
    who = _end(history)[0][-1]
    return _then(history, (WorkerLeave(who),), (WorkerJoin(who),), wait=1)


def _clock_seen(history: ConnectHistory, wanted: str) -> bool:
    now = 0
    for change in history.changes:
        now += change.wait_ms
        if change.events and now >= _CLOCKS[wanted]:
            return True
    return False


_GENERATIONS: Final = {
    "127": 127,
    "128": 128,
    "255": 255,
    "32767": 32_767,
    "65535": 65_535,
    "near 2^31": _INT_MOST - 1000,
}


def _generation_seen(history: ConnectHistory, wanted: str) -> bool:
    generation = _GENERATIONS[wanted]
    return history.generation < generation <= history.generation + 1 + len(history.changes)


# Counts and their relations

_TASKS: Final = ("no connectors", "no tasks", "none at one", "one each", "equally many", "growing", "falling")


def _widen_tasks(history: ConnectHistory, wanted: str, source: Source) -> ConnectHistory:
    """Tasks of the first connectors."""
    history = _with_two_at_end(history)
    if wanted == "no connectors":
        return _then(
            replace(history, connectors=()), (ConnectorCreate(next(_new(history, connector_name)), 2),)
        )
    history = _with_connectors(history, 3)
    usual, last = source.integer(2, 4), len(history.connectors) - 1
    number: Callable[[int], int] = {
        "no tasks": lambda _: 0,
        "none at one": lambda n: 0 if n == last else usual,
        "one each": lambda _: 1,
        "equally many": lambda _: usual,
        "growing": lambda n: usual + n,
        "falling": lambda n: usual + last - n,
    }[wanted]
    return replace(
        history, connectors=tuple((name, number(n)) for n, (name, _) in enumerate(history.connectors))
    )


def _tasks_seen(history: ConnectHistory, wanted: str) -> bool:
    tasks = [number for _, number in sorted(history.connectors)]
    if wanted == "no connectors":
        return not tasks
    return (
        len(tasks) > 1
        and {
            "no tasks": max(tasks) == 0,
            "none at one": tasks.count(0) == 1,
            "one each": set(tasks) == {1},
            "equally many": len(set(tasks)) == 1 < tasks[0],
            "growing": len(set(tasks)) == len(tasks) and tasks == sorted(tasks),
            "falling": len(set(tasks)) == len(tasks) and tasks == sorted(tasks, reverse=True),
        }[wanted]
    )


_RATIOS: Final = (
    "fewer connectors than workers",
    "as many connectors as workers",
    "one connector more than workers",
    "fewer tasks than workers",
    "as many tasks as workers",
    "one task more than workers",
    "ten connectors a worker",
    "ten tasks a worker",
    "a hundred tasks a worker",
)


def _widen_ratio(history: ConnectHistory, wanted: str, source: Source) -> ConnectHistory:
    """Connectors, or tasks, as many as that for the workers of the start."""
    history = _with_workers(history, 3)
    if wanted in _RATIOS[6:]:
        history = replace(history, workers=history.workers[:3])
    workers = len(history.workers)
    connectors = {
        _RATIOS[0]: source.integer(1, workers - 1),
        _RATIOS[1]: workers,
        _RATIOS[2]: workers + 1,
        _RATIOS[6]: 10 * workers,
    }.get(wanted, source.integer(1, 2))
    tasks = {
        _RATIOS[3]: workers - 1,
        _RATIOS[4]: workers,
        _RATIOS[5]: workers + 1,
        _RATIOS[7]: 10 * workers,
        _RATIOS[8]: 100 * workers,
    }.get(wanted, connectors)
    own = replace(history, connectors=())
    names = _new(own, connector_name)
    sizes = [tasks // connectors + (number < tasks % connectors) for number in range(connectors)]
    return replace(history, connectors=tuple((next(names), number) for number in sizes))


def _ratio_seen(history: ConnectHistory, wanted: str) -> bool:
    workers, connectors = len(history.workers), len(history.connectors)
    tasks = sum(number for _, number in history.connectors)
    return (
        workers > 1
        and {
            _RATIOS[0]: 0 < connectors < workers,
            _RATIOS[1]: connectors == workers,
            _RATIOS[2]: connectors == workers + 1,
            _RATIOS[3]: 0 < tasks < workers,
            _RATIOS[4]: tasks == workers,
            _RATIOS[5]: tasks == workers + 1,
            _RATIOS[6]: connectors >= 10 * workers,
            _RATIOS[7]: tasks >= 10 * workers,
            _RATIOS[8]: tasks >= 100 * workers,
        }[wanted]
    )


# The life of a cluster

_RESIZES: Final[dict[str, tuple[int, int]]] = {
    "from none": (0, 2),
    "to none": (2, 0),
    "from 9 to 10": (9, 10),
    "from 11 to 9": (11, 9),
    "from 99 to 101": (99, 101),
    "from 101 to 99": (101, 99),
}


def _widen_resize(history: ConnectHistory, wanted: str, _: Source) -> ConnectHistory:
    """A connector that has another number of tasks later."""
    before, then = _RESIZES[wanted]
    history = _with_two_at_end(history)
    name = next(_new(history, connector_name))
    return _then(history, (ConnectorCreate(name, before),), (ConnectorResize(name, then),), wait=1)


def _resize_seen(history: ConnectHistory, wanted: str) -> bool:
    return any(
        (each.was[name], tasks) == _RESIZES[wanted]
        for each in _rounds(history)
        for name, tasks in each.connectors.items()
        if name in each.was
    )


_CONNECTOR_LIVES: Final = (
    "created again",
    "created again at once",
    "created again larger",
    "created again smaller",
    "grows and shrinks",
    "all deleted",
    "all replaced",
)


def _widen_connector_life(history: ConnectHistory, wanted: str, _: Source) -> ConnectHistory:
    """A connector that is deleted, and created again by its name; or all of them."""
    history = _with_two_at_end(history)
    connectors = _end(history)[1]
    name = max(connectors, key=lambda each: (connectors[each], each))
    tasks = connectors[name]
    if tasks < 2:
        history, tasks = _then(history, (ConnectorResize(name, 3),), wait=1), 3
    delete = ConnectorDelete(name)
    again = {"created again larger": tasks + 2, "created again smaller": tasks - 1}
    new = _new(history, connector_name)
    every = tuple(map(ConnectorDelete, connectors))
    lives: dict[str, tuple[tuple[ConnectEvent, ...], ...]] = {
        "created again at once": ((delete, ConnectorCreate(name, tasks)),),
        "grows and shrinks": ((ConnectorResize(name, tasks + 3),), (ConnectorResize(name, tasks),)),
        "all deleted": (every, ()),
        "all replaced": ((*every, *(ConnectorCreate(next(new), own) for own in connectors.values())),),
    }
    usual = (delete,), (ConnectorCreate(name, again.get(wanted, tasks)),)
    return _then(history, *lives.get(wanted, usual), wait=1)


def _connector_life_seen(history: ConnectHistory, wanted: str) -> bool:
    gone: dict[str, int] = {}
    returned: list[tuple[int, int]] = []
    at_once = deleted = replaced = False
    sizes: dict[str, list[int]] = {name: [tasks] for name, tasks in history.connectors}
    for each in _rounds(history):
        deletes = {
            e.connector for e in each.change.events if isinstance(e, ConnectorDelete)
        } & each.was.keys()
        at_once = at_once or bool(deletes & each.connectors.keys())
        returned += [(gone[name], each.connectors[name]) for name in gone if name in each.connectors]
        gone = {name: tasks for name, tasks in gone.items() if name not in each.connectors}
        gone |= {name: each.was[name] for name in deletes - each.connectors.keys()}
        deleted = deleted or (bool(each.was) and not each.connectors)
        replaced = replaced or (
            bool(each.was) and bool(each.connectors) and each.was.keys().isdisjoint(each.connectors)
        )
        for name, tasks in each.connectors.items():
            sizes.setdefault(name, []).append(tasks)
    return {
        "created again": bool(returned),
        "created again at once": at_once,
        "created again larger": any(then > before for before, then in returned),
        "created again smaller": any(then < before for before, then in returned),
        "grows and shrinks": any(max(own) > max(own[0], own[-1]) for own in sizes.values()),
        "all deleted": deleted,
        "all replaced": replaced,
    }[wanted]


_WORKER_LIVES: Final = (
    "back with its id",
    "back at once",
    "all replaced",
    "all but one leave",
    "two leave in turn",
    "leader changes twice",
    "an answer is lost twice",
    "five rounds without a change",
)
_QUIET: Final = 5


def _widen_worker_life(history: ConnectHistory, wanted: str, source: Source) -> ConnectHistory:
    """Workers that leave and return, one or all; leaders, lost answers, or nothing."""
    history = _with_workers(_with_two_at_end(history), 3)
    names, _ = _end(history)
    who = source.choice(names)
    new = _new(history, worker_id)
    others = tuple(WorkerJoin(next(new)) for _ in names)
    if len(names) < 3:
        history = _then(history, others[: 3 - len(names)])
        names = _end(history)[0]
    leave, back = WorkerLeave(who), WorkerJoin(who)
    lives: dict[str, tuple[tuple[ConnectEvent, ...], ...]] = {
        "back with its id": ((leave,), (back,)),
        "back at once": ((leave, back),),
        "all replaced": ((*(WorkerJoin(next(new)) for _ in names), *map(WorkerLeave, names)),),
        "all but one leave": (tuple(map(WorkerLeave, names[1:])), ()),
        "two leave in turn": ((WorkerLeave(names[0]),), (WorkerLeave(names[1]),)),
        "leader changes twice": ((LeaderChange(),), (LeaderChange(),)),
        "an answer is lost twice": ((SyncFailure(),), (MissedAssignment(who),)),
        "five rounds without a change": ((),) * _QUIET,
    }
    return _then(history, *lives[wanted], wait=1)


def _worker_life_seen(history: ConnectHistory, wanted: str) -> bool:
    gone: set[str] = set()
    back = at_once = replaced = alone = in_turn = left_before = False
    leaders = lost = quiet = longest = 0
    for each in _rounds(history):
        events = each.change.events
        left = {event.worker_id for event in events if isinstance(event, WorkerLeave)} & each.had
        back = back or bool(gone & each.workers - each.had)
        at_once = at_once or bool(left & each.workers)
        replaced = replaced or each.had.isdisjoint(each.workers)
        alone = alone or len(each.had) > len(each.workers) == 1
        leaves = bool(each.had - each.workers)
        in_turn, left_before = in_turn or (leaves and left_before), leaves
        gone |= left
        leaders += LeaderChange() in events
        lost += any(isinstance(event, SyncFailure | MissedAssignment) for event in events)
        quiet = 0 if events else quiet + 1
        longest = max(longest, quiet)
    return {
        "back with its id": back,
        "back at once": at_once,
        "all replaced": replaced,
        "all but one leave": alone,
        "two leave in turn": in_turn,
        "leader changes twice": leaders > 1,
        "an answer is lost twice": lost > 1,
        "five rounds without a change": longest >= _QUIET,
    }[wanted]


_REPORTS: Final = (
    "a connector",
    "a task",
    "everything",
    "what is deleted",
    "a task beyond the last",
)


def _widen_reports(history: ConnectHistory, wanted: str, source: Source) -> ConnectHistory:
    """A worker that was considered dead returns, and still runs this."""
    history = _with_two_at_end(history)
    workers, connectors = _end(history)
    name = max(connectors, key=lambda each: (connectors[each], each))
    tasks = [ConnectorTaskId(each, n) for each, number in connectors.items() for n in range(number)]
    works: dict[str, tuple[Work, ...]] = {
        "a connector": (name,),
        "a task": (ConnectorTaskId(name, 0),),
        "everything": (*connectors, *tasks),
        "what is deleted": (name, ConnectorTaskId(name, 0)),
        "a task beyond the last": (ConnectorTaskId(name, connectors[name]),),
    }
    who = source.choice(workers)
    deleted: tuple[ConnectEvent, ...] = (ConnectorDelete(name),) if wanted == "what is deleted" else ()
    history = _then(history, (WorkerLeave(who), *deleted), wait=1)
    return _then(history, (WorkerJoin(who, works[wanted]),), wait=2 * history.max_delay_ms)


def _reports_seen(history: ConnectHistory, wanted: str) -> bool:
    for each in _rounds(history):
        for event in each.change.events:
            if not isinstance(event, WorkerJoin) or not event.running:
                continue
            work = event.running
            numbers = [
                (task.task, each.was.get(task.connector))
                for task in work
                if isinstance(task, ConnectorTaskId)
            ]
            whole = len(each.was) + sum(each.was.values())
            if {
                "a connector": any(isinstance(unit, str) for unit in work),
                "a task": bool(numbers),
                "everything": len(set(work)) >= whole > 0,
                "what is deleted": any(isinstance(unit, str) and unit not in each.was for unit in work),
                "a task beyond the last": any(most is not None and n >= most for n, most in numbers),
            }[wanted]:
                return True
    return False


RANGES: Final = (
    WideRange(
        "maximum delays",
        tuple(_DELAYS),
        _widen_delay,
        lambda history, wanted: history.max_delay_ms == _DELAYS[wanted],
        "DistributedConfig.SCHEDULED_REBALANCE_MAX_DELAY_MS_CONFIG",
    ),
    WideRange("waits after a loss", tuple(_WAITS), _widen_wait, _wait_seen, "IncrementalCooperativeAssignor"),
    WideRange("clock", tuple(_CLOCKS), _widen_clock, _clock_seen, "Time.milliseconds"),
    WideRange(
        "generations",
        tuple(_GENERATIONS),
        lambda history, wanted, _: replace(history, generation=_GENERATIONS[wanted] - 1),
        _generation_seen,
        "JoinGroupResponse.generationId",
    ),
    WideRange("tasks of connectors", _TASKS, _widen_tasks, _tasks_seen, "ConnectorConfig.TASKS_MAX_CONFIG"),
    WideRange("work and workers", _RATIOS, _widen_ratio, _ratio_seen, "ConnectorConfig.TASKS_MAX_CONFIG"),
    WideRange(
        "resized connectors", tuple(_RESIZES), _widen_resize, _resize_seen, "ConnectorConfig.TASKS_MAX_CONFIG"
    ),
    WideRange(
        "lives of connectors",
        _CONNECTOR_LIVES,
        _widen_connector_life,
        _connector_life_seen,
        "KafkaConfigBackingStore.removeConnectorConfig",
    ),
    WideRange("lives of workers", _WORKER_LIVES, _widen_worker_life, _worker_life_seen, "WorkerCoordinator"),
    WideRange(
        "work that a joining worker runs",
        _REPORTS,
        _widen_reports,
        _reports_seen,
        "ExtendedWorkerState",
        frozenset({"no-conflicting-claims"}),
    ),
)
NAMED: Final = frozenset(("worker", "connector"))
"""The spaces of names of a cluster."""


RELATED: Final = related("connector")
"""The dimension of a plan that gives connectors names that relate."""


def named_cluster(history: ConnectHistory) -> ConnectHistory:
    """The history with at least two workers and two connectors with tasks."""
    return _with_connectors(_with_workers(history, 2), 2)


def deleted_in_turn(history: ConnectHistory) -> ConnectHistory:
    """The history, at whose end each of two connectors is deleted in turn while its tasks run.

    So the name of what is gone relates to the name of what is left, both ways.
    """
    history = _with_two_at_end(_with_connectors(history, 2))
    busy = {name: tasks for name, tasks in _end(history)[1].items() if tasks}
    if len(busy) < 2:
        new = next(_new(history, connector_name))
        history, busy[new] = _then(history, (ConnectorCreate(new, 2),)), 2
    first, last = min(busy), max(busy)
    back = ConnectorCreate(first, busy[first])
    return _then(history, (ConnectorDelete(first),), (back, ConnectorDelete(last)), wait=1)
