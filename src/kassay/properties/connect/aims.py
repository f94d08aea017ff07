"""Lives of a Connect cluster that reach situations for certain, several of them each."""

from __future__ import annotations

from collections.abc import Callable
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
from kassay.properties.connect.scenarios import connector_name, worker_id
from kassay.properties.sources import Source


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
    """A worker goes and comes back in time, one goes for good, and one comes late.

    While the first one is waited for, another may go as well, or two others come.
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
    """While a worker's work is waited for others come; a connector is deleted then, or as the worker goes."""
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
    """A worker comes as a connector is configured: there is work to take back, and work to start."""
    both = (ConnectorCreate(connector_name(4), source.integer(1, 5)), WorkerJoin(worker_id(3)))
    return _start(source, _delay(source), (ConnectChange(1, both), ConnectChange(0)))


def _no_delay(source: Source) -> ConnectHistory:
    """No delay is configured, and a worker goes."""
    return _start(source, 0, (ConnectChange(1, (WorkerLeave(worker_id(0)),)),))


def _growth(source: Source) -> ConnectHistory:
    """Workers come one right after another, so that one round after another wants to take work back.

    One that has nothing yet may go again, and more come while the leader backs off.
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
    """Connectors are deleted, resized and created, one after the other."""
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
    """What should be started does not arrive at a worker, nor what should be stopped, and nobody has gone."""
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
    """The leader changes: with work lost, with a connector deleted, and for nothing."""
    lost = ConnectChange(0, (WorkerLeave(worker_id(0)), LeaderChange()))
    quiet = ConnectChange(1, (LeaderChange(),))
    deleted = ConnectChange(1, (ConnectorDelete(connector_name(0)), LeaderChange()))
    return _start(source, _delay(source), source.choice(((lost, quiet), (quiet, lost), (deleted, lost))))


def _conflict(source: Source) -> ConnectHistory:
    """A worker is taken for dead and comes back running what others have been given."""
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
    """A life by the recipe called `aim`; raises `KeyError` where there is none."""
    return _RECIPES[aim](source)
