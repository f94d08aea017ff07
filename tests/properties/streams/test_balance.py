"""The best balance of active tasks and the least movement to it, against trying everything."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.streams.events import ProcessJoin
from kassay.model.streams.history import TaskChange, TaskHistory, TaskRun, TaskStep, asking, run_tasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)
from kassay.properties.registry import load_claims
from kassay.properties.streams.balance import (
    _movable,
    balanced_optimal,
    least_moved,
    sticky_minimal,
)
from tests.mutants.task_assignors import ForgetsOwners

TASKS = tuple(TaskId(0, number) for number in range(6))
CLAIM = load_claims()[STREAMS, "sticky-minimal"]
A, B, C = map(process_id, range(3))


@st.composite
def requests(draw):
    """Up to three processes of one to three threads, and up to six tasks that some of them ran."""
    tasks = TASKS[: draw(st.integers(0, 6))]
    ids = [A, B, C][: draw(st.integers(1, 3))]
    ran = {task: draw(st.sampled_from([*ids, ""])) for task in tasks}
    clients = (
        TaskClient(p, draw(st.integers(1, 3)), tuple(task for task in tasks if ran[task] == p)) for p in ids
    )
    return TaskRequest(tuple(clients), tasks, ())


def answers(request: TaskRequest):
    """Every way to run the tasks."""
    ids = list(request.by_id)
    for owners in product(ids, repeat=len(request.tasks)):
        shares = {p: tuple(t for t, owner in zip(request.tasks, owners) if owner == p) for p in ids}
        yield TaskAssignment({p: ClientTasks(share) for p, share in shares.items()})


def weight(request: TaskRequest, answer: TaskAssignment) -> Fraction:
    return sum(
        (
            Fraction(k, client.capacity)
            for client in request.clients
            for k in range(1, len(answer.processes[client.process_id].active) + 1)
        ),
        Fraction(0),
    )


def moved(request: TaskRequest, answer: TaskAssignment) -> int:
    return sum(answer.owners[task] != owner for task, owner in request.previous_owners.items())


@given(requests())
def test_an_answer_is_balanced_exactly_when_no_other_weighs_less(request_):
    tried = [(weight(request_, answer), answer) for answer in answers(request_)]
    least = min(total for total, _ in tried)
    for total, answer in tried:
        told = list(balanced_optimal(TaskStep(request_, answer, at_rest=True)))
        assert bool(told) == (total > least)


@given(requests())
def test_the_least_movement_is_that_of_trying_everything(request_):
    tried = [(weight(request_, answer), moved(request_, answer)) for answer in answers(request_)]
    assert least_moved(request_) == min(tried)[1]


def test_nobody_to_run_anything_is_refused():
    with pytest.raises(LookupError, match="a process or more"):
        least_moved(TaskRequest((), TASKS, ()))


def test_too_many_moves_are_told_with_how_many_were_needed():
    history = TaskHistory(
        (4,), 0, (ProcessJoin(A, 1), ProcessJoin(B, 1)), (TaskChange((ProcessJoin(C, 1),)),)
    )
    run = run_tasks(history, asking(ForgetsOwners))
    (evidence,) = sticky_minimal(run)
    assert evidence.facts["needed to move"] == 1
    assert len(evidence.facts["moved"]) > 1


def test_the_least_movement_is_nobodys_finding():
    before = TaskRequest(
        (TaskClient(A, 1, TASKS[:2]), TaskClient(B, 1, TASKS[2:4]), TaskClient(C, 1)), TASKS[:4], ()
    )
    rest = TaskAssignment({A: ClientTasks(TASKS[:2]), B: ClientTasks(TASKS[2:3]), C: ClientTasks(TASKS[3:4])})
    run = TaskRun((TaskStep(before, rest, at_rest=True),), (True,), 1)
    assert list(sticky_minimal(run)) == []


@given(requests())
def test_every_needless_move_breaks_the_claim_and_no_needed_one(request):
    least = least_moved(request)
    for answer in answers(request):
        step = TaskStep(request, answer, at_rest=True)
        run = TaskRun((step,), (True,), 1)
        if CLAIM.applies(run):
            moved = sum(answer.owners[task] != owner for task, owner in request.previous_owners.items())
            assert bool(list(sticky_minimal(run))) is (moved > least)
        assert CLAIM.applies(run) is not bool(list(balanced_optimal(step)))


@pytest.mark.parametrize(
    ("ran", "moves"),
    [((0, 0), range(1)), ((1, 0), range(2)), ((4, 0), range(2, 3)), ((2, 2), range(5))],
)
def test_the_numbers_of_tasks_that_balanced_answers_move(ran, moves):
    """Of four tasks on two processes with a thread each."""
    first, other = ran
    clients = (TaskClient(A, 1, TASKS[:first]), TaskClient(B, 1, TASKS[first : first + other]))
    assert _movable(TaskRequest(clients, TASKS[:4], ())) == moves
