"""Standby copies spread over tag values: each on a process that shares no value with the task's other copies.

The copies of a task go one by one to the least loaded process that differs from the processes of the active
task and of the previous copies in each tag that has more values than there are such processes. If no process
does, the remaining copies of the task go to the least loaded processes, whatever their tags, after all other
tasks.
A process without a tag differs from all others in it.
Ties: as in `high_availability`; the remaining copies are placed in the order of Java's hash map.
Source: Kafka `ClientTagAwareStandbyTaskAssignor`, branches 4.0 to 4.4 (KIP-708).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from kassay.assignors.streams.priority_queue import LoadQueue
from kassay.assignors.streams.state import ProcessState
from kassay.model.streams.tasks import TaskId, task_hash_order

_Tag = tuple[str, str]


def place_over_tags(
    states: Sequence[ProcessState], stateful: Sequence[TaskId], replicas: int, keys: Collection[str]
) -> None:
    """Assign each task that many copies, spread over the values of these tag keys where possible."""
    places = _Places(states, keys)
    queue = LoadQueue(lambda state: state.load, states)
    runs = {task: state for state in states for task in state.active}
    lacking: dict[TaskId, int] = {}
    for task in stateful:
        if left := replicas - _spread(task, runs[task], replicas, queue, places):
            lacking[task] = left
        queue.offer(*states)
    for task in (each for each in task_hash_order(stateful) if each in lacking):
        for _ in range(lacking[task]):
            state = queue.poll(lambda state: not state.has(task))  # noqa: B023  # called at once
            if state is None:
                break
            state.standby.add(task)
            queue.offer(state)


def has_tags_of(source: ProcessState, destination: ProcessState) -> bool:
    """Whether the first process has each tag of the second, including tags without spreading."""
    theirs = destination.client.tag_of
    return all(theirs.get(key) == value for key, value in source.client.tags)


def _spread(task: TaskId, runs_on: ProcessState, replicas: int, queue: LoadQueue, places: _Places) -> int:
    """Place copies of the task one by one, each on a process that differs; returns how many were placed."""
    taken: dict[_Tag, set[ProcessState]] = {}
    last = runs_on
    for placed in range(replicas):
        places.take(last, placed + 1, taken)
        state = queue.poll(lambda s: not s.has(task) and not _is_taken(s, taken.values()))  # called at once
        if state is None:
            return placed
        state.standby.add(task)
        last = state
    return replicas


def _is_taken(state: ProcessState, taken: Iterable[set[ProcessState]]) -> bool:
    return any(state in processes for processes in taken)


class _Places:
    """The processes by tag, and how many values each tag has."""

    def __init__(self, states: Sequence[ProcessState], keys: Collection[str]) -> None:
        self._keys = keys
        self._with: dict[_Tag, set[ProcessState]] = {}
        self._values: dict[str, set[str]] = {}
        for state in states:
            for key, value in state.client.tags:
                self._with.setdefault((key, value), set()).add(state)
                self._values.setdefault(key, set()).add(value)

    def take(self, state: ProcessState, copies: int, taken: dict[_Tag, set[ProcessState]]) -> None:
        """Record which processes share a tag with this one, which has one of so many copies.

        A tag with no more values than there are copies no longer excludes any process.
        """
        for key, value in state.client.tags:
            if key not in self._keys:
                continue
            if len(self._values[key]) > copies:
                taken[key, value] = self._with[key, value]
            else:
                for each in self._values[key]:
                    taken.pop((key, each), None)
