"""Faulty assignors of Kafka Connect: the optimal rule, or the eager one, with one thing done wrong.

Five of them do what Kafka itself once did; their issue is in the first line.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.optimal.connect import Loads, OptimalConnect, WaitingLeader
from kassay.certify.faulty import registry
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectRequest,
    Work,
    WorkerChange,
    after,
    connectors_first,
    work_key,
)
from kassay.model.groups.assignor import RebalanceProtocol
from kassay.model.kinds import Kind

control = partial(
    registry.control, kinds=Kind.CONNECT, protocol=RebalanceProtocol.COOPERATIVE, like="optimal-connect"
)
alone = partial(registry.control, kinds=Kind.CONNECT, protocol=RebalanceProtocol.COOPERATIVE)

_ONE_ROUND: Final = ("deleted-stops", "revoke-before-assign", "delayed-for-loss", "lost-returns", "converges")
"""What a fault in what is started keeps, as long as nothing is taken back for it."""


class _SpoiltConnect(OptimalConnect):
    """The optimal rule, and then something done to the answer."""

    name = "control"

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The spoilt answer."""
        good = super().assign(request)
        return replace(good, workers=self.spoil(request, good.workers))

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """What each worker is told, with the fault in it."""
        return dict(answer)


@control("delays-though-nobody-left", breaks="delayed-for-loss")
class DelaysThoughNobodyLeft(OptimalConnect):
    """Work that a worker missed counts as lost though the worker is still there (KAFKA-9848)."""

    def lost(self, request: ConnectRequest, memory: WaitingLeader) -> dict[Work, int]:
        """Whatever should run by the last answer and does not."""
        missing = request.configured - request.runners.keys()
        placed = {work: request.now_ms for work, _ in memory.placed if work in missing}
        return placed | super().lost(request, memory)


@alone("gives-lost-work-to-one", breaks="balanced-within-one", keeps=_ONE_ROUND)
class GivesLostWorkToOne(OptimalConnect):
    """All that is free goes to the one worker that has least (KAFKA-10413)."""

    def deal(self, work: Iterable[Work], loads: Loads) -> None:
        """Everything to the least loaded worker."""
        loads[min(loads, key=lambda worker: (len(loads[worker]), worker))] += work


@alone(
    "never-stops-what-it-revokes",
    breaks="single-owner",
    keeps=("deleted-stops", "delayed-for-loss", "lost-returns", "deterministic"),
)
class NeverStopsWhatItRevokes(OptimalConnect):
    """After a round that did not complete, what is taken back goes on running where it ran (KAFKA-10763)."""

    def must_wait(self, request: ConnectRequest, memory: WaitingLeader) -> bool:
        """Not after a round that did not complete."""
        return self._is_completed(request) and super().must_wait(request, memory)

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """What is taken back is given to another in the same round, and nobody is told to stop it."""
        good = super().assign(request)
        if self._is_completed(request):
            return good
        least = min(good.workers, key=lambda worker: (len(good.workers[worker].revoked), worker))
        taken = [w for change in good.workers.values() for w in change.revoked if w in request.configured]
        workers = {
            worker: change._replace(revoked=tuple(w for w in change.revoked if w not in taken))
            for worker, change in good.workers.items()
        }
        given = connectors_first((*workers[least].assigned, *taken))
        return replace(good, workers=workers | {least: workers[least]._replace(assigned=given)})

    def _is_completed(self, request: ConnectRequest) -> bool:
        memory = request.memory
        return not isinstance(memory, WaitingLeader) or memory.generation == request.last_completed_generation


