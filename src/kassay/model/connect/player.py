"""Plays histories of a Connect cluster against an assignor, on a simulated clock."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Final

from kassay.model.calls import Failure, Look, call
from kassay.model.connect.history import (
    ConnectChange,
    ConnectEvent,
    ConnectHistory,
    ConnectorCreate,
    ConnectorDelete,
    ConnectorResize,
    ConnectRun,
    ConnectStep,
    LeaderChange,
    MissedAssignment,
    SyncFailure,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectAssignor,
    ConnectRequest,
    ConnectWorker,
    Work,
    WorkerChange,
    after,
    connectors_first,
)
from kassay.model.java import hash_map_order

SETTLING_ROUNDS_MAX: Final = 64
"""A cluster counts as never stable after this many rebalances."""

NewConnectAssignor = Callable[[], ConnectAssignor]
Asking = Callable[[ConnectRequest], ConnectStep]
"""Calls an assignor with a request."""


def asking(
    new: NewConnectAssignor, looks: Collection[Look] = (), twin: NewConnectAssignor | None = None
) -> Asking:
    """A function that makes a step with a new object; PERMUTED reverses workers and connectors."""

    def assign(assignor: ConnectAssignor, request: ConnectRequest) -> ConnectAssignment:
        return assignor.assign(request)

    return lambda request: call(ConnectStep, assign, new, request, looks, permuted=_backwards, twin=twin)


def _backwards(request: ConnectRequest) -> ConnectRequest:
    return replace(request, workers=request.workers[::-1], connectors=request.connectors[::-1])


def run_connect(history: ConnectHistory, ask: Asking, *, eager: bool = False) -> ConnectRun:
    """Play the history, run the cluster until it is stable, then rebalance once more.

    The workers of an `eager` cluster stop everything before they rejoin. Stops early if there is no answer.
    """
    cluster = _Cluster(history, ask, eager)
    cluster.rebalance(())
    for change in history.changes:
        if not cluster.live(change.wait_ms):
            break
        cluster.change(change)
    played = len(cluster.steps)
    if cluster.live(None) and cluster.steps[-1].at_rest:
        steps = tuple(cluster.steps)
        cluster.rebalance(())
        return ConnectRun(steps, played, cluster.steps[-1])
    return ConnectRun(tuple(cluster.steps), played)


class _Cluster:
    """The cluster during a run: where work runs, and what the leader and the workers know."""

    def __init__(self, history: ConnectHistory, ask: Asking, eager: bool) -> None:
        self.ask, self.eager, self.max_delay_ms = ask, eager, history.max_delay_ms
        self.running: dict[str, tuple[Work, ...]] = dict.fromkeys(history.workers, ())
        self.entrusted: dict[str, tuple[Work, ...]] = {}
        self.connectors = dict(history.connectors)
        self.now, self.generation, self.completed = 0, history.generation, -1
        self.memory: object = None
        self.lost: dict[Work, int | None] = {}
        self.waits_until, self.took_back, self.reported_running = 0, False, False
        self.steps: list[ConnectStep] = []

    def live(self, wait_ms: int | None) -> bool:
        """Let time pass and run the requested rebalances; with None, until no worker requests one.

        Returns whether every rebalance has an answer.
        """
        end = None if wait_ms is None else self.now + wait_ms
        for _ in range(SETTLING_ROUNDS_MAX if wait_ms != 0 else 0):
            last = self.steps[-1]
            if isinstance(last.answer, Failure) or last.at_rest:
                break
            rejoins = not last.reached_all or any(change.revoked for change in last.given.workers.values())
            at = self.now if rejoins else max(self.now, self.waits_until)
            if end is not None and at > end:
                break
            self.now = at
            self.rebalance(())
        if end is not None:
            self.now = end
        return not isinstance(self.steps[-1].answer, Failure)

    def change(self, change: ConnectChange) -> None:
        """Apply the events and run the rebalance that follows them."""
        for event in change.events:
            self.happen(event)
        self.rebalance(change.events)

    def happen(self, event: ConnectEvent) -> None:
        """Apply one event to the cluster."""
        match event:
            case WorkerJoin(worker_id, running) if worker_id not in self.running:
                self.running[worker_id] = connectors_first(running)
                self.reported_running |= bool(running)
            case WorkerLeave(worker_id) if worker_id in self.running and len(self.running) > 1:
                work = (*self.running.pop(worker_id), *self.entrusted.get(worker_id, ()))
                self.lost |= dict.fromkeys(work)
            case LeaderChange():
                self.memory, self.waits_until, self.took_back = None, 0, False
            case ConnectorCreate(name, tasks) if name not in self.connectors:
                self.connectors[name] = tasks
            case ConnectorDelete(name):
                self.connectors.pop(name, None)
            case ConnectorResize(name, tasks) if name in self.connectors:
                self.connectors[name] = tasks

    def rebalance(self, events: Collection[ConnectEvent]) -> None:
        """Run one rebalance, in which answers may get lost; its result is the last step."""
        self.generation += 1
        step = self.ask(self._request())
        request = step.request
        self.lost = {
            work: request.now_ms if since is None else since
            for work, since in self.lost.items()
            if work in request.configured and work not in request.runners
        }
        step = replace(
            step,
            lost_since=tuple((work, since) for work, since in self.lost.items() if since is not None),
            waits_until_ms=self.waits_until,
            took_back=self.took_back,
            reported_running=self.reported_running,
        )
        self.reported_running = False
        if not isinstance(step.answer, Failure):
            step = self._obey(step, step.answer, events)
        self.steps.append(step)

    def _request(self) -> ConnectRequest:
        ids = hash_map_order(self.running)
        return ConnectRequest(
            connectors=tuple(sorted(self.connectors.items())),
            workers=tuple(ConnectWorker(i, () if self.eager else self.running[i]) for i in ids),
            now_ms=self.now,
            max_delay_ms=self.max_delay_ms,
            generation=self.generation,
            last_completed_generation=self.completed,
            memory=self.memory,
        )

    def _obey(
        self, step: ConnectStep, answer: ConnectAssignment, events: Collection[ConnectEvent]
    ) -> ConnectStep:
        """The step with its outcome, after the workers that received the answer applied it."""
        failed = SyncFailure() in events
        missed = {event.worker_id for event in events if isinstance(event, MissedAssignment)}
        missed = set(self.running) if failed else missed & self.running.keys()
        obeyed = {
            worker.worker_id: after(worker, answer.workers.get(worker.worker_id, WorkerChange()))
            for worker in step.request.workers
        }
        self.running |= {worker: work for worker, work in obeyed.items() if worker not in missed}
        for change in answer.workers.values():
            for work in change.assigned:
                self.lost.pop(work, None)
        self.memory = answer.memory
        if not failed:
            self.completed, self.entrusted = self.generation, obeyed
            self.waits_until = self.now + answer.delay_ms if answer.delay_ms > 0 else 0
        self.took_back = bool(replace(step, answer=answer).taken_back)
        revokes = any(change.revoked for change in answer.workers.values())
        at_rest = not missed and not revokes and answer.delay_ms <= 0
        return replace(step, reached_all=not missed, at_rest=at_rest)
