"""A process while tasks are given out: loads by thread, lags that somebody must have reported, the answer in order."""

from dataclasses import dataclass
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.state import JavaPriorityQueue, LoadQueue, ProcessState, answer
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
        assert (one.rank() < other.rank()) == ((exact[0], -one.capacity) < (exact[1], -other.capacity))
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


def drained(queue: JavaPriorityQueue) -> list:
    return [queue.poll() for _ in range(len(queue))]


@given(st.lists(st.integers(), unique=True), st.data())
def test_different_keys_come_out_in_order_whatever_was_removed(numbers, data):
    queue = JavaPriorityQueue(lambda number: number)
    for number in numbers:
        queue.offer(number)
    gone = data.draw(st.lists(st.sampled_from(numbers), unique=True)) if numbers else []
    for number in gone:
        queue.remove(number)
    assert drained(queue) == sorted(set(numbers) - set(gone))


def test_equal_keys_come_out_as_the_heap_has_them():
    # The last leaf moves to the top when the top is taken: what came last comes out second.
    queue = JavaPriorityQueue(lambda item: item[0])
    for name in "abcd":
        queue.offer((1, name))
    assert [name for _, name in drained(queue)] == ["a", "d", "c", "b"]


@dataclass(eq=False)
class Weight:
    value: int


def test_an_item_whose_key_changes_inside_stays_where_it_is():
    light, heavy, changing = Weight(1), Weight(5), Weight(9)
    queue = JavaPriorityQueue(lambda weight: weight.value)
    for item in (light, heavy, changing):
        queue.offer(item)
    changing.value = 0
    assert drained(queue) == [light, changing, heavy]


def states(*threads: int) -> list[ProcessState]:
    return [ProcessState(TaskClient(process_id(2 * i), size)) for i, size in enumerate(threads)]


def test_the_load_queue_passes_over_who_will_not_do_and_keeps_them():
    first, second, third = states(1, 1, 1)
    queue = LoadQueue(lambda state: state.load, ())
    queue.offer(first, second, third)
    assert queue.poll(lambda state: state is third) is third
    assert queue.poll(lambda _: False) is None
    assert [queue.poll(lambda _: True) for _ in range(3)] == [first, second, None]


def test_offering_again_moves_a_process_to_the_place_of_its_load():
    first, second = states(1, 2)
    queue = LoadQueue(lambda state: state.load, ())
    queue.offer(first, second)
    first.active.add(TaskId(0, 0))
    queue.offer(first)
    assert queue.poll(lambda _: True) is second