@control("stops-halfway", breaks="balanced-within-one")
class StopsHalfway(OptimalConnect):
    """A round after one that took work back takes none, and asks for no other (KAFKA-12495)."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """Without the delay that the rest would wait for."""
        good = super().assign(request)
        lost = isinstance(good.memory, WaitingLeader) and good.memory.lost
        return good if lost else replace(good, delay_ms=0)


@alone(
    "never-reassigns-without-delay",
    breaks="complete",
    keeps=("deleted-stops", "revoke-before-assign", "backs-off"),
)
class NeverReassignsWithoutDelay(OptimalConnect):
    """Without a delay lost work waits for ever, since no rebalance is scheduled (KAFKA-15693)."""

    def is_over(self, since_ms: int, request: ConnectRequest) -> bool:
        """Never where the maximum delay is 0."""
        return request.max_delay_ms > 0 and super().is_over(since_ms, request)

    def delay(self, waiting: Mapping[Work, int], request: ConnectRequest) -> int:
        """None where the maximum is 0."""
        return super().delay(waiting, request) if request.max_delay_ms else 0


@control("runs-twice", breaks="single-owner")
class ConnectorRunsTwice(_SpoiltConnect):
    """What is new is started on two workers in a round after which somebody comes again anyway."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """What one worker is to start, another one starts as well where something has to be stopped."""
        starting = [worker for worker in sorted(answer) if answer[worker].assigned]
        if not starting or len(answer) == 1 or not any(change.revoked for change in answer.values()):
            return dict(answer)
        other = max(worker for worker in answer if worker != starting[0])
        both = connectors_first((*answer[other].assigned, *answer[starting[0]].assigned[:1]))
        return {**answer, other: answer[other]._replace(assigned=both)}


@control("names-a-stranger", breaks="exists")
class ConnectForAStranger(_SpoiltConnect):
    """There is an entry for a worker that is not there."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """One entry too many."""
        return {**answer, "nobody": WorkerChange()}


@control("forgets-a-task", breaks="complete")
class ForgetsConnectTask(OptimalConnect):
    """The last of what is new is started nowhere while one worker is all there is."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """All but the last thing that nobody has lost, once a leader remembers the round before."""
        good, memory = super().assign(request), request.memory
        if len(good.workers) > 1 or not isinstance(memory, WaitingLeader):
            return good
        assert isinstance(good.memory, WaitingLeader)
        ((worker, change),) = good.workers.items()
        fresh = [work for work in change.assigned if work not in self.lost(request, memory)]
        given = tuple(work for work in change.assigned if work not in fresh[-1:])
        placed = good.memory.placed - {(work, worker) for work in fresh[-1:]}
        return replace(
            good,
            workers={worker: change._replace(assigned=given)},
            memory=replace(good.memory, placed=placed),
        )


@control("leaves-deleted-running", breaks="deleted-stops")
class LeavesDeletedRunning(_SpoiltConnect):
    """What is deleted is not stopped."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """Only what is configured is revoked."""
        return {
            worker: change._replace(revoked=tuple(w for w in change.revoked if w in request.configured))
            for worker, change in answer.items()
        }


@control("hands-connector-over", breaks="revoke-before-assign")
class HandsConnectorOver(_SpoiltConnect):
    """What one worker is to stop another is to start in the same round."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """What is taken back goes at once to whom the next round would give it."""
        running = {w.worker_id: list(after(w, answer[w.worker_id])) for w in sorted(request.workers)}
        placed = {work for own in running.values() for work in own}
        free = [w for w in request.runners if w in request.configured and w not in placed]
        loads = {worker: list(own) for worker, own in running.items()}
        self.deal(sorted(free, key=work_key), loads)
        given = {worker: [w for w in own if w not in running[worker]] for worker, own in loads.items()}
        return {
            worker: change._replace(assigned=connectors_first((*change.assigned, *given[worker])))
            for worker, change in answer.items()
        }


@control("takes-back-too-much", breaks="sticky-minimal")
class TakesBackTooMuch(OptimalConnect):
    """Where something must be taken back, each worker gives its first up as well."""

    def surplus(self, request: ConnectRequest, loads: Loads) -> frozenset[Work]:
        """What must be taken back, and more."""
        needed = super().surplus(request, loads)
        return needed.union(work[0] for work in loads.values() if work) if needed else needed


@control("takes-back-at-once", breaks="backs-off")
class TakesBackAtOnce(OptimalConnect):
    """It waits before no round that takes work back."""

    def must_wait(self, request: ConnectRequest, memory: WaitingLeader) -> bool:
        """Never."""
        return False


@control("waits-twice", breaks="lost-returns")
class WaitsTwice(OptimalConnect):
    """What is lost waits for the maximum delay, and then for as long again."""

    def is_over(self, since_ms: int, request: ConnectRequest) -> bool:
        """Whether twice the delay is over."""
        return request.now_ms - since_ms >= 2 * request.max_delay_ms

    def delay(self, waiting: Mapping[Work, int], request: ConnectRequest) -> int:
        """What is left of the first time, and of the second where that is over."""
        left = super().delay(waiting, request)
        return left if left > 0 else left + request.max_delay_ms


@control("chokes-on-nothing", breaks="total")
class ChokesOnNothing(_SpoiltConnect):
    """A connector without tasks makes it fail."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """The answer, where every connector has tasks."""
        return dict(answer) if all(1 // tasks >= 0 for _, tasks in request.connectors) else {}


@control("waits-for-ever", breaks="terminates")
class ConnectNever(_SpoiltConnect):
    """It waits for a second worker where there is one."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """The answer, where there are several workers."""
        while len(answer) == 1:
            time.sleep(1)
        return dict(answer)


@control("remembers", breaks="pure")
class RemembersConnect(_SpoiltConnect):
    """Asked the same twice, it says something else."""

    def __init__(self) -> None:
        self._last: ConnectRequest | None = None

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """What is to be started turned where the question was the last one."""
        again, self._last = self._last == request, request
        return _turned(answer) if again else dict(answer)


@control("goes-by-listing", breaks="order-independent")
class ConnectByListing(OptimalConnect):
    """New work goes round in the order in which workers are listed."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The first time, when nobody runs anything, dealt out by listing."""
        good = super().assign(request)
        if request.runners or request.memory is not None:
            return good
        ids = [worker.worker_id for worker in request.workers]
        return replace(good, workers=dict(zip(ids, (good.workers[w] for w in sorted(ids)), strict=True)))


@control("hashes-workers", breaks="deterministic")
class ConnectFollowsHashes(OptimalConnect):
    """New work goes round in the order of a hash set, another one in each process."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The first time, when nobody runs anything, dealt out in hash order."""
        good = super().assign(request)
        if request.runners or request.memory is not None:
            return good
        ids = sorted(good.workers)
        return replace(
            good, workers=dict(zip(sorted(ids, key=hash), (good.workers[w] for w in ids), strict=True))
        )


@control("never-rests", breaks="converges")
class ConnectNeverRests(_SpoiltConnect):
    """Every round a worker has to stop something that it does not run, and rejoins."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """One thing more to stop."""
        first = min(answer)
        return {**answer, first: answer[first]._replace(revoked=(*answer[first].revoked, "nothing"))}


@registry.control("restless", breaks="stable", kinds=Kind.CONNECT, like="connect-eager")
class Restless(ConnectEager):
    """With each generation all that a worker runs goes on to the worker before it."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """What the eager rule says, in turn."""
        good = super().assign(request)
        workers: Mapping[str, WorkerChange] = good.workers
        for _ in range(request.generation % len(workers)):
            workers = _turned(workers)
        return replace(good, workers=workers)


def _turned(answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
    """What each worker is to start goes to the one before it, the first one's to the last."""
    ids = sorted(answer)
    turned = zip(ids, [*ids[1:], *ids[:1]], strict=True)
    return {w: answer[w]._replace(assigned=answer[other].assigned) for w, other in turned}
