"""How many copies there are at rest, and what may be warmed up on the way."""

import pytest

from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import RUNNING, ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest
from kassay.properties.streams.copies import standby_count, warm_ups

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
        ((S0, S1, S2), {"probing": True}, ["warm-ups"]),
        ((S0, S1, S2), {"probing": False, "standbys": 1, "behind": 0}, []),
        ((S0,), {"probing": True, "behind": 100}, ["0_0"]),
        ((), {"probing": True}, []),
    ],
)
def test_what_is_warmed_up_is_behind_and_little_where_another_rebalance_follows(copies, settings, subjects):
    assert broken(warm_ups, ALL_ON_A, ClientTasks((), copies), **settings) == subjects
