"""How many copies there are at rest, what may be warmed up on the way, and what where they go restores."""

from dataclasses import replace

import pytest

from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import (
    CHANGELOG,
    RUNNING,
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    member_id,
    process_id,
)
from kassay.properties.claims import parse_claim
from kassay.properties.streams.copies import BestStandbys, standby_count, sticky_standbys, warm_ups

A, B = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000002"
S0, S1, S2, N0 = TaskId(0, 0), TaskId(0, 1), TaskId(0, 2), TaskId(1, 0)
ALL_ON_A = ClientTasks((S0, S1, S2, N0))


def step(
    a: ClientTasks, b: ClientTasks, standbys: int = 0, probing: bool = False, behind: int = 101
) -> TaskStep:
    """A ran all tasks, and B is so far behind with each."""
    clients = (
        TaskClient(A, 1, (S0, S1, S2), lags=tuple((task, RUNNING) for task in (S0, S1, S2))),
        TaskClient(B, 1, lags=tuple((task, behind) for task in (S0, S1, S2))),
    )
    request = TaskRequest(clients, (S0, S1, S2, N0), (S0, S1, S2), standbys, 100, 2)
    return TaskStep(request, TaskAssignment({A: a, B: b}, probing), at_rest=not probing)


def broken(claim, *arguments, **settings) -> list[str]:
    return [evidence.subject for evidence in claim(step(*arguments, **settings))]


def test_there_are_as_many_copies_as_processes_allow():
    none = ClientTasks((S0, S1)), ClientTasks((S2, N0))
    assert broken(standby_count, *none) == []
    assert broken(standby_count, *none, standbys=3) == ["0_0", "0_1", "0_2"]
    one_each = ClientTasks((S0, S1), (S2,)), ClientTasks((S2, N0), (S0, S1))
    assert broken(standby_count, *one_each, standbys=3) == []
    assert broken(standby_count, *one_each, standbys=0) == ["0_0", "0_1", "0_2"]


@pytest.mark.parametrize(
    ("copies", "settings", "subjects"),
    [
        ((S0, S1), {"probing": True}, []),
        ((S0, S1, S2), {"probing": False}, []),
        ((S0, S1, S2), {"probing": True}, ["3 warm-ups"]),
        ((S0, S1, S2), {"probing": False, "standbys": 1, "behind": 0}, []),
        ((S0,), {"probing": True, "behind": 100}, ["0_0"]),
        ((), {"probing": True}, []),
    ],
)
def test_what_is_warmed_up_is_behind_and_little_where_another_rebalance_follows(copies, settings, subjects):
    assert broken(warm_ups, ALL_ON_A, ClientTasks((), copies), **settings) == subjects


C = process_id(4)
REQUEST = TaskRequest(
    (
        TaskClient(A, 1, (S0,), (), ((S0, RUNNING), (S1, CHANGELOG))),
        TaskClient(B, 1, (S1,), (S0,), ((S0, 5), (S1, RUNNING))),
        TaskClient(C, 1, (N0,), (S1,), ((S0, CHANGELOG), (S1, 5))),
    ),
    (S0, S1, N0),
    (S0, S1),
    1,
)
LEAST = BestStandbys(2 * 4 + 1, 0, 2)


def answer(a=(), b=(), c=(), runs=((S0,), (S1,), (N0,)), **more):
    given = {p: ClientTasks(own, kept) for p, own, kept in zip((A, B, C), runs, (a, b, c), strict=True)}
    return TaskStep(REQUEST, TaskAssignment(given, **more))


def applies(step, best=LEAST):
    return parse_claim("sticky-standbys", STREAMS).kind.applies(step, best)


def test_copies_that_must_be_restored_are_told():
    assert list(sticky_standbys(answer(b=(S0,), c=(S1,)), LEAST)) == []
    (told,) = sticky_standbys(answer(a=(S1,), c=(S0,)), LEAST)
    assert (told.subject, told.facts["restores"], told.facts["least"]) == ("2 standby copies", 2, 0)
    assert told.facts["restored"] == (f"0_0 on {C}", f"0_1 on {A}")
    assert list(sticky_standbys(answer(a=(S1,), c=(S0,)), LEAST._replace(least=2))) == []


@pytest.mark.parametrize(
    "step",
    [
        answer(b=(S0,)),
        answer(b=(S0,), c=(S1, S0)),
        answer(a=(S0,), c=(S1,)),
        answer(b=(S0,), c=(S1, N0)),
        answer(b=(S0,), c=(S1,), runs=((S0,), (S1,), ())),
        answer(b=(S0,), c=(S1,), runs=((S0,), (S1,), (N0, S0))),
    ],
    ids=["too few", "too many", "beside the active", "of no state", "not running", "running twice"],
)
def test_it_says_nothing_where_standbys_are_not_all_there(step):
    assert not applies(step, LEAST._replace(squares=99))


def test_it_says_nothing_of_standbys_that_could_be_more_even():
    even = answer(b=(S0,), c=(S1,))
    assert applies(even)
    assert not applies(even, LEAST._replace(squares=8))
    stray = {**even.given.processes, process_id(6): ClientTasks()}
    assert not applies(TaskStep(REQUEST, TaskAssignment(stray)))


def test_it_says_nothing_where_copies_are_to_be_spread_over_tags():
    even = answer(b=(S0,), c=(S1,))
    assert not applies(replace(even, request=replace(REQUEST, rack_aware_tags=("zone",))))


def test_where_members_are_named_their_tasks_count():
    who = [member_id(p, 0, 0) for p in (A, B, C)]
    given = (ClientTasks((S0,)), ClientTasks((S1,), (S0,)), ClientTasks((N0,), (S1,)))
    named = answer(b=(S0,), c=(S1,), members=dict(zip(who, given, strict=True)))
    assert applies(named)
    assert not applies(named, LEAST._replace(squares=8))


def test_a_process_with_threads_deals_its_tasks_evenly():
    two = TaskRequest((TaskClient(A, 2), TaskClient(B, 1)), (S0, S1), (S0, S1), 1)
    step = TaskStep(two, TaskAssignment({A: ClientTasks((S0,), (S1,)), B: ClientTasks((S1,), (S0,))}))
    assert applies(step, BestStandbys(1 + 1 + 4, 0, 0))
    assert not applies(step, BestStandbys(5, 0, 0))
