"""Connect-eager: each rebalance stops everything and assigns it round robin.

Goals: connectors and tasks together spread within one over the workers. Nothing is kept: workers of this
protocol stop everything before they join, so there is no memory and no delay.
Connectors come in the order of their names, then all tasks by connector and number; workers by id. The first
task goes to the worker after the one that got the last connector.
Source: Kafka `EagerAssignor`, branches 4.0 to 4.4.
Cost: O(W log W + N log N) for W workers and N connectors and tasks.
"""

from __future__ import annotations

from itertools import cycle

from kassay.assignors.java_errors import NullPointerError
from kassay.assignors.registry import EAGER, reference
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, Work, WorkerChange, work_key
from kassay.model.java import utf16_sorted


@reference(
    "connect-eager",
    kind=CONNECT,
    protocol=EAGER,
    claims=(
        "balanced-within-one",
        "delayed-for-loss",
        "converges",
        "stable",
        "deterministic",
        "order-independent",
    ),
    source="org.apache.kafka.connect.runtime.distributed.EagerAssignor",
    since="4.0.0",
)
class ConnectEager:
    """Assigns everything round robin at every rebalance."""

    name = "connect-eager"

    def assign(self, request: ConnectRequest) -> ConnectAssignment:
        """What each worker is to start; raises `NullPointerError` if there is no worker."""
        if not request.workers:
            raise NullPointerError("no worker has reported a configuration offset")
        given: dict[str, list[Work]] = {
            worker_id: [] for worker_id in utf16_sorted(worker.worker_id for worker in request.workers)
        }
        for each, work in zip(sorted(request.configured, key=work_key), cycle(given.values())):
            work.append(each)
        return ConnectAssignment({worker_id: WorkerChange(tuple(work)) for worker_id, work in given.items()})
