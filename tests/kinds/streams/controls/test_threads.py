"""The even rule and its controls: each has the fault that it is named for, in what is given and not in how much."""

from dataclasses import replace

import pytest

from kassay.kinds.controls import controls_of
from kassay.kinds.streams.controls.threads import EvenTasks
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import TaskClient, TaskId, TaskRequest, process_id

A, B, C = process_id(0), process_id(2), process_id(4)
S0, S1, S2, S3 = (TaskId(0, partition) for partition in range(4))
N0, N1 = (TaskId(1, partition) for partition in range(2))
REQUEST = TaskRequest(
    (TaskClient(C, 1), TaskClient(B, 1), TaskClient(A, 1)), (N1, N0, S3, S2, S1, S0), (S3, S2, S1, S0), 1
)
RAN = tuple(TaskClient(who, 1, active) for who, active in ((A, (S0, S3)), (B, (S1, N0)), (C, (S2, N1))))


def given(name, request=REQUEST):
    (control,) = (each for each in controls_of(STREAMS) if each.name == name)
    return {
        who: (list(own), list(copies))
        for who, (own, copies) in control.new({}).assign(request).processes.items()
    }


def test_each_goes_where_it_weighs_least_whoever_is_listed_first():
    even = EvenTasks().assign(REQUEST)
    assert {who: list(tasks.active) for who, tasks in even.processes.items()} == {
        A: [S0, S3],
        B: [S1, N0],
        C: [S2, N1],
    }
    assert sorted(len(tasks.standby) for tasks in even.processes.values()) == [1, 1, 2]
    assert EvenTasks().assign(replace(REQUEST, clients=REQUEST.clients[::-1])) == even


def test_threads_count():
    clients = (TaskClient(A, 2), TaskClient(B, 1))
    even = EvenTasks().assign(replace(REQUEST, clients=clients, standby_replicas=0)).processes
    assert {who: len(tasks.active) for who, tasks in even.items()} == {A: 4, B: 2}


@pytest.mark.parametrize("name", ["stands-by-itself", "copies-to-one"])
def test_copies_alone_are_elsewhere(name):
    even = EvenTasks().assign(REQUEST).processes
    spoilt = given(name)
    assert {who: own for who, (own, _) in spoilt.items()} == {who: list(t.active) for who, t in even.items()}
    copies = sorted(task for _, kept in spoilt.values() for task in kept)
    assert copies == [S0, S1, S2, S3]
    meet = {task for own, kept in spoilt.values() for task in set(own) & set(kept)}
    assert meet == ({S3} if name == "stands-by-itself" else set())


def test_all_copies_go_to_the_first_two():
    assert {who: kept for who, (_, kept) in given("copies-to-one").items()} == {
        A: [S1, S2],
        B: [S0, S3],
        C: [],
    }


def test_a_share_is_as_large_as_it_should_be_and_has_all_the_state():
    assert {who: own for who, (own, _) in given("state-to-one").items()} == {
        A: [S0, S1],
        B: [S2, S3],
        C: [N0, N1],
    }


def test_who_has_nothing_has_no_entry():
    few = replace(REQUEST, tasks=(S0, S1), stateful=(S0, S1), standby_replicas=0)
    assert given("leaves-one-out", few).keys() == {A, B}
    assert given("leaves-one-out").keys() == {A, B, C}


def test_a_second_run_deals_otherwise():
    first, then = given("deals-again"), given("deals-again", replace(REQUEST, clients=RAN))
    assert first != then
    assert {who: len(own) for who, (own, _) in first.items()} == {
        who: len(own) for who, (own, _) in then.items()
    }
    assert {who: own for who, (own, _) in then.items()} == {A: [S0, S3], B: [S1, N0], C: [S2, N1]}


def test_order_is_that_of_the_list_or_of_hashes():
    assert given("goes-by-listing") != given(
        "goes-by-listing", replace(REQUEST, clients=REQUEST.clients[::-1])
    )
    first = min((A, B, C), key=hash)
    assert S0 in given("hashes-processes")[first][0]


def test_the_next_task_weighs_what_it_makes_of_the_threads():
    """Four tasks on one thread and three: one and three, as the fourth weighs 1 on the one and 4/3 on the three."""
    request = TaskRequest((TaskClient(A, 1), TaskClient(B, 3)), (S0, S1, S2, S3), (), 0)
    runs = EvenTasks().assign(request)
    assert {who: len(tasks.active) for who, tasks in runs.processes.items()} == {A: 1, B: 3}
