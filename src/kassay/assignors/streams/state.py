"""A process during an assignment of tasks.

Source: Kafka `org.apache.kafka.streams.processor.internals.assignment.ClientState`.
"""

from __future__ import annotations

from collections.abc import Iterable

from kassay.assignors.java_errors import IllegalStateError
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, process_key


class ProcessState:
    """One process and its tasks so far."""

    __slots__ = ("active", "capacity", "client", "key", "standby")

    def __init__(self, client: TaskClient) -> None:
        self.client = client
        self.key = process_key(client.process_id)
        self.capacity = client.capacity
        self.active: set[TaskId] = set()
        self.standby: set[TaskId] = set()

    @property
    def count(self) -> int:
        """Tasks of either kind."""
        return len(self.active) + len(self.standby)

    @property
    def load(self) -> float:
        """Tasks of either kind for each thread."""
        return self.count / self.capacity

    @property
    def active_load(self) -> float:
        """Active tasks for each thread."""
        return len(self.active) / self.capacity

    def has(self, task: TaskId) -> bool:
        """Whether the process has the task, active or as a standby."""
        return task in self.active or task in self.standby

    def has_more_room_than(self, other: ProcessState) -> bool:
        """Whether its threads are less loaded, or equally loaded and more in number."""
        mine, theirs = self.load, other.load
        return mine < theirs or (mine == theirs and self.capacity > other.capacity)

    def lag(self, task: TaskId) -> int:
        """The lag of this process on the task; raises `IllegalStateError` if it is unknown."""
        try:
            return self.client.lag_of[task]
        except KeyError:
            raise IllegalStateError(
                f"process {self.client.process_id} reports no lag for task {task}"
            ) from None


def answer(states: Iterable[ProcessState], probing_rebalance: bool = False) -> TaskAssignment:
    """The tasks of each process, in task order."""
    tasks_by_process = {
        state.client.process_id: ClientTasks(tuple(sorted(state.active)), tuple(sorted(state.standby)))
        for state in states
    }
    return TaskAssignment(tasks_by_process, probing_rebalance)
