"""Optimal-connect: an incremental leader of Kafka Connect that satisfies every claim of the protocol.

Goals, in order: nothing runs twice; what is not configured stops; the work of a departed worker waits for the
maximum delay, then goes to the least loaded worker; connectors and tasks, each kind by itself, spread within
one; as little running work as possible is revoked, never right after a revoking round nor while a delay runs.
Unlike Kafka's rule it decides by the configuration alone what is deleted, waits only for the work of departed
workers, and keeps to the delay that it announced.
Ties: workers by load, then id, sorted again for every connector and task (Kafka's rule sorts them once, so
both rules give each worker equal counts, but not the same work); the first workers by id keep one more; the
last listed work is revoked.
Source: KIP-415; no Kafka class.
Cost: O((W + N) log(W + N)) for W workers and N connectors and tasks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heapify, heapreplace
from typing import Final

from kassay.assignors.registry import COOPERATIVE, reference
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectRequest,
    Work,
    WorkerChange,
    connectors_first,
    connectors_in,
    tasks_in,
    work_key,
)

_KINDS: Final = (connectors_in, tasks_in)
Placement = frozenset[tuple[Work, str]]
"""Work with the worker that runs it."""


@dataclass(frozen=True, slots=True)
class WaitingLeader:
    """The leader's memory: the work of each worker before and after the last round, lost work, and delays."""

    reported: Placement = frozenset()
    placed: Placement = frozenset()
    members: frozenset[str] = frozenset()
    lost: frozenset[tuple[Work, int]] = frozenset()
    took_back: bool = False
    until_ms: int = 0
    generation: int = -1


Loads = dict[str, list[Work]]


@reference(
    "optimal-connect",
    kind=CONNECT,
    protocol=COOPERATIVE,
    claims=(
        "deleted-stops",
        "balanced-within-one",
        "sticky-minimal",
        "revoke-before-assign",
        "delayed-for-loss",
        "lost-returns",
        "backs-off",
        "converges",
        "stable",
        "deterministic",
        "order-independent",
    ),
    source="KIP-415",
)
class OptimalConnect:
    """Balances a Connect cluster with the fewest moves, and keeps every delay that it announces."""

    name = "optimal-connect"

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The changes for each worker; the memory of the request is None or a `WaitingLeader`."""
        memory = request.memory if isinstance(request.memory, WaitingLeader) else WaitingLeader()
        lost = self.lost(request, memory)
        waiting = {work: since for work, since in lost.items() if not self.is_over(since, request)}
        loads = self.kept(request)
        surplus, delay = self.surplus(request, loads), 0
        if waiting:
            delay, surplus = self.delay(waiting, request), frozenset()
        elif surplus and self.must_wait(request, memory):
            delay, surplus = max(1, memory.until_ms - request.now_ms), frozenset()
        for work in loads.values():
            work[:] = [each for each in work if each not in surplus]
        free = request.configured - request.runners.keys() - waiting.keys()
        self.deal(sorted(free, key=work_key), loads)
        return ConnectAssignment(
            dict(self.change(request, loads)),
            delay,
            WaitingLeader(
                _placement({worker.worker_id: worker.running for worker in request.workers}),
                _placement(loads),
                frozenset(loads),
                frozenset(waiting.items()),
                bool(surplus),
                request.now_ms + delay if delay else 0,
                request.generation,
            ),
        )

    def lost(self, request: ConnectRequest, memory: WaitingLeader) -> dict[Work, int]:
        """The work of departed workers that no worker runs, with the time in ms since when it is lost."""
        completed = memory.generation == request.last_completed_generation
        placed = memory.placed if completed else memory.reported
        workers = {worker.worker_id for worker in request.workers}
        lost = {work: request.now_ms for work, worker in placed if worker not in workers} | dict(memory.lost)
        missing = request.configured - request.runners.keys()
        return {work: since for work, since in lost.items() if work in missing}

    def is_over(self, since_ms: int, request: ConnectRequest) -> bool:
        """Whether work lost since then has waited for the whole delay."""
        return request.now_ms - since_ms >= request.max_delay_ms

    def delay(self, waiting: Mapping[Work, int], request: ConnectRequest) -> int:
        """How many ms the first of the waiting work still has to wait."""
        return min(waiting.values()) + request.max_delay_ms - request.now_ms

    def must_wait(self, request: ConnectRequest, memory: WaitingLeader) -> bool:
        """Whether nothing may be revoked yet."""
        return request.max_delay_ms > 0 and (memory.took_back or request.now_ms < memory.until_ms)

    def kept(self, request: ConnectRequest) -> Loads:
        """The configured work that each worker runs; if several run the same work, the first by id."""
        first = {
            work: min(workers) for work, workers in request.runners.items() if work in request.configured
        }
        return {
            worker.worker_id: [
                each for each in dict.fromkeys(worker.running) if first.get(each) == worker.worker_id
            ]
            for worker in sorted(request.workers)
        }

    def surplus(self, request: ConnectRequest, loads: Loads) -> frozenset[Work]:
        """The work to revoke so that no worker has more than its share."""
        surplus: list[Work] = []
        for kind in _KINDS:
            share, extras = divmod(len(kind(request.configured)), len(loads))
            for work in loads.values():
                running = kind(work)
                if len(running) > share:
                    surplus += running[share + (extras > 0) :]
                    extras -= extras > 0
        return frozenset(surplus)

    def deal(self, work: Iterable[Work], loads: Loads) -> None:
        """Assign each piece of work in place to the worker with the fewest of its kind."""
        listed = tuple(work)
        for kind in _KINDS:
            heap = [(len(kind(running)), worker) for worker, running in loads.items()]
            heapify(heap)
            for each in kind(listed):
                size, worker = heap[0]
                loads[worker].append(each)
                heapreplace(heap, (size + 1, worker))

    def change(self, request: ConnectRequest, loads: Loads) -> Iterable[tuple[str, WorkerChange]]:
        """What each worker must start and stop to get from what it runs to its new load."""
        for worker_id, running in request.workers:
            work = loads[worker_id]
            ran, runs = frozenset(running), frozenset(work)
            assigned = connectors_first(each for each in work if each not in ran)
            yield worker_id, WorkerChange(assigned, connectors_first(e for e in running if e not in runs))


def _placement(loads: Mapping[str, Iterable[Work]]) -> Placement:
    return frozenset((each, worker) for worker, work in loads.items() for each in work)
