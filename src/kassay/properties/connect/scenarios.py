"""Histories of a Connect cluster, generated from a source of choices.

Written once, for seeds and for Hypothesis (`sources`).
"""

from __future__ import annotations

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


def connect_history(source: Source, profile: ConnectProfile, *, claims_conflict: bool) -> ConnectHistory:
    """One history; workers may report work of others only where `claims_conflict`."""
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
                lambda _: _change(source, profile, max_delay, claims_conflict),
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


def _change(source: Source, profile: ConnectProfile, max_delay: int, claims_conflict: bool) -> ConnectChange:
    """A wait and an event or two, sometimes with an answer that is lost."""
    waited = wait(source, max_delay)
    events: list[ConnectEvent] = []
    if source.boolean(0.9):
        events = many(source, 1, 3, lambda _: _event(source, profile, claims_conflict), chance=0.3)
    if source.boolean(0.15):
        worker = worker_id(source.integer(0, profile.workers))
        events.append(MissedAssignment(worker) if source.boolean() else SyncFailure())
    return ConnectChange(waited, tuple(events))


def _event(source: Source, profile: ConnectProfile, claims_conflict: bool) -> ConnectEvent:
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
        return WorkerJoin(worker, reclaimed(source) if claims_conflict and source.boolean(0.1) else ())
    if kind is WorkerLeave:
        return WorkerLeave(worker)
    if kind is LeaderChange:
        return LeaderChange()
    if kind is ConnectorDelete:
        return ConnectorDelete(connector)
    tasks = source.integer(0, profile.tasks)
    return ConnectorCreate(connector, tasks) if kind is ConnectorCreate else ConnectorResize(connector, tasks)


def reclaimed(source: Source) -> tuple[Work, ...]:
    """The work that a worker reports as still running: some of the first connectors and their first tasks."""
    connectors = [connector_name(number) for number in range(3)]
    tasks = [ConnectorTaskId(name, number) for name in connectors for number in range(2)]
    work: list[Work] = [*connectors, *tasks]
    return tuple(subset(source, work))
