"""A run comes to rest, and what rests gets the same answer again."""

from dataclasses import replace

import pytest

from kassay.model.calls import Failure
from kassay.model.errors import FailureKind
from kassay.model.streams.history import TaskRun, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest, member_id
from kassay.properties.claims import parse_claim
from kassay.properties.registry import load_claims
from kassay.properties.streams.stability import converges, fixed_point, stable
from kassay.properties.streams.tasks import changed

A, B = (f"00000000-0000-4000-8000-00000000000{i}" for i in range(2))
T0, T1 = TaskId(0, 0), TaskId(0, 1)
HELD = TaskRequest((TaskClient(A, 1, (T0,)), TaskClient(B, 1, (T1,))), (T0, T1), (T0, T1))
KEPT = TaskAssignment({A: ClientTasks((T0,), ()), B: ClientTasks((T1,), ())})
SWAPPED = TaskAssignment({A: ClientTasks((T1,), ()), B: ClientTasks((T0,), ())})
ERROR = Failure(FailureKind.RAISED, "oh")
STABLE = load_claims()[STREAMS, "stable"]


def run(*answers, quiet=None, settling=0, at_rest=True):
    """A run of these answers, of which the last `settling` follow by themselves."""
    steps = [TaskStep(HELD, answer) for answer in answers]
    steps[-1] = TaskStep(HELD, answers[-1], at_rest=at_rest)
    whole = tuple(quiet or (False, *[True] * (len(steps) - 1)))
    return TaskRun(tuple(steps), whole, len(steps) - settling)


@pytest.mark.parametrize(
    ("rounds", "settling", "at_rest", "broken"),
    [("", 9, True, 0), ("2", 2, True, 0), ("2", 3, True, 1), ("", 9, False, 1), ("9", 9, False, 1)],
)
def test_rest_is_reached_in_time(rounds, settling, at_rest, broken):
    found = list(converges(run(*[KEPT] * 10, settling=settling, at_rest=at_rest), rounds))
    assert len(found) == broken
    assert all(settling in evidence.facts.values() for evidence in found)


def test_a_run_that_ends_in_an_error_is_not_asked_whether_it_rests():
    claim = parse_claim("converges", STREAMS).kind
    assert not claim.applies(run(KEPT, ERROR))
    assert claim.applies(run(KEPT, KEPT))


def test_only_what_rested_and_was_left_alone_has_to_stay():
    moved = run(KEPT, SWAPPED)
    assert STABLE.applies(moved)
    assert [evidence.subject for evidence in stable(moved)] == [A]
    assert list(stable(run(KEPT, KEPT))) == []
    for other in (
        run(KEPT, SWAPPED, quiet=(False, False)),
        run(SWAPPED, KEPT),
        run(replace(KEPT, probing_rebalance=True), SWAPPED),
    ):
        assert list(stable(other)) == []
        assert not STABLE.applies(other)


def test_a_second_run_gives_the_same_even_where_the_first_one_moved_tasks():
    claim = load_claims()[STREAMS, "fixed-point"]
    assert [evidence.subject for evidence in fixed_point(run(SWAPPED, KEPT))] == [A]
    assert list(fixed_point(run(SWAPPED, SWAPPED))) == []
    for other in (
        run(SWAPPED, KEPT, quiet=(False, False)),
        run(replace(SWAPPED, probing_rebalance=True), KEPT),
    ):
        assert list(fixed_point(other)) == []
        assert not claim.applies(other)


def test_threads_that_swap_tasks_are_not_at_rest_though_their_process_has_the_same():
    one, two = ClientTasks((T0,)), ClientTasks((T1,))
    request = TaskRequest((TaskClient(A, 2, (T0, T1), held=(one, two)),), (T0, T1), ())
    both = {A: ClientTasks((T0, T1))}
    kept = TaskAssignment(both, members={member_id(A, 0, 0): one, member_id(A, 0, 1): two})
    swapped = TaskAssignment(both, members={member_id(A, 0, 0): two, member_id(A, 0, 1): one})
    assert list(changed(TaskStep(request, kept))) == []
    assert len(list(changed(TaskStep(request, swapped)))) == 2
    steps = TaskStep(request, kept), TaskStep(request, swapped)
    assert [e.subject for e in fixed_point(TaskRun(steps, (False, True), 1))] == [member_id(A, 0, 0)]
