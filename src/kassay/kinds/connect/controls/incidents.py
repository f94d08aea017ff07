"""Faulty Connect assignors that repeat faults of Kafka's own; the docstring of each names the issue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from kassay.assignors.connect.optimal import Loads, OptimalConnect, WaitingLeader
from kassay.kinds import controls
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, Work, connectors_first
from kassay.model.kinds import RebalanceProtocol

control = partial(
    controls.control, kinds=CONNECT, protocol=RebalanceProtocol.COOPERATIVE, like="optimal-connect"
)
alone = partial(controls.control, kinds=CONNECT, protocol=RebalanceProtocol.COOPERATIVE)

_ONE_ROUND: Final = ("deleted-stops", "revoke-before-assign", "delayed-for-loss", "lost-returns", "converges")
"""The claims that a fault in what is started keeps, as long as nothing is revoked for it."""


@control("delays-without-loss", breaks="delayed-for-loss")
class DelaysWithoutLoss(OptimalConnect):
    """Work that a worker missed counts as lost though the worker is still there (KAFKA-9848)."""

    def lost(self, request: ConnectRequest, memory: WaitingLeader) -> dict[Work, int]:
        """Everything that should run by the last answer and does not run."""
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
        """What should be revoked is assigned elsewhere in the same round, and no revocation is sent."""
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
        """Without the delay that the remaining work would wait for."""
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
