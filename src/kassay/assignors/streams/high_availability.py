"""Streams-high-availability: a balanced plan first, then the way to it through caught-up copies.

Goals, in order: active tasks run where the state is (almost) complete; balance over threads;
`standby_replicas` copies of each stateful task; warm-up copies lead to the balanced plan.
1. Stateful active tasks go round the processes, then move while that balances the threads.
2. Standby copies go to the least loaded process without the task, and are balanced in the same way.
3. An active task whose process is not caught up, while another is further ahead, runs elsewhere for now: on a
   caught-up standby (the two swap), else on any caught-up process, else on the furthest one; the planned
   process keeps a warm-up copy as long as warm-ups are left.
4. Standby copies that could be further ahead elsewhere move in the same manner.
5. Stateless tasks go to the process with the fewest active tasks for each thread.
A probing rebalance follows if 3 or 4 found anything to move. Balance is claimed only for the end of that
process, when copies have caught up and no further rebalance is scheduled.
Ties: process ids as signed 64-bit halves, tasks by id; movements of equal rank in the order of Java's
priority queue. The order of clients and tasks in the request has no effect.
With `rack_aware_tags`, goal 2 spreads the copies of a task over their values first (`standby_tags`). Warm-ups
and moves on the way ignore tags. Only the rack-aware optimisation (KIP-925) reads racks; it is left out,
since it is off by default.
Source: Kafka `HighAvailabilityTaskAssignor`, `DefaultStandbyTaskAssignor` (KIP-441),
`ClientTagAwareStandbyTaskAssignor` (KIP-708), the same in branches 4.0 to 4.4.
Cost: O(T * C log C) for T tasks and C processes, and the balancing rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import cycle
from typing import NamedTuple

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.registry import reference
from kassay.assignors.streams.state import JavaPriorityQueue, LoadQueue, ProcessState, answer
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import (
    LAG_UNBOUNDED,
    RUNNING,
    TaskAssignment,
    TaskId,
    TaskRequest,
    task_hash_order,
)

# The way from where state is to where the plan puts it: moves of tasks that are not caught up.
#
# Every move has the plan's process as its destination and runs the task elsewhere until the
# destination has caught up. Moves of tasks with the fewest caught-up processes come first.
# Source: Kafka `TaskMovement`, trunk 1eb7644349cb (KIP-441).


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


# Standby copies spread over tag values: each on a process that shares no value with the task's other
# copies.
#
# The copies of a task go one by one to the least loaded process that differs from the processes of the
# active task and of the previous copies in each tag that has more values than there are such processes. If
# no process does, the remaining copies of the task go to the least loaded processes, whatever their tags,
# after all other tasks. A process without a tag differs from all others in it. Ties: as in
# `high_availability`; the remaining copies are placed in the order of Java's hash map. Source: Kafka
# `ClientTagAwareStandbyTaskAssignor`, branches 4.0 to 4.4 (KIP-708).

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


_Held = Callable[[ProcessState], set[TaskId]]
_MayGo = Callable[[ProcessState, ProcessState], bool]


@reference(
    "streams-high-availability",
    kind=STREAMS,
    claims=(
        "standby-disjoint",
        "standby-count",
        "standby-tags",
        "warm-ups",
        "task-errors",
        "balanced-within-one",
        "stateful-balanced",
        "fixed-point",
        "stable",
        "converges",
        "deterministic",
        "order-independent",
    ),
    source="org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor",
    since="4.0.0",
)
class StreamsHighAvailability:
    """Plans for balance and lets tasks move only to processes that have caught up."""

    name = "streams-high-availability"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        """The tasks of all processes; raises `IllegalStateError` without a process or a lag."""
        if request.tasks and not request.clients:
            raise IllegalStateError("there are tasks but no process to run them")
        states = sorted(map(ProcessState, request.clients), key=lambda state: state.key)
        stateful = sorted(request.stateful)

        for task, state in zip(stateful, cycle(states)):
            state.active.add(task)
        _even_out(states, lambda state: state.active)
        if request.standby_replicas > 0 and request.rack_aware_tags:
            place_over_tags(states, stateful, request.standby_replicas, frozenset(request.rack_aware_tags))
            _even_out(states, lambda state: state.standby, has_tags_of)
        elif request.standby_replicas > 0:
            _place_standbys(states, stateful, request.standby_replicas)
            _even_out(states, lambda state: state.standby)

        readiness = Readiness(states, stateful, request.acceptable_recovery_lag)
        warmups = Warmups(request.warmup_replicas_max)
        moves = move_active_tasks(states, readiness, warmups)
        moves += move_standby_tasks(states, readiness, warmups)

        _place_stateless(states, sorted(set(request.tasks) - set(stateful)))
        return answer(states, probing_rebalance=moves > 0)


def _place_standbys(states: Sequence[ProcessState], stateful: Sequence[TaskId], replicas: int) -> None:
    """Assign each task that many copies, each to the least loaded process that does not have it."""
    queue = LoadQueue(lambda state: state.load, states)
    for task in stateful:
        for _ in range(replicas):
            state = queue.poll(lambda state: not state.has(task))  # noqa: B023  # called at once
            if state is None:
                break
            state.standby.add(task)
            queue.offer(state)


def _place_stateless(states: Sequence[ProcessState], tasks: Sequence[TaskId]) -> None:
    """Assign each task to the process with the fewest active tasks for each thread."""
    queue = LoadQueue(lambda state: state.active_load, states)
    for task in tasks:
        state = queue.poll(lambda _: True)
        assert state is not None, "tasks without a process are refused before"
        state.active.add(task)
        queue.offer(state)


def _even_out(states: Sequence[ProcessState], held: _Held, may_go: _MayGo | None = None) -> None:
    """Move tasks of this kind between processes, where allowed, as long as that balances the loads."""
    moved = True
    while moved:
        moved = False
        for source in filter(held, states):
            for destination in states:
                if source is destination or (may_go is not None and not may_go(source, destination)):
                    continue
                for task in sorted(held(source)):
                    if not _evens_out(source, destination):
                        break
                    if not destination.has(task):
                        held(source).remove(task)
                        held(destination).add(task)
                        moved = True


def _evens_out(source: ProcessState, destination: ProcessState) -> bool:
    """Whether one task less here and one more there brings the loads closer without swapping their order."""
    skew = source.load - destination.load
    if skew <= 0:
        return False
    after = (source.count - 1) / source.capacity - (destination.count + 1) / destination.capacity
    return 0 <= after < skew
