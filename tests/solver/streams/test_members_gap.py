"""Gaps of answers about members: nobody is better than the optimum, and each goal is counted as it is said."""

import random

import pytest

from kassay.model.errors import InputError
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskId
from kassay.solver.streams.members import dearest_actives, place_actives
from kassay.solver.streams.problem import MemberTaskProblem, problem_of, request_of
from kassay.solver.streams.results import cost, member_gap, runs_of
from tests.solver.streams.members_cases import active_worth, every, small, squares

# Two processes of two members and one: `a0` ran 0 and 1 with state, `b0` ran 2 without.
PROBLEM = MemberTaskProblem.parse(
    {
        "family": "C",
        "name": "three",
        "clients": [{"id": "a", "members": ["a0", "a1"]}, {"id": "b", "members": ["b0"]}],
        "tasks": 3,
        "standbys": 1,
        "stateless": [2],
        "active": ["a0", "a0", "b0"],
        "standby": [["b"], [], []],
    }
)
REQUEST = request_of(PROBLEM)
ASKED = problem_of(REQUEST)
A, B = (process.id for process in ASKED.processes)
S0, S1, N0 = TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)


def by_process(*given):
    return TaskAssignment({who: ClientTasks(tasks) for who, tasks in zip((A, B), given, strict=True)})


def far(answer):
    return member_gap(ASKED, runs_of(ASKED, REQUEST, answer))


def test_a_process_that_names_no_members_deals_evenly():
    best = far(by_process((S0, S1), (N0,)))
    assert (best.loads, best.balance, best.spread, best.movement, best.moved) == ((1, 1, 1), 0, 0, 0, 0)


def test_a_restore_costs_three_and_a_change_of_process_one():
    taken_over, restored = far(by_process((S1, N0), (S0,))), far(by_process((S0, N0), (S1,)))
    assert [(each.balance, each.movement, each.moved) for each in (taken_over, restored)] == [
        (0, 1, 1),
        (0, 4, 4),
    ]


def test_uneven_members_are_judged_on_balance_alone():
    uneven = far(TaskAssignment({}, members={ASKED.member_ids[0]: ClientTasks((S0, S1, N0))}))
    # 2 0 0 with state and 3 0 0 in all, where 1 1 0 and 1 1 1 could be.
    assert (uneven.loads, uneven.balance, uneven.spread, uneven.movement) == ((0, 0, 3), 2 + 6, 3, None)


def test_tasks_that_nobody_runs_are_counted():
    left_out = far(by_process((S0,), ()))
    assert (left_out.missing, left_out.balance, left_out.document()["missing"]) == (2, None, 2)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (by_process((S0, S1), (S0, N0)), f"assignment.{B}: 0_0 is given twice"),
        (by_process((TaskId(4, 0),), ()), f"assignment.{A}: 4_0 is no task of the application"),
        (TaskAssignment({"c": ClientTasks()}), "assignment: process 'c' is not in the application"),
        (
            TaskAssignment({}, members={"a9": ClientTasks()}),
            "assignment: member 'a9' is not in the application",
        ),
    ],
)
def test_what_is_no_assignment_is_refused(answer, expected):
    with pytest.raises(InputError) as refused:
        far(answer)
    assert str(refused.value) == expected


def test_gaps_are_those_of_brute_force_and_the_optimum_has_none():
    rng = random.Random(11)
    for _ in range(40):
        document = small(rng)
        problem = MemberTaskProblem.parse({**document, "standbys": 0})
        number = {id_: m for m, id_ in enumerate(problem.member_ids)}
        best = place_actives(problem)
        worths = {}
        for chosen in every({**document, "standbys": 0}):
            leads = [lead for lead, _ in chosen]
            worths[tuple(number[lead] for lead in leads)] = active_worth(document, leads)
        least = min(worths.values())
        for runs, (stateful, active, spent, _) in rng.sample(sorted(worths.items()), min(len(worths), 9)):
            gap = member_gap(problem, runs, best)
            assert gap.balance == stateful + active - least[0] - least[1]
            assert gap.movement == (None if gap.balance else spent - least[2])
            assert gap.best.loads == tuple(sorted(map(list(best.member).count, range(len(number)))))
            assert squares(dict(enumerate(gap.best.loads))) == least[1]
        assert member_gap(problem, best.member).movement == 0
        dearest = dearest_actives(problem)
        assert cost(problem, dearest) == max(w[2] for w in worths.values() if w[:2] == least[:2])
