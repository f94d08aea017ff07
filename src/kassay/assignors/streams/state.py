"""A process during an assignment of tasks, and the priority queues in which Kafka keeps processes.

A process during an assignment of tasks.

Source: Kafka `org.apache.kafka.streams.processor.internals.assignment.ClientState`.

Java's priority queue, for answers of Kafka that depend on how Java's queue breaks ties.

A `java.util.PriorityQueue` is a binary heap. Two properties are visible: elements that compare equal come out
in an order that the heap's shape decides, and an element whose key changes while it is in the queue stays
where it is. Kafka's high availability assignor relies on both, so neither a sorted list nor `heapq` (whose
sift goes to the leaves first) gives its answers.
Source: the Javadoc and the documented algorithm of `java.util.PriorityQueue`; Kafka `ConstrainedPrioritySet`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from kassay.assignors.java_errors import IllegalStateError
from kassay.model.java import bucket_order, uuid_hash
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

    def rank(self) -> tuple[float, int]:
        """Smaller where threads are less loaded, or equally loaded and more in number."""
        return (len(self.active) + len(self.standby)) / self.capacity, -self.capacity

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


T = TypeVar("T")


class JavaPriorityQueue(Generic[T]):
    """A binary heap that compares by `key` at the moment of each operation.

    >>> queue = JavaPriorityQueue(len)
    >>> for word in ("ccc", "a", "bb", "d"):
    ...     queue.offer(word)
    >>> [queue.poll() for _ in range(len(queue))]
    ['a', 'd', 'bb', 'ccc']
    """

    def __init__(self, key: Callable[[T], Any]) -> None:
        self._key = key
        self._heap: list[T] = []

    def __len__(self) -> int:
        return len(self._heap)

    def offer(self, item: T) -> None:
        """Add the item."""
        self._heap.append(item)
        if len(self._heap) > 1:
            self._sift_up(len(self._heap) - 1)

    def poll(self) -> T:
        """Remove and return the item at the top; raises `IndexError` if the queue is empty."""
        heap = self._heap
        top, last = heap[0], heap.pop()
        if heap:
            heap[0] = last
            self._sift_down(0)
        return top

    def remove(self, item: T) -> None:
        """Remove this item; raises `ValueError` if it is not in the queue."""
        heap = self._heap
        place, last = heap.index(item), heap.pop()
        if place < len(heap):
            heap[place] = last
            self._sift_down(place)
            if heap[place] is last:
                self._sift_up(place)

    def _sift_up(self, place: int) -> None:
        heap, key = self._heap, self._key
        item = heap[place]
        mine = key(item)
        while place > 0:
            parent = (place - 1) // 2
            if mine >= key(heap[parent]):
                break
            heap[place], place = heap[parent], parent
        heap[place] = item

    def _sift_down(self, place: int) -> None:
        heap, key = self._heap, self._key
        item, size = heap[place], len(heap)
        mine = key(item)
        while place < size // 2:
            child = 2 * place + 1
            if child + 1 < size and key(heap[child]) > key(heap[child + 1]):
                child += 1
            if mine <= key(heap[child]):
                break
            heap[place], place = heap[child], child
        heap[place] = item


class LoadQueue:
    """Processes by load, then process id; `poll` returns the first acceptable one.

    A process that `poll` returned must be offered again, and one whose load changes should be offered again,
    so that its place matches its load.
    """

    def __init__(self, load: Callable[[ProcessState], float], states: Iterable[ProcessState]) -> None:
        self._queue: JavaPriorityQueue[ProcessState] = JavaPriorityQueue(
            lambda state: (load(state), state.key)
        )
        self._inside: set[ProcessState] = set()
        self.offer(*states)

    def offer(self, *states: ProcessState) -> None:
        """Add the processes in this order, each at the place of its present load."""
        for state in states:
            if state in self._inside:
                self._queue.remove(state)
            self._inside.add(state)
            self._queue.offer(state)

    def poll(self, will_do: Callable[[ProcessState], bool]) -> ProcessState | None:
        """Remove and return the first acceptable process, or None; those skipped are added again."""
        passed: list[ProcessState] = []
        choice = None
        while choice is None and self._queue:
            state = self._queue.poll()
            self._inside.remove(state)
            if will_do(state):
                choice = state
            else:
                passed.append(state)
        # Kafka keeps them in a hash set, and the order in which they return shapes the heap.
        self.offer(*bucket_order(passed, lambda state: uuid_hash(state.key)))
        return choice
