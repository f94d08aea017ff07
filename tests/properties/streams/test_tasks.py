import pytest

from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest
from kassay.properties.registry import Evidence
from kassay.properties.streams.tasks import (
    balanced_within_one,
    changed,
    complete,
    known,
    single_owner,
    standby_disjoint,
)

A, B, C = (f"00000000-0000-4000-8000-00000000000{i}" for i in range(3))
T0, T1, S0 = TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)


def request(**settings) -> TaskRequest:
    clients = (TaskClient(A, 1, (T0,)), TaskClient(B, 1, (T1,), (T0,)), TaskClient(C, 2))
    return TaskRequest(clients, (T0, T1, S0), (T0, T1), **settings)


def answer(**given: tuple[tuple[TaskId, ...], tuple[TaskId, ...]]) -> TaskAssignment:
    names = {"a": A, "b": B, "c": C}
    return TaskAssignment({names.get(name, name): ClientTasks(*tasks) for name, tasks in given.items()})


def judge(predicate, asked: TaskRequest, given: TaskAssignment) -> list:
    return list(predicate(TaskStep(asked, given)))


GOOD = answer(a=((T0,), (T1,)), b=((T1,), (T0,)), c=((S0,), ()))


@pytest.mark.parametrize("predicate", [known, single_owner, complete, standby_disjoint, balanced_within_one])
def test_a_good_answer_is_nobodys_finding(predicate):
    assert judge(predicate, request(standby_replicas=1), GOOD) == []


def test_strangers_are_told():
    found = judge(known, request(), answer(x=((T0, TaskId(9, 9)), ())))
    assert [evidence.subject for evidence in found] == ["x", "9_9"]


def test_a_task_active_twice_is_told_also_on_one_process():
    (evidence,) = judge(single_owner, request(), answer(a=((T0, T1), ()), b=((T0,), ())))
    assert evidence == Evidence("0_0", {"active on": (A, B)}, f"Task 0_0 is active on {A} and {B}.")
    (evidence,) = judge(single_owner, request(), answer(a=((T0, T0), ())))
    assert evidence.facts == {"active on": (A, A)}
    assert evidence.words == f"Task 0_0 is active on {A} more than once."


def test_a_task_that_is_only_a_standby_is_not_complete():
    assert [e.subject for e in judge(complete, request(), answer(a=((T1,), (T0,)), c=((S0,), ())))] == ["0_0"]


@pytest.mark.parametrize(
    ("given", "fault"),
    [
        (answer(a=((T0,), (T0, T1)), b=((T1,), (T0,))), "active and standby on one process"),
        (answer(a=((T0,), (T1,)), b=((T1,), (T0, T0))), "two standby copies on one process"),
        (answer(a=((T0,), ()), b=((T1,), (T0,))), "too few standby copies"),
        (answer(a=((T0,), (T1, S0)), b=((T1,), (T0,))), "a standby copy of a task without state"),
    ],
)
def test_each_fault_of_a_standby_is_told(given: TaskAssignment, fault: str):
    (evidence,) = judge(standby_disjoint, request(standby_replicas=1), given)
    assert evidence.facts["fault"] == fault


def test_more_standbys_than_processes_are_not_asked_for_and_warm_ups_may_be_more():
    given = answer(a=((T0,), (T1,)), b=((T1,), (T0,)), c=((S0,), (T0, T1)))
    assert judge(standby_disjoint, request(standby_replicas=5), given) == []
    assert judge(standby_disjoint, request(standby_replicas=0), given) == []


def test_balance_is_by_thread():
    (evidence,) = judge(
        balanced_within_one, request(), answer(a=((T0, T1), ()), b=((), ()), c=((S0, S0), ()))
    )
    assert (evidence.subject, evidence.facts["other"]) == (A, B)
    fits = answer(a=((T0,), ()), b=((T1,), ()), c=((S0, S0, S0), ()))
    assert judge(balanced_within_one, request(), fits) == []


def test_a_process_that_is_not_in_the_answer_has_nothing():
    found = judge(balanced_within_one, request(), answer(a=((T0, T1), ()), c=((S0,), ())))
    assert {e.facts["other"]: e.facts["other active"] for e in found} == {B: 0, C: 1}


def test_a_process_with_another_lot_than_before_is_told():
    given = answer(a=((T0,), ()), b=((T1,), ()), c=((), ()))
    assert judge(changed, request(), given) == [B]
    assert judge(changed, request(), answer(a=((T0,), ()), b=((T1,), (T0,)))) == []


@pytest.mark.parametrize(("asked", "clients"), [(1, 3), (2, 3), (3, 3), (2, 2), (3, 1)])
def test_as_many_copies_are_wanted_as_are_asked_for_and_processes_allow(asked, clients):
    everybody = (A, B, C)[:clients]
    wanted = min(asked, clients - 1)
    members = tuple(TaskClient(name, 1) for name in everybody)
    step = TaskRequest(members, (T0,), (T0,), standby_replicas=asked)
    for copies in range(clients):
        given = {name: ClientTasks((), (T0,) if 0 < i <= copies else ()) for i, name in enumerate(everybody)}
        given[A] = ClientTasks((T0,))
        assert bool(judge(standby_disjoint, step, TaskAssignment(given))) is (copies < wanted)
