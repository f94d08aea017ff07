"""A request is the problem that its processes, threads and disks make of it."""

import random

from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    TaskClient,
    TaskId,
    TaskRequest,
    member_id,
    process_id,
)
from kassay.solver.streams.problem import MemberTaskProblem, problem_of, request_of
from tests.solver.streams.members_cases import small

A, B = process_id(0), process_id(2)
S0, S1, N0 = TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)
CLIENTS = (
    TaskClient(B, 1, (), (S1,), ((S0, CHANGELOG), (S1, 90_000)), (ClientTasks((), (S1,)),), start=3),
    TaskClient(A, 2, (S0, N0), lags=((S0, RUNNING),), held=(ClientTasks((N0,)), ClientTasks((S0,)))),
)


def test_threads_are_members_and_disks_are_state():
    problem = problem_of(TaskRequest(CLIENTS, (N0, S1, S0), (S1, S0), 1))
    ids = {id_: number for number, id_ in enumerate(problem.member_ids)}
    assert ids.keys() == {member_id(A, 0, 0), member_id(A, 0, 1), member_id(B, 3, 0)}
    assert problem.active == (ids[member_id(A, 0, 1)], None, ids[member_id(A, 0, 0)])
    places = [process.id for process in problem.processes]
    state = [{places[p] for p in problem.state(task)} for task in range(3)]
    assert state == [{A}, {B}, set()]
    assert (problem.stateless, problem.standbys) == (frozenset({2}), 1)


def test_a_thread_that_is_gone_ran_nothing_here():
    fewer = TaskClient(A, 1, (S0, N0), lags=CLIENTS[1].lags, held=CLIENTS[1].held)
    problem = problem_of(TaskRequest((fewer,), (S0, N0), (S0,)))
    assert problem.active == (None, 0)
    assert problem.state(0) == {0}


def test_a_request_is_one_problem_in_whatever_order_it_comes():
    request = TaskRequest(CLIENTS, (N0, S1, S0), (S1, S0), 1)
    turned = TaskRequest(CLIENTS[::-1], (S0, S1, N0), (S0, S1), 1)
    assert problem_of(turned) == problem_of(request)


def test_a_problem_as_it_is_asked_is_the_problem_again_with_stateless_tasks_behind():
    rng = random.Random(5)
    for _ in range(60):
        problem = MemberTaskProblem.parse(small(rng))
        again = problem_of(request_of(problem))
        order = sorted(range(problem.tasks), key=lambda task: task in problem.stateless)
        assert again.active == tuple(problem.active[task] for task in order)
        assert [again.state(task) for task in range(again.tasks)] == [problem.state(task) for task in order]
        assert (again.stateful, again.standbys, again.members_of) == (
            problem.stateful,
            problem.standbys,
            problem.members_of,
        )
