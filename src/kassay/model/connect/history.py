"""Histories of a Connect cluster: workers join and leave, connectors change, answers get lost, time passes.

A history is a start and a sequence of changes; each change is a wait, a few events and one rebalance. Between
changes, workers follow the protocol: a worker that has to stop something rejoins at once, and all workers
rejoin when an announced delay ends. An event has no effect if it names a missing worker or connector, or
would remove the last worker. Source: KIP-415.
"""

from __future__ import annotations

from dataclasses import dataclass

from kassay.model.calls import Call
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, Work


@dataclass(frozen=True, slots=True)
class WorkerJoin:
    """A worker joins; one that was disconnected without stopping reports that it still runs its work."""

    worker_id: str
    running: tuple[Work, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerLeave:
    """A worker leaves and its work stops."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class LeaderChange:
    """Another worker becomes the leader, without any memory."""


@dataclass(frozen=True, slots=True)
class ConnectorCreate:
    """A connector is created."""

    connector: str
    tasks: int


@dataclass(frozen=True, slots=True)
class ConnectorDelete:
    """A connector is deleted together with its tasks."""

    connector: str


@dataclass(frozen=True, slots=True)
class ConnectorResize:
    """The number of tasks of a connector changes."""

    connector: str
    tasks: int


@dataclass(frozen=True, slots=True)
class MissedAssignment:
    """The leader's next answer does not reach this worker, which continues unchanged."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class SyncFailure:
    """The leader's next answer reaches no worker, and the leader knows that the round did not complete."""


ConnectEvent = (
    WorkerJoin
    | WorkerLeave
    | LeaderChange
    | ConnectorCreate
    | ConnectorDelete
    | ConnectorResize
    | MissedAssignment
    | SyncFailure
)


@dataclass(frozen=True, slots=True)
class ConnectChange:
    """A wait in ms, then events before one rebalance."""

    wait_ms: int = 0
    events: tuple[ConnectEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectHistory:
    """The first workers, the initial configuration, the maximum delay, and the changes.

    `generation` is that of the group before the first rebalance.
    """

    workers: tuple[str, ...]
    connectors: tuple[tuple[str, int], ...] = ()
    max_delay_ms: int = 300_000
    changes: tuple[ConnectChange, ...] = ()
    generation: int = 0


@dataclass(frozen=True)
class ConnectStep(Call[ConnectRequest, ConnectAssignment]):
    """One rebalance: the leader's input, its decision, and what it could know from earlier rounds.

    `lost_since` has the configured work that departed workers ran or were assigned, and that no worker has
    been assigned since, with the time of the first rebalance without it. `waits_until_ms` is the end of the
    announced delay, 0 for none. `took_back`: the last answer revoked work for balance. `at_rest`: no worker
    has a reason to rejoin. `reported_running`: a worker joined that reported running work.
    """

    lost_since: tuple[tuple[Work, int], ...] = ()
    waits_until_ms: int = 0
    took_back: bool = False
    reached_all: bool = True
    reported_running: bool = False
    at_rest: bool = False

    @property
    def contradictory(self) -> bool:
        """Whether two workers report running the same work, or one joined with running work."""
        return self.reported_running or any(len(workers) > 1 for workers in self.request.runners.values())

    @property
    def taken_back(self) -> dict[str, tuple[Work, ...]]:
        """The work that each worker must stop although it is configured and runs nowhere else."""
        runners, configured = self.request.runners, self.request.configured
        return {
            worker: work
            for worker, change in self.given.workers.items()
            if (work := tuple(w for w in change.revoked if w in configured and runners.get(w) == (worker,)))
        }


@dataclass(frozen=True)
class ConnectRun:
    """A history with its results: one step per rebalance.

    `played` counts the steps of the history itself; the others follow on their own. `left_alone` is a
    rebalance without a reason, run once the cluster is stable; None if it never became stable.
    """

    steps: tuple[ConnectStep, ...]
    played: int
    left_alone: ConnectStep | None = None

    @property
    def outcomes(self) -> tuple[ConnectStep, ...]:
        """The steps after which no worker had a reason to rejoin."""
        return tuple(step for step in self.steps if step.at_rest)

    @property
    def settling(self) -> int:
        """The number of rounds that followed the last change on their own."""
        return len(self.steps) - self.played

    @property
    def contradictory(self) -> bool:
        """Whether any rebalance had contradictory reports."""
        return any(step.contradictory for step in self.steps)
