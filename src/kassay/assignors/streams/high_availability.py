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

from collections.abc import Callable, Sequence
from itertools import cycle

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.registry import reference
from kassay.assignors.streams.movement import Readiness, Warmups, move_active_tasks, move_standby_tasks
from kassay.assignors.streams.priority_queue import LoadQueue
from kassay.assignors.streams.standby_tags import has_tags_of, place_over_tags
from kassay.assignors.streams.state import ProcessState, answer
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskAssignment, TaskId, TaskRequest

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
