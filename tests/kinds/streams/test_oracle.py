"""The certified best of standbys agrees with trying everything, and there is none beside what is no assignment."""

from itertools import combinations, product
from random import Random

from kassay.kinds.streams.oracle import best_of_standbys
from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import (
    CHANGELOG,
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)


def drawn(rng):
    """Up to four processes of up to two threads, up to four tasks, and who has their state."""
    stateful, rest = rng.randint(0, 3), rng.randint(0, 1)
    tasks = tuple(TaskId(int(n >= stateful), n % max(stateful, 1)) for n in range(stateful + rest))
    clients = tuple(
        TaskClient(
            process_id(number),
            rng.randint(1, 2),
            lags=tuple((task, rng.choice((0, 70_000, CHANGELOG))) for task in tasks[:stateful]),
        )
        for number in range(rng.randint(2, 4))
    )
    return TaskRequest(clients, tasks, tasks[:stateful], rng.randint(0, 2))


def ways(request, runs):
    """Every choice of standbys beside these active tasks: the squares of threads' tasks, and the restores."""
    asked = min(request.standby_replicas, len(request.clients) - 1)
    free = [[p for p in request.by_id if p != runs[task]] for task in request.stateful]
    for rows in product(*(combinations(ids, asked) for ids in free)):
        kept = [(task, p) for task, row in zip(request.stateful, rows, strict=True) for p in row]
        squares = 0
        for client in request.clients:
            own = [*runs.values(), *(p for _, p in kept)].count(client.process_id)
            squares += sum(((own + n) // client.capacity) ** 2 for n in range(client.capacity))
        yield squares, sum(request.by_id[p].lag_of[task] == CHANGELOG for task, p in kept)


def test_the_best_and_the_dearest_are_those_of_all_standbys_that_are_as_even():
    rng, apart = Random(8), 0
    for _ in range(150):
        request = drawn(rng)
        runs = {task: rng.choice(list(request.by_id)) for task in request.tasks}
        answer = TaskAssignment(
            {p: ClientTasks(tuple(t for t in request.tasks if runs[t] == p)) for p in request.by_id}
        )
        found = list(ways(request, runs))
        even = min(squares for squares, _ in found)
        restores = [restored for squares, restored in found if squares == even]
        assert best_of_standbys(TaskStep(request, answer)) == (even, min(restores), max(restores))
        apart += min(restores) < max(restores)
    assert apart > 20


def test_beside_what_is_no_assignment_there_is_no_best():
    one, other = TaskClient(process_id(0), 1), TaskClient(process_id(1), 1)
    task = TaskId(0, 0)
    request = TaskRequest((one, other), (task,), (task,), 1)
    given = ClientTasks((task,))
    for processes in ({}, {one.process_id: given, other.process_id: given}, {process_id(2): given}):
        assert best_of_standbys(TaskStep(request, TaskAssignment(processes))) is None
    assert best_of_standbys(TaskStep(request, TaskAssignment({one.process_id: given}))) is not None
    assert best_of_standbys(TaskStep(TaskRequest((), (), ()), TaskAssignment({}))) is None
