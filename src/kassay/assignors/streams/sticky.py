"""Streams-sticky: tasks stay where they ran, as far as an equal share of the threads allows.

Goals, in order: active tasks where they ran, up to tasks / threads rounded down for each thread; then where a
standby copy is; then by load, preferring processes on which the task meets tasks that it has not been with
yet. Standby copies follow the same last rule, never on a process that has the task already.
A process at its capacity (as many tasks as threads) is skipped if another one has more room.
The load of a thread counts standby tasks too, so active tasks alone may differ by more than one.
Ties: the first process in the order given; previous active tasks in the order of Java's hash map; other
unassigned tasks first by the order given (those with a standby copy), then by task id.
Rack-aware optimisation is left out, since it is off by default.
Source: Kafka `LegacyStickyTaskAssignor`, trunk 1eb7644349cb. Its sets of process ids are hash sets; up to 12
processes they iterate in the order of the map of clients, which this rule uses for any number.
Cost: O(T * R * C) set operations for T tasks of R copies and C processes.
"""

from __future__ import annotations

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.registry import reference
from kassay.assignors.streams.state import answer
from kassay.assignors.streams.sticky_placement import ProcessPlacement
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskAssignment, TaskRequest


@reference(
    "streams-sticky",
    kind=STREAMS,
    claims=("standby-disjoint", "standby-count", "task-errors", "stable", "converges", "deterministic"),
    source="org.apache.kafka.streams.processor.internals.assignment.LegacyStickyTaskAssignor",
    since="4.0.0",
)
class StreamsSticky:
    """Leaves tasks where they ran, then where their standby copies are, then chooses by load."""

    name = "streams-sticky"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes; raises `IllegalStateError` if there is no process."""
        if not request.clients:
            raise IllegalStateError("the total capacity of the processes should never be zero")
        placement = ProcessPlacement(request)
        placement.place_active()
        placement.place_standbys()
        return answer(placement.states.values())
