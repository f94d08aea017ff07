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

from collections.abc import Sequence
from typing import ClassVar

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.registry import reference
from kassay.assignors.streams.state import ProcessState, answer
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskAssignment, TaskId, TaskRequest

# Task placement of both sticky rules of Kafka Streams: the previous process if it has room, or by load.
#
# Each rule has its own process state, which defines when a process has more room; the rule also defines how
# many of its previous active tasks a process may keep, and the order in which a set of processes is visited.
# Sources: Kafka `LegacyStickyTaskAssignor` and the public `StickyTaskAssignor`, which share all of this.


class ProcessPlacement:
    """The tasks assigned so far, and the memory that decides about the next one."""

    state: ClassVar[type[ProcessState]] = ProcessState

    def __init__(self, request: TaskRequest) -> None:
        self.request = request
        self.threads = sum(client.capacity for client in request.clients)
        self.states = {client.process_id: self.state(client) for client in request.clients}
        self.ran_on = {task: self.states[owner] for task, owner in request.previous_owners.items()}
        self.stood_by_on: dict[TaskId, list[ProcessState]] = {}
        for state in self.states.values():
            for task in state.client.previous_standby:
                self.stood_by_on.setdefault(task, []).append(state)
        self.pairs = _Pairs(len(request.tasks))

    def kept_at_most(self, state: ProcessState) -> int:
        """How many of its previous active and standby tasks the process may take as active ones."""
        return len(self.request.tasks) // self.threads * state.capacity

    def as_set(self, states: list[ProcessState]) -> list[ProcessState]:
        """The processes in the order in which a set of them is visited; given in the order of the request."""
        return states

    def place_active(self) -> None:
        """Assign every task to one process."""
        left = dict.fromkeys(self.request.tasks)
        most = {process_id: self.kept_at_most(state) for process_id, state in self.states.items()}
        for task, state in self.ran_on.items():
            if task in left and len(state.active) < most[state.client.process_id]:
                self._give(task, state)
                del left[task]
        for task in tuple(left):
            for state in self.as_set(self.stood_by_on.get(task, [])):
                if len(state.active) < most[state.client.process_id]:
                    self._give(task, state)
                    del left[task]
                    break
        everywhere = tuple(self.states.values())
        for task in sorted(left):
            self._give(task, self._find(task, everywhere))

    def place_standbys(self) -> None:
        """Assign each stateful task's standby copies, as many as there are processes for."""
        for task in self.request.stateful:
            free = [state for state in self.states.values() if not state.has(task)]
            for _ in range(min(self.request.standby_replicas, len(free))):
                chosen = self._find(task, self.as_set(free))
                self._give(task, chosen, standby=True)
                free.remove(chosen)

    def _give(self, task: TaskId, state: ProcessState, standby: bool = False) -> None:
        self.pairs.add(task, state)
        (state.standby if standby else state.active).add(task)

    def _find(self, task: TaskId, within: Sequence[ProcessState]) -> ProcessState:
        """The process where the task ran or had a copy, unless it should be skipped; else by load."""
        if len(within) == 1:
            return within[0]
        ran_on = self.ran_on.get(task)
        if ran_on is None or ran_on not in within:
            ran_on = self._least_loaded_standby(task, within)
        if ran_on is not None:
            if not self._should_give_way(ran_on):
                return ran_on
            standby = self._least_loaded_standby(task, within)
            if standby is not None and not self._should_give_way(standby):
                return standby
        least = self._least_loaded(task, within)
        assert least is not None, "a task is only looked for among at least one process"
        return least

    def _should_give_way(self, state: ProcessState) -> bool:
        """Whether the process has a task for each thread and some other process has more room."""
        if state.count < state.capacity:
            return False
        load = state.rank()
        return any(other.rank() < load for other in self.states.values())

    def _least_loaded_standby(self, task: TaskId, within: Sequence[ProcessState]) -> ProcessState | None:
        allowed = set(within)
        stood_by = self.as_set(self.stood_by_on.get(task, []))
        return self._least_loaded(task, [state for state in stood_by if state in allowed])

    def _least_loaded(self, task: TaskId, states: Sequence[ProcessState]) -> ProcessState | None:
        """The least loaded process where the task meets a new task, else the least loaded; None if none."""
        for state in states:
            if not state.active and not state.standby:
                return state
        preferred = self.pairs.with_new(task, states) or states
        return min(preferred, key=self.state.rank, default=None)


class _Pairs:
    """All pairs of tasks that have been on one process together."""

    def __init__(self, tasks: int) -> None:
        self._met: dict[TaskId, set[TaskId]] = {}
        self._left = tasks * (tasks - 1) // 2

    def add(self, task: TaskId, state: ProcessState) -> None:
        """Record that the task joins the tasks of the process."""
        met = self._met.setdefault(task, set())
        for other in (state.active | state.standby) - met:
            met.add(other)
            self._met.setdefault(other, set()).add(task)
            self._left -= 1

    def with_new(self, task: TaskId, states: Sequence[ProcessState]) -> list[ProcessState]:
        """The processes that have a task which this one has not met."""
        if self._left == 0:
            return []
        met = self._met.get(task, set())
        return [state for state in states if not (state.active <= met and state.standby <= met)]


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
