"""Histories of a Connect cluster: workers come and go, connectors change, answers get lost, and time passes.

A history is a start and changes in order; each change is a wait, a few events and one rebalance. While
nothing happens, workers obey: one that has to stop something rejoins at once, and all rejoin when a delay
that they were told is over. An event about somebody who is not there does nothing, and neither does one
that would leave no worker at all. Source: KIP-415.
"""

from __future__ import annotations

from dataclasses import dataclass

from kassay.model.calls import Call
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, Work


@dataclass(frozen=True, slots=True)
class WorkerJoin:
    """A worker comes; one that was away without stopping says that it still runs what it ran."""

    worker_id: str
    running: tuple[Work, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerLeave:
    """A worker goes, and with it what it ran."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class LeaderChange:
    """Another worker leads from now on, and remembers nothing."""


@dataclass(frozen=True, slots=True)
class ConnectorCreate:
    """A connector is configured."""

    connector: str
    tasks: int


@dataclass(frozen=True, slots=True)
class ConnectorDelete:
    """A connector is configured no longer, and none of its tasks is."""

    connector: str


@dataclass(frozen=True, slots=True)
class ConnectorResize:
    """A connector has another number of tasks."""

    connector: str
    tasks: int


@dataclass(frozen=True, slots=True)
class MissedAssignment:
    """What the leader decides next does not reach this worker, which goes on as before."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class SyncFailure:
    """What the leader decides next reaches nobody, and the leader knows that the round did not complete."""


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
    """So many ms pass, and then all of this happens before one rebalance."""

    wait_ms: int = 0
    events: tuple[ConnectEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class ConnectHistory:
    """The first workers, what is configured then, the longest delay, and what happens."""

    workers: tuple[str, ...]
    connectors: tuple[tuple[str, int], ...] = ()
    max_delay_ms: int = 300_000
    changes: tuple[ConnectChange, ...] = ()


@dataclass(frozen=True)
class ConnectStep(Call[ConnectRequest, ConnectAssignment]):
    """One rebalance: what the leader saw, what it decided, and what it could know of before.

    `lost_since` has the configured work that departed workers ran or were to start, and that nobody has been
    given since, with the time at which a rebalance first met without it. `waits_until_ms` is the end of the
    delay that workers were told, 0 for none. `took_back` says whether the last answer revoked for balance.
    `at_rest`: nobody has a reason to rejoin. `reclaimed`: a worker came that said it still ran something.
    """

    lost_since: tuple[tuple[Work, int], ...] = ()
    waits_until_ms: int = 0
    took_back: bool = False
    reached_all: bool = True
    reclaimed: bool = False
    at_rest: bool = False

    @property
    def contradictory(self) -> bool:
        """Whether two workers say that they run the same, or one came running something."""
        return self.reclaimed or any(len(workers) > 1 for workers in self.request.runners.values())

    @property
    def taken_back(self) -> dict[str, tuple[Work, ...]]:
        """What each worker has to stop though it is configured and runs there alone."""
        runners, configured = self.request.runners, self.request.configured
        return {
            worker: work
            for worker, change in self.given.workers.items()
            if (work := tuple(w for w in change.revoked if w in configured and runners.get(w) == (worker,)))
        }


@dataclass(frozen=True)
class ConnectRun:
    """A history with everything that it led to: a step a rebalance.

    `played` is how many steps belong to the history; the others follow by themselves. `left_alone` is a
    rebalance for no reason, asked for once the cluster is at rest; None where it never came to rest.
    """

    steps: tuple[ConnectStep, ...]
    played: int
    left_alone: ConnectStep | None = None

    @property
    def outcomes(self) -> tuple[ConnectStep, ...]:
        """The steps at which nobody had a reason to rejoin."""
        return tuple(step for step in self.steps if step.at_rest)

    @property
    def settling(self) -> int:
        """The rounds that followed the last change by themselves."""
        return len(self.steps) - self.played

    @property
    def contradictory(self) -> bool:
        """Whether any rebalance met contradictory reports."""
        return any(step.contradictory for step in self.steps)
