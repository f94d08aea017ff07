"""Faulty Connect assignors: the optimal or the eager rule with a fault in its answer or its decision."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.connect.optimal import Loads, OptimalConnect, WaitingLeader
from kassay.kinds import controls
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectRequest,
    Work,
    WorkerChange,
    after,
    connectors_first,
    work_key,
)
from kassay.model.kinds import RebalanceProtocol

control = partial(
    controls.control, kinds=CONNECT, protocol=RebalanceProtocol.COOPERATIVE, like="optimal-connect"
)


class _SpoiltConnect(OptimalConnect):
    """The optimal rule, whose answer is then changed."""

    name = "control"

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The changed answer."""
        good = super().assign(request)
        return replace(good, workers=self.spoil(request, good.workers))

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """The answer for each worker, with the fault in it."""
        return dict(answer)


@control("runs-twice", breaks="single-owner")
class ConnectorRunsTwice(_SpoiltConnect):
    """Starts new work on two workers in a round after which some worker must rejoin anyway."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """Where something has to be stopped, what one worker starts another one starts as well."""
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
        return {**answer, "stranger": WorkerChange()}


@control("forgets-a-task", breaks="complete")
class ForgetsConnectTask(OptimalConnect):
    """The last of what is new is started nowhere while one worker is all there is."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """All but the last thing that was not lost, once a leader remembers the round before."""
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
        """Only configured connectors and tasks are revoked."""
        return {
            worker: change._replace(revoked=tuple(w for w in change.revoked if w in request.configured))
            for worker, change in answer.items()
        }


@control("hands-connector-over", breaks="revoke-before-assign")
class HandsConnectorOver(_SpoiltConnect):
    """What one worker is to stop another is to start in the same round."""

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """Revoked work starts in the same round on the worker that the next round would choose."""
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
        """What must be revoked, and more."""
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
        """The rest of the first delay, then of the second one."""
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
    """A second call with the same input returns another answer."""

    def __init__(self) -> None:
        self._last: ConnectRequest | None = None

    def spoil(self, request: ConnectRequest, answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
        """The work to start is rotated where the last call had the same input."""
        again, self._last = self._last == request, request
        return _turned(answer) if again else dict(answer)


@control("goes-by-listing", breaks="order-independent")
class ConnectByListing(OptimalConnect):
    """New work goes round in the order in which workers are listed."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """Assigned by listing in the first round, when no worker runs anything."""
        good = super().assign(request)
        if request.runners or request.memory is not None:
            return good
        ids = [worker.worker_id for worker in request.workers]
        return replace(good, workers=dict(zip(ids, (good.workers[w] for w in sorted(ids)), strict=True)))


@control("hashes-workers", breaks="deterministic")
class ConnectFollowsHashes(OptimalConnect):
    """New work goes round in the order of a hash set, another one in each process."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """Assigned in hash order in the first round, when no worker runs anything."""
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


@controls.control("restless", breaks="stable", kinds=CONNECT, like="connect-eager")
class Restless(ConnectEager):
    """With each generation all that a worker runs goes on to the worker before it."""

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """The eager rule's answer, rotated."""
        good = super().assign(request)
        workers: Mapping[str, WorkerChange] = good.workers
        for _ in range(request.generation % len(workers)):
            workers = _turned(workers)
        return replace(good, workers=workers)


def _turned(answer: Mapping[str, WorkerChange]) -> dict[str, WorkerChange]:
    """The answer with what each worker must start moved to the one before it, the first one's to the last."""
    ids = sorted(answer)
    turned = zip(ids, [*ids[1:], *ids[:1]], strict=True)
    return {w: answer[w]._replace(assigned=answer[other].assigned) for w, other in turned}
