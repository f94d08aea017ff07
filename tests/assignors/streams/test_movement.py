"""Tasks on their way to a plan: run where they are caught up or furthest ahead, copies warmed up by ration."""

from random import Random

import pytest

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.movement import Readiness, Warmups, move_active_tasks, move_standby_tasks
from kassay.assignors.streams.state import ProcessState
from kassay.model.streams.tasks import LAG_UNBOUNDED, RUNNING, TaskClient, TaskId, process_id

TASKS = tuple(TaskId(0, p) for p in range(4))
ACCEPTABLE = 10


def processes(*lags, threads=1):
    """A process for each list of lags, one lag a task."""
    return [
        ProcessState(TaskClient(process_id(i), threads, lags=tuple(zip(TASKS, each))))
        for i, each in enumerate(lags)
    ]


def drawn(count):
    """Processes with lags, and a plan that gives each task to one of them and copies to some others."""
    for seed in range(count):
        rng = Random(seed)
        rows = [[rng.choice((0, 5, 10, 11, 500)) for _ in TASKS] for _ in range(rng.randint(1, 4))]
        for p in range(len(TASKS)):
            if rng.random() < 0.5:
                rows[rng.randrange(len(rows))][p] = RUNNING
        states = processes(*rows)
        for task in TASKS:
            first, *others = rng.sample(states, rng.randint(1, len(states)))
            first.active.add(task)
            for other in others[: rng.randint(0, 2)]:
                other.standby.add(task)
        yield states, Readiness(states, TASKS, ACCEPTABLE), rng.randint(0, 3)


def is_ready(state, task):
    return state.lag(task) == RUNNING or 0 <= state.lag(task) <= ACCEPTABLE


def test_readiness_agrees_with_the_lags():
    for states, readiness, _ in drawn(60):
        for task in TASKS:
            ready = {state for state in states if is_ready(state, task)}
            assert readiness.caught_up(task) == ready
            ahead = min(state.lag(task) for state in states)
            for state in states:
                further = state not in ready and ahead < state.lag(task)
                assert readiness.could_be_further(task, state) == further
                best = readiness.furthest(task, state, lambda _: True)
                assert best is None or best.lag(task) == ahead


def test_an_unbounded_lag_is_always_acceptable_and_an_unknown_one_never():
    states = processes([LAG_UNBOUNDED - 1] * 4, [-1] * 4)
    assert Readiness(states, TASKS, LAG_UNBOUNDED).caught_up(TASKS[0]) == set(states)
    assert Readiness(states, TASKS, ACCEPTABLE).caught_up(TASKS[0]) == set()


def test_every_active_task_ends_where_it_is_caught_up_or_furthest_ahead():
    for states, readiness, rations in drawn(200):
        planned = {task: next(s for s in states if task in s.active) for task in TASKS}
        could = {task for task, state in planned.items() if readiness.could_be_further(task, state)}
        copies = {task: sum(task in s.standby for s in states) for task in TASKS}
        warmups = Warmups(rations)
        assert move_active_tasks(states, readiness, warmups) == len(could)
        warmed = 0
        for task in TASKS:
            (runs,) = [state for state in states if task in state.active]
            assert task not in runs.standby
            if task not in could:
                assert runs is planned[task]
                continue
            ahead = min(state.lag(task) for state in states)
            assert runs in readiness.caught_up(task) or runs.lag(task) == ahead
            held = warmups.holds(task, planned[task])
            warmed += held
            assert sum(task in s.standby for s in states) == copies[task] + held
        assert warmed <= rations


def test_a_standby_that_is_behind_moves_to_who_is_ahead_and_has_nothing_of_the_task():
    for states, readiness, rations in drawn(200):
        actives = [set(state.active) for state in states]
        copies = {task: sum(task in s.standby for s in states) for task in TASKS}
        moved = move_standby_tasks(states, readiness, Warmups(rations))
        assert [state.active for state in states] == actives
        assert not any(state.active & state.standby for state in states)
        more = sum(task in s.standby for s in states for task in TASKS) - sum(copies.values())
        assert more == min(moved, rations), "a destination keeps its copy while warm-ups are left"


def test_a_warm_up_is_no_standby_to_be_moved():
    states = processes([0] * 4, [500] * 4)
    states[1].standby.add(TASKS[0])
    warmups = Warmups(2)
    warmups.place(TASKS[0], states[1])
    assert move_standby_tasks(states, Readiness(states, TASKS, ACCEPTABLE), warmups) == 0
    assert move_standby_tasks(states, Readiness(states, TASKS, ACCEPTABLE), Warmups(2)) == 1


def test_warm_ups_are_counted():
    warmups = Warmups(2)
    assert [warmups.take() for _ in range(4)] == [True, True, False, False]


def test_a_lag_that_nobody_reported_is_an_illegal_state():
    with pytest.raises(IllegalStateError, match="reports no lag for task 9_9"):
        Readiness(processes([0] * 4), (TaskId(9, 9),), ACCEPTABLE)
