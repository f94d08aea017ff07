from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.streams.priority_queue import JavaPriorityQueue, LoadQueue
from kassay.assignors.streams.state import ProcessState
from kassay.model.streams.tasks import TaskClient, TaskId, process_id


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
