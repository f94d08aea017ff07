"""Streams-public-sticky: the sticky rule that applications may name (KIP-924), tasks stay where they ran.

Goals, in order: active tasks where they ran, up to tasks * threads of the process / all threads, rounded up;
then where a standby copy is, as far as that leaves room; then by load, preferring processes on which the task
meets tasks that it has not been with yet. Standby copies follow the same last rule, never on a process that
has the task already.
A process at its capacity (as many tasks as threads) is skipped if another one is less loaded.
The load of a thread counts standby tasks too, so active tasks alone may differ by more than one; and rounding
up for one process may leave another without a task.
Ties: the first of these processes in the order of a hash set, whatever its threads; previous active tasks in
the order of Java's hash map; other unassigned tasks first by the order given (those with a standby copy),
then by task id; standby copies by the order of the stateful tasks. Kafka's set of those iterates by the
identity of objects, so that chance favours one of the copies that compete for a process, differently at each
rebalance: neither `stable` nor `deterministic` is declared. Here the order is the one of the request.
Rack-aware optimisation is left out, since it is off by default.
Source: Kafka `assignors.StickyTaskAssignor` and `TaskAssignmentUtils`, branch 4.4 (KIP-924, KAFKA-20198).
Where 12 processes or more had a copy of one task, Kafka copies its sets once more, which may reverse ties.
Cost: O(T * R * C) set operations for T tasks of R copies and C processes.
"""

from __future__ import annotations

from typing import ClassVar, Final

from kassay.assignors.java_errors import NullPointerError
from kassay.assignors.registry import reference
from kassay.assignors.streams.state import ProcessState, answer
from kassay.assignors.streams.sticky import ProcessPlacement
from kassay.model.java import bucket_order, uuid_hash
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskAssignment, TaskRequest

_ONE_TABLE: Final = 12
"""Up to so many processes any subset is visited in the order of all."""


class LoadOnly(ProcessState):
    """A process of which only the load counts: among equally loaded ones the first is taken."""

    __slots__ = ()

    def rank(self) -> tuple[float, int]:
        """Smaller where threads are less loaded."""
        return (len(self.active) + len(self.standby)) / self.capacity, 0


class PublicPlacement(ProcessPlacement):
    """As in the internal sticky rule of Kafka Streams, except for quotas, ties and the order of sets."""

    state: ClassVar[type[ProcessState]] = LoadOnly

    def kept_at_most(self, state: ProcessState) -> int:
        """The share of the process in all tasks by its threads, rounded up."""
        return -(-len(self.request.tasks) * state.capacity // self.threads)

    def __init__(self, request: TaskRequest) -> None:
        super().__init__(request)
        self._hashes = {state: uuid_hash(state.key) for state in self.states.values()}

    def as_set(self, states: list[ProcessState]) -> list[ProcessState]:
        """The processes in the order of a hash set that was filled with them."""
        if len(self.states) <= _ONE_TABLE:
            return states
        return bucket_order(states, self._hashes.__getitem__)


@reference(
    "streams-public-sticky",
    kind=STREAMS,
    claims=("standby-disjoint", "standby-count", "task-errors"),
    source="org.apache.kafka.streams.processor.assignment.assignors.StickyTaskAssignor",
    since="4.4",
)
class StreamsPublicSticky:
    """Leaves tasks where they ran up to a share rounded up, then where copies are, then chooses by load."""

    name = "streams-public-sticky"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes; raises `NullPointerError` for tasks without a process."""
        if request.tasks and not request.clients:
            raise NullPointerError("no process is found for a task")
        return placed(PublicPlacement(request))


def placed(placement: ProcessPlacement) -> TaskAssignment:
    """The tasks of the processes when all tasks and copies are placed."""
    placement.place_active()
    placement.place_standbys()
    return answer(placement.states.values())
