"""The way from where state is to where the plan puts it: moves of tasks that are not caught up.

Every move has the plan's process as its destination and runs the task elsewhere until the
destination has caught up. Moves of tasks with the fewest caught-up processes come first.
Source: Kafka `TaskMovement`, trunk 1eb7644349cb (KIP-441).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.priority_queue import JavaPriorityQueue, LoadQueue
from kassay.assignors.streams.state import ProcessState
from kassay.model.streams.tasks import LAG_UNBOUNDED, RUNNING, TaskId


class Readiness:
    """The progress of each process with each stateful task."""

    def __init__(self, states: Sequence[ProcessState], tasks: Sequence[TaskId], acceptable: int) -> None:
        self._furthest: dict[TaskId, list[ProcessState]] = {}
        self._caught_up: dict[TaskId, set[ProcessState]] = {}
        for task in tasks:
            lags = {state: state.lag(task) for state in states}
            self._furthest[task] = sorted(states, key=lambda state: (lags[state], state.key))
            self._caught_up[task] = {s for s, lag in lags.items() if _acceptable(lag, acceptable)}

    def caught_up(self, task: TaskId) -> set[ProcessState]:
        """The processes that could run the task at once."""
        return self._caught_up[task]

    def could_be_further(self, task: TaskId, state: ProcessState) -> bool:
        """Whether the process is not caught up and another one is further ahead."""
        return state not in self._caught_up[task] and self._furthest[task][0].lag(task) < state.lag(task)

    def furthest(
        self, task: TaskId, before: ProcessState, will_do: Callable[[ProcessState], bool]
    ) -> ProcessState | None:
        """The process furthest ahead among the acceptable ones that are ahead of one of them."""
        for state in self._furthest[task]:
            if state is before:
                return None
            if will_do(state):
                return state
        return None


class Warmups:
    """The number of copies that one assignment may still warm up, and the copies that it warms up."""

    def __init__(self, maximum: int) -> None:
        self._left = maximum
        self._placed: set[tuple[ProcessState, TaskId]] = set()

    def take(self) -> bool:
        """Use one up, if one is left."""
        self._left -= 1
        return self._left >= 0

    def place(self, task: TaskId, state: ProcessState) -> None:
        """Record that the process warms the task up."""
        self._placed.add((state, task))

    def holds(self, task: TaskId, state: ProcessState) -> bool:
        """Whether the process warms the task up."""
        return (state, task) in self._placed


class _Movement(NamedTuple):
    task: TaskId
    destination: ProcessState
    caught_up: int


def move_active_tasks(states: Sequence[ProcessState], readiness: Readiness, warmups: Warmups) -> int:
    """Run each active task where it is caught up or furthest ahead; how many had to move.

    Raises `IllegalStateError` if a task has to move and no process is ahead.
    """
    queue = LoadQueue(lambda state: state.load, states)
    movements = _movements(states, lambda state: state.active, readiness)
    needed = len(movements)
    while movements:
        task, destination, _ = movements.poll()
        caught_up = readiness.caught_up(task)
        source = (
            queue.poll(lambda state: state in caught_up and task in state.standby)  # noqa: B023  # called at once
            or queue.poll(caught_up.__contains__)
            or readiness.furthest(task, destination, lambda _: True)
        )
        if source is None:
            raise IllegalStateError(
                f"task {task} has to move to a process that is further ahead, and none is"
            )
        destination.active.remove(task)
        if task in source.standby:
            source.standby.remove(task)
            destination.standby.add(task)
        elif warmups.take():
            destination.standby.add(task)
            warmups.place(task, destination)
        source.active.add(task)
        queue.offer(source, destination)
    return needed


def move_standby_tasks(states: Sequence[ProcessState], readiness: Readiness, warmups: Warmups) -> int:
    """Keep each standby copy where it is caught up or furthest ahead; how many moved.

    A destination keeps its copy as long as warm-ups are left, and gives it up after that.
    """
    queue = LoadQueue(lambda state: state.load, states)
    movements = _movements(
        states, lambda state: {task for task in state.standby if not warmups.holds(task, state)}, readiness
    )
    moved = 0
    while movements:
        task, destination, _ = movements.poll()
        caught_up = readiness.caught_up(task)
        source = queue.poll(
            lambda state: state in caught_up and not state.has(task)  # noqa: B023  # called at once
        ) or readiness.furthest(task, destination, lambda state: not state.has(task))  # noqa: B023  # called at once
        if source is None:
            continue
        source.standby.add(task)
        if not warmups.take():
            destination.standby.remove(task)
        queue.offer(source, destination)
        moved += 1
    return moved


def _movements(
    states: Sequence[ProcessState], held: Callable[[ProcessState], set[TaskId]], readiness: Readiness
) -> JavaPriorityQueue[_Movement]:
    """The tasks that could be further ahead elsewhere; those with the fewest caught-up processes first."""
    movements: JavaPriorityQueue[_Movement] = JavaPriorityQueue(lambda m: (m.caught_up, m.task))
    for state in states:
        for task in sorted(held(state)):
            if readiness.could_be_further(task, state):
                movements.offer(_Movement(task, state, len(readiness.caught_up(task))))
    return movements


def _acceptable(lag: int, acceptable: int) -> bool:
    return lag == RUNNING or acceptable == LAG_UNBOUNDED or 0 <= lag <= acceptable
