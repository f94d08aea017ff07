"""A process while tasks are given out: loads by thread, lags that somebody must have reported, the answer in order."""

from fractions import Fraction
from random import Random

import pytest

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.state import ProcessState, answer
from kassay.model.streams.tasks import ClientTasks, TaskClient, TaskId, process_id, process_key

TASKS = [TaskId(s, p) for s in range(2) for p in range(11)]


def state(number=0, threads=1, active=(), standby=(), lags=()):
    made = ProcessState(TaskClient(process_id(number), threads, lags=lags))
    made.active |= set(active)
    made.standby |= set(standby)
    return made


def test_loads_are_tasks_by_thread_and_room_is_less_load_then_more_threads():
    for seed in range(80):
        rng = Random(seed)
        states = []
        for number in range(2):
            mixed = rng.sample(TASKS, rng.randint(0, 8))
            cut = rng.randint(0, len(mixed))
            states.append(state(number, rng.randint(1, 4), mixed[:cut], mixed[cut:]))
        one, other = states
        exact = [Fraction(len(s.active) + len(s.standby), s.capacity) for s in states]
        assert (one.load, other.load) == (float(exact[0]), float(exact[1]))
        assert one.active_load == len(one.active) / one.capacity
        assert one.has_more_room_than(other) == ((exact[0], -one.capacity) < (exact[1], -other.capacity))
        assert {task for task in TASKS if one.has(task)} == one.active | one.standby


def test_a_lag_that_nobody_reported_is_an_illegal_state():
    known = state(lags=((TASKS[0], 7),))
    assert known.lag(TASKS[0]) == 7
    with pytest.raises(IllegalStateError, match=f"{process_id(0)} reports no lag for task 0_1"):
        known.lag(TASKS[1])


def test_the_key_is_that_of_the_process_id():
    assert state(3).key == process_key(process_id(3))


def test_the_answer_lists_tasks_in_their_order_and_not_in_that_of_their_texts():
    given = answer([state(1, active=TASKS[::-1][:3]), state(0, standby=[TASKS[10], TASKS[2]])], True)
    assert list(given.processes) == [process_id(1), process_id(0)]
    assert given.processes[process_id(1)] == ClientTasks(tuple(TASKS[-3:]), ())
    assert given.processes[process_id(0)] == ClientTasks((), (TASKS[2], TASKS[10]))
    assert given.probing_rebalance
    assert not answer([]).probing_rebalance
