"""Histories of a Connect cluster, from a source of choices or made to reach situations for certain.

Histories of a Connect cluster, generated from a source of choices.

Written once, for seeds and for Hypothesis (`sources`).

Histories of a Connect cluster that reach situations for certain, several of them each.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

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
from kassay.properties.sources import Source, many, subset


@dataclass(frozen=True)
class ConnectProfile:
    """How large a cluster may be."""

    workers: int = 5
    connectors: int = 4
    tasks: int = 5
    changes: int = 5


CONNECT_SMALL: Final = ConnectProfile()
CONNECT_LARGE: Final = ConnectProfile(workers=20, connectors=12, tasks=30, changes=3)
MAX_DELAYS: Final = (300_000, 60_000, 1_000, 1, 0)


def worker_id(number: int) -> str:
    """The id of the n-th worker."""
    return f"w{number}"


def connector_name(number: int) -> str:
    """The name of the n-th connector."""
    return f"c{number}"


def connect_history(source: Source, profile: ConnectProfile, *, ownership_conflicts: bool) -> ConnectHistory:
    """One history; workers may report work of others only where `ownership_conflicts`."""
    max_delay = source.choice(MAX_DELAYS)
    large = profile is CONNECT_LARGE
    return ConnectHistory(
        workers=tuple(many(source, 1, profile.workers, worker_id, 0.95 if large else 0.7)),
        connectors=tuple(
            many(
                source,
                0,
                profile.connectors,
                lambda i: (connector_name(i), source.integer(0, profile.tasks)),
                0.95 if large else 0.8,
            )
        ),
        max_delay_ms=max_delay,
        changes=tuple(
            many(
                source,
                0,
                profile.changes,
                lambda _: _change(source, profile, max_delay, ownership_conflicts),
                0.8,
            )
        ),
    )


def wait(source: Source, max_delay_ms: int) -> int:
    """A time in ms around the maximum delay, or 0."""
    half = max_delay_ms // 2
    return source.choice(
        (0, 1, half, max(0, max_delay_ms - 1), max_delay_ms, max_delay_ms + 1, 3 * max_delay_ms)
    )


def _change(
    source: Source, profile: ConnectProfile, max_delay: int, ownership_conflicts: bool
) -> ConnectChange:
    """A wait and an event or two, sometimes with an answer that is lost."""
    waited = wait(source, max_delay)
    events: list[ConnectEvent] = []
    if source.boolean(0.9):
        events = many(source, 1, 3, lambda _: _event(source, profile, ownership_conflicts), chance=0.3)
    if source.boolean(0.15):
        worker = worker_id(source.integer(0, profile.workers))
        events.append(MissedAssignment(worker) if source.boolean() else SyncFailure())
    return ConnectChange(waited, tuple(events))


def _event(source: Source, profile: ConnectProfile, ownership_conflicts: bool) -> ConnectEvent:
    """A worker joins or leaves, or the configuration changes."""
    worker = worker_id(source.integer(0, profile.workers))
    connector = connector_name(source.integer(0, profile.connectors))
    kind = source.choice(
        (
            WorkerJoin,
            WorkerLeave,
            WorkerJoin,
            WorkerLeave,
            ConnectorCreate,
            ConnectorResize,
            ConnectorDelete,
            LeaderChange,
        )
    )
    if kind is WorkerJoin:
        return WorkerJoin(
            worker, reported_work(source) if ownership_conflicts and source.boolean(0.1) else ()
        )
    if kind is WorkerLeave:
        return WorkerLeave(worker)
    if kind is LeaderChange:
        return LeaderChange()
    if kind is ConnectorDelete:
        return ConnectorDelete(connector)
    tasks = source.integer(0, profile.tasks)
    return ConnectorCreate(connector, tasks) if kind is ConnectorCreate else ConnectorResize(connector, tasks)


def reported_work(source: Source) -> tuple[Work, ...]:
    """The work that a worker reports as still running: some of the first connectors and their first tasks."""
    connectors = [connector_name(number) for number in range(3)]
    tasks = [ConnectorTaskId(name, number) for name in connectors for number in range(2)]
    work: list[Work] = [*connectors, *tasks]
    return tuple(subset(source, work))


def _start(source: Source, max_delay_ms: int, changes: tuple[ConnectChange, ...]) -> ConnectHistory:
    """Two or three workers with two or three connectors, and these changes."""
    return ConnectHistory(
        tuple(worker_id(number) for number in range(source.integer(2, 3))),
        tuple((connector_name(number), source.integer(2, 5)) for number in range(source.integer(2, 3))),
        max_delay_ms,
        changes,
    )


def _delay(source: Source) -> int:
    return source.choice((300_000, 60_000, 1_000))


def _losses(source: Source) -> ConnectHistory:
    """A worker leaves and returns in time, one leaves for good, and one returns late.

    While the delay for the first one runs, another may leave as well, or two others join.
    """
    delay = _delay(source)
    back = source.choice((1, delay // 2, delay - 1))
    others: tuple[ConnectEvent, ...] = (WorkerJoin(worker_id(3)), WorkerJoin(worker_id(4)))
    meanwhile = source.choice(((), (WorkerLeave(worker_id(1)),), others))
    return _start(
        source,
        delay,
        (
            ConnectChange(0, (WorkerLeave(worker_id(0)),)),
            ConnectChange(back, (*meanwhile, WorkerJoin(worker_id(0)))),
            ConnectChange(3 * delay, (WorkerLeave(worker_id(1)),)),
            ConnectChange(delay + source.integer(1, delay), (WorkerJoin(worker_id(1)),)),
        ),
    )


def _waiting(source: Source) -> ConnectHistory:
    """During the delay for a worker others join; a connector is deleted then, or when the worker leaves."""
    delay = _delay(source)
    meanwhile: tuple[ConnectEvent, ...] = (WorkerJoin(worker_id(3)), WorkerJoin(worker_id(4)))
    goes, deleted = WorkerLeave(worker_id(0)), ConnectorDelete(connector_name(source.integer(0, 1)))
    at_once = source.boolean()
    return _start(
        source,
        delay,
        (
            ConnectChange(1, (goes, deleted) if at_once else (goes,)),
            ConnectChange(1, meanwhile),
            ConnectChange(source.choice((0, 1)), () if at_once else (deleted,)),
            ConnectChange(2 * delay),
        ),
    )


def _new_for_new(source: Source) -> ConnectHistory:
    """A worker joins when a connector is configured: there is work to revoke, and work to start."""
    both = (ConnectorCreate(connector_name(4), source.integer(1, 5)), WorkerJoin(worker_id(3)))
    return _start(source, _delay(source), (ConnectChange(1, both), ConnectChange(0)))


def _no_delay(source: Source) -> ConnectHistory:
    """No delay is configured, and a worker leaves."""
    return _start(source, 0, (ConnectChange(1, (WorkerLeave(worker_id(0)),)),))


def _growth(source: Source) -> ConnectHistory:
    """Workers join one right after another, so that one round after another wants to revoke work.

    One without work may leave again, and more join while the leader backs off.
    """
    three, four, five, six = (WorkerJoin(worker_id(number)) for number in (3, 4, 5, 6))
    goes_at_once = [ConnectChange(0, (WorkerLeave(worker_id(3)),))] if source.boolean() else []
    goes_last: tuple[ConnectEvent, ...] = (WorkerLeave(worker_id(5)),)
    last = ConnectChange(source.choice((0, 1)), source.choice((goes_last, (six,))))
    changes = (
        ConnectChange(1),
        ConnectChange(0, (three,)),
        *goes_at_once,
        ConnectChange(0, (four,)),
        ConnectChange(0, (five,)),
        last,
    )
    return _start(source, _delay(source), changes)


def _configuration(source: Source) -> ConnectHistory:
    """Connectors are deleted, resized and created, one at a time."""
    return _start(
        source,
        _delay(source),
        (
            ConnectChange(1, (ConnectorDelete(connector_name(0)),)),
            ConnectChange(1, (ConnectorResize(connector_name(1), source.integer(0, 6)),)),
            ConnectChange(1, (ConnectorCreate(connector_name(4), source.integer(1, 5)),)),
            ConnectChange(0, ()),
        ),
    )


def _lost_answers(source: Source) -> ConnectHistory:
    """Work to start does not reach a worker, nor work to stop, and no worker leaves."""
    deleted = ConnectChange(0, (ConnectorDelete(connector_name(0)),))
    resized = ConnectChange(0, (ConnectorResize(connector_name(1), 6), SyncFailure()))
    return _start(
        source,
        _delay(source),
        (
            ConnectChange(1, (ConnectorCreate(connector_name(4), 4), MissedAssignment(worker_id(0)))),
            ConnectChange(1, (WorkerJoin(worker_id(3)), SyncFailure())),
            *source.choice(((resized,), (deleted,), (ConnectChange(1, (SyncFailure(),)), deleted))),
        ),
    )


def _leaders(source: Source) -> ConnectHistory:
    """The leader changes: with work lost, with a connector deleted, and without a reason."""
    lost = ConnectChange(0, (WorkerLeave(worker_id(0)), LeaderChange()))
    quiet = ConnectChange(1, (LeaderChange(),))
    deleted = ConnectChange(1, (ConnectorDelete(connector_name(0)), LeaderChange()))
    return _start(source, _delay(source), source.choice(((lost, quiet), (quiet, lost), (deleted, lost))))


def _conflict(source: Source) -> ConnectHistory:
    """A worker is considered dead and returns running work that others got."""
    delay = _delay(source)
    work = (connector_name(0), connector_name(1))
    return _start(
        source,
        delay,
        (
            ConnectChange(0, (WorkerLeave(worker_id(0)),)),
            ConnectChange(2 * delay, (WorkerJoin(worker_id(0), work),)),
        ),
    )


_RECIPES: Final[dict[str, Callable[[Source], ConnectHistory]]] = {
    "losses": _losses,
    "waiting": _waiting,
    "new-for-new": _new_for_new,
    "no-delay": _no_delay,
    "growth": _growth,
    "configuration": _configuration,
    "lost-answers": _lost_answers,
    "leaders": _leaders,
    "still-running": _conflict,
}
CONNECT_AIMS: Final = {
    **dict.fromkeys(("worker-leaves", "returns-in-time", "returns-late"), "losses"),
    **dict.fromkeys(("joins-while-waiting", "deleted-while-waiting"), "waiting"),
    "joins-and-creates": "new-for-new",
    "no-delay": "no-delay",
    **dict.fromkeys(("worker-joins", "joins-in-a-row"), "growth"),
    **dict.fromkeys(
        ("connector-deleted", "connector-resized", "connector-created", "no-change"), "configuration"
    ),
    **dict.fromkeys(("missed-assignment", "failed-sync"), "lost-answers"),
    "leader-changes": "leaders",
    "still-running": "still-running",
}
"""The recipe for a situation by the situation's name."""


def aimed_connect_history(source: Source, aim: str) -> ConnectHistory:
    """A history by the recipe called `aim`; raises `KeyError` if there is none."""
    return _RECIPES[aim](source)
