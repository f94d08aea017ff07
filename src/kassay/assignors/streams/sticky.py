"""Streams-sticky: tasks stay with who ran them, as far as an equal share of the threads allows.

Goals, in order: active tasks where they ran, up to tasks / threads rounded down for each thread;
then where a standby copy is; then by load, with a liking for processes on which the task meets
tasks that it has not been with yet. Standby copies follow the same last rule, never on a process
that has the task already.
A process at its capacity (as many tasks as threads) gives way if another one has more room.
The load of a thread counts standby tasks too, so active tasks alone may differ by more than one.
Ties: the first process in the order given; previous active tasks in the order of Java's hash map;
other unassigned tasks first by the order given (those with a standby copy), then by task id.
Rack-aware optimisation is left out, as it is unless an application asks for it.
Source: Kafka `LegacyStickyTaskAssignor`, trunk 1eb7644349cb. Its sets of process ids are hash sets;
up to 12 processes they iterate in the order of the map of clients, which is ours for any number.
Cost: O(T * R * C) set operations for T tasks of R copies and C processes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.registry import reference
from kassay.assignors.streams.state import ProcessState, answer
from kassay.model.kinds import Kind
from kassay.model.streams.tasks import TaskAssignment, TaskId, TaskRequest


@reference(
    "streams-sticky",
    kind=Kind.STREAMS,
    claims=("standby-disjoint", "stable", "converges", "deterministic"),
    source="org.apache.kafka.streams.processor.internals.assignment.LegacyStickyTaskAssignor",
    since="4.0.0",
)
class StreamsSticky:
    """Leaves tasks where they ran, then where their standby copies are, then goes by load."""

    name = "streams-sticky"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes; raises `IllegalStateError` if there is no process."""
        if not request.clients:
            raise IllegalStateError("the total capacity of the processes should never be zero")
        placement = _Placement(request)
        placement.place_active()
        placement.place_standbys()
        return answer(placement.states.values())


class _Placement:
    """The tasks given out so far, and the memory that decides about the next one."""

    def __init__(self, request: TaskRequest) -> None:
        self.request = request
        self.states = {client.process_id: ProcessState(client) for client in request.clients}
        self.ran_on = {task: self.states[owner] for task, owner in request.previous_owners.items()}
        self.stood_by_on: dict[TaskId, list[ProcessState]] = {}
        for state in self.states.values():
            for task in state.client.previous_standby:
                self.stood_by_on.setdefault(task, []).append(state)
        self.pairs = _Pairs(len(request.tasks))

    def place_active(self) -> None:
        """Give every task to one process."""
        request = self.request
        share = len(request.tasks) // sum(client.capacity for client in request.clients)
        left = dict.fromkeys(request.tasks)
        for task, state in self.ran_on.items():
            if task in left and len(state.active) < state.capacity * share:
                self._give(task, state)
                del left[task]
        for task in tuple(left):
            for state in self.stood_by_on.get(task, ()):
                if len(state.active) < state.capacity * share:
                    self._give(task, state)
                    del left[task]
                    break
        everywhere = tuple(self.states.values())
        for task in sorted(left):
            self._give(task, self._find(task, everywhere))

    def place_standbys(self) -> None:
        """Give each stateful task its standby copies, as many as there are processes for."""
        for task in self.request.stateful:
            for _ in range(self.request.standby_replicas):
                free = [state for state in self.states.values() if not state.has(task)]
                if not free:
                    break
                self._give(task, self._find(task, free), standby=True)

    def _give(self, task: TaskId, state: ProcessState, standby: bool = False) -> None:
        self.pairs.add(task, state)
        (state.standby if standby else state.active).add(task)

    def _find(self, task: TaskId, within: Sequence[ProcessState]) -> ProcessState:
        """Where the task ran or stood by, unless it should give way; else the least loaded."""
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
        return state.count >= state.capacity and any(
            other.has_more_room_than(state) for other in self.states.values()
        )

    def _least_loaded_standby(self, task: TaskId, within: Collection[ProcessState]) -> ProcessState | None:
        return self._least_loaded(task, [s for s in self.stood_by_on.get(task, ()) if s in within])

    def _least_loaded(self, task: TaskId, states: Sequence[ProcessState]) -> ProcessState | None:
        """The least loaded process where the task meets a new task, else the least loaded; None of none."""
        for state in states:
            if state.count == 0:
                return state
        return _roomiest(s for s in states if self.pairs.has_new(task, s)) or _roomiest(states)


def _roomiest(states: Iterable[ProcessState]) -> ProcessState | None:
    """The first process that none before it and none after it has more room than."""
    best: ProcessState | None = None
    for state in states:
        if best is None or state.has_more_room_than(best):
            best = state
    return best


class _Pairs:
    """Which tasks have been on one process together, each with each."""

    def __init__(self, tasks: int) -> None:
        self._met: dict[TaskId, set[TaskId]] = {}
        self._left = tasks * (tasks - 1) // 2

    def add(self, task: TaskId, state: ProcessState) -> None:
        """The task comes to the tasks that the process has."""
        met = self._met.setdefault(task, set())
        for other in (state.active | state.standby) - met:
            met.add(other)
            self._met.setdefault(other, set()).add(task)
            self._left -= 1

    def has_new(self, task: TaskId, state: ProcessState) -> bool:
        """Whether the process has a task that this one has not met."""
        met = self._met.get(task, set())
        return self._left != 0 and not (state.active <= met and state.standby <= met)
