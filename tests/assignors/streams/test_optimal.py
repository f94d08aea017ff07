"""The optimal rule of tasks gives out the certified optimum, whoever asks in which order."""

import random

from kassay.assignors.streams.optimal import OptimalStreams
from kassay.model.streams.tasks import TaskRequest
from kassay.solver.streams.problem import MemberTaskProblem, problem_of, request_of
from kassay.solver.streams.results import member_gap, runs_of
from tests.solver.streams.members_cases import small, solved


def test_it_is_as_good_as_what_is_solved_and_checked():
    rng = random.Random(4)
    for _ in range(40):
        case = small(rng)
        request = request_of(MemberTaskProblem.parse(case))
        problem = problem_of(request)
        answer = OptimalStreams().assign(request)
        far = member_gap(problem, runs_of(problem, request, answer))
        assert (far.balance, far.movement, far.missing) == (0, 0, 0)
        assert far.moved == solved(case)["upper"]
        copies = sum(len(tasks.standby) for tasks in answer.processes.values())
        assert copies == problem.stateful * problem.following


def test_an_application_without_processes_is_given_nothing():
    assert OptimalStreams().assign(TaskRequest((), (), ())).processes == {}
