"""The situations of Connect clusters: the events of a history, found in one pass through it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Final

from kassay.model.connect.history import (
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
from kassay.model.connect.kinds import CONNECT
from kassay.properties.registry import situation

_WAITING: Final = ("delayed-for-loss", "lost-returns")
_MOVING: Final = ("balanced-within-one", "sticky-minimal", "revoke-before-assign", "converges")

SENTENCES: Final = {
    "worker-joins": ("A worker joins a running cluster.", (*_MOVING, "stable")),
    "joins-in-a-row": ("Two workers join, with no time between.", ("backs-off", "balanced-within-one")),
    "joins-while-waiting": ("A worker joins while the work of another one waits.", ("backs-off",)),
    "joins-and-creates": ("A worker joins as a connector is configured.", ("single-owner",)),
    "worker-leaves": (
        "A worker leaves, and what it ran is lost.",
        (*_WAITING, "complete", "converges", "total"),
    ),
    "returns-in-time": ("A worker returns before the delay is over.", _WAITING),
    "returns-late": ("A worker returns after the delay is over.", _WAITING),
    "no-delay": ("No delay is configured, and a worker leaves.", ("complete",)),
    "leader-changes": ("Another worker leads, which remembers nothing.", ("complete", "single-owner")),
    "connector-created": ("A connector is configured.", ("complete",)),
    "connector-deleted": ("A connector is deleted.", ("deleted-stops",)),
    "deleted-while-waiting": ("A connector is deleted while the work of a worker waits.", ("exists",)),
    "connector-resized": ("A connector has another number of tasks.", ("complete", "deleted-stops")),
    "missed-assignment": ("An answer does not reach a worker.", ("delayed-for-loss", "complete")),
    "failed-sync": ("An answer reaches no worker.", ("single-owner", "revoke-before-assign", "complete")),
    "no-change": ("A cluster is rebalanced without a reason.", ("stable",)),
    "still-running": ("A worker joins that still runs what others run.", ("single-owner",)),
}
"""The situations with the claims that require them."""
_OF_EVENT: Final = {
    LeaderChange: "leader-changes",
    ConnectorCreate: "connector-created",
    ConnectorDelete: "connector-deleted",
    ConnectorResize: "connector-resized",
    MissedAssignment: "missed-assignment",
    SyncFailure: "failed-sync",
}


@lru_cache(maxsize=1)
def reached_by(history: ConnectHistory) -> frozenset[str]:
    """The situations that the history contains."""
    names: set[str] = set()
    here, gone, now, joined = set(history.workers), dict[str, int](), 0, False
    for change in history.changes:
        now += change.wait_ms
        joined = joined and change.wait_ms == 0
        if not change.events:
            names.add("no-change")
        creates = any(isinstance(event, ConnectorCreate) for event in change.events)
        for event in change.events:
            names.update(_of_event(event))
            # The last one left last.
            latest = next(reversed(gone.values()), None)
            waits = latest is not None and now - latest < history.max_delay_ms
            if isinstance(event, WorkerLeave) and event.worker_id in here and len(here) > 1:
                here.remove(event.worker_id)
                gone[event.worker_id] = now
                names.add("worker-leaves" if history.max_delay_ms else "no-delay")
            elif isinstance(event, WorkerJoin) and event.worker_id not in here:
                here.add(event.worker_id)
                back = event.worker_id in gone
                names.update(_of_join(event, gone.pop(event.worker_id, None), now, history.max_delay_ms))
                if joined:
                    names.add("joins-in-a-row")
                if waits and not back:
                    names.add("joins-while-waiting")
                if creates:
                    names.add("joins-and-creates")
                joined = True
            elif isinstance(event, ConnectorDelete) and waits:
                names.add("deleted-while-waiting")
    return frozenset(names)


def _of_event(event: ConnectEvent) -> Iterator[str]:
    if type(event) in _OF_EVENT:
        yield _OF_EVENT[type(event)]


def _of_join(event: WorkerJoin, left_at: int | None, now: int, max_delay_ms: int) -> Iterator[str]:
    """The situations of a worker that joins, again or for the first time."""
    yield "worker-joins"
    if event.running:
        yield "still-running"
    if left_at is not None and max_delay_ms:
        yield "returns-in-time" if now - left_at < max_delay_ms else "returns-late"


def _is_reached(name: str, history: ConnectHistory) -> bool:
    return name in reached_by(history)


for _name, (_sentence, _claims) in SENTENCES.items():
    situation(
        _name,
        kinds=CONNECT,
        required_by=_claims,
        sentence=_sentence,
        excluded_by=("no-conflicting-claims",) if _name == "still-running" else (),
    )(partial(_is_reached, _name))
