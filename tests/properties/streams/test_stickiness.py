"""What active tasks by member cost, and how little they could."""

from dataclasses import replace

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
from kassay.properties.streams.stickiness import BestMembers, Spent, before, homes, spent, sticky_by_member

A, B = process_id(0), process_id(2)
A0, A1, B0 = member_id(A, 0, 0), member_id(A, 0, 1), member_id(B, 0, 0)
S0, S1, N0 = TaskId(0, 0), TaskId(0, 1), TaskId(1, 0)
REQUEST = TaskRequest(
    (
        TaskClient(
            A,
            2,
            (S0, S1, N0),
            lags=((S0, RUNNING), (S1, RUNNING)),
            held=(ClientTasks((S0, S1)), ClientTasks((N0,))),
        ),
        TaskClient(B, 1, (), (S1,), ((S0, CHANGELOG), (S1, 20_000)), (ClientTasks((), (S1,)),)),
    ),
    (S0, S1, N0),
    (S0, S1),
)


def answer(a0=(), a1=(), b0=()):
    members = {who: ClientTasks(tuple(own)) for who, own in ((A0, a0), (A1, a1), (B0, b0))}
    return TaskStep(
        REQUEST, TaskAssignment({A: ClientTasks((*a0, *a1)), B: ClientTasks(tuple(b0))}, members=members)
    )


def test_who_had_what_and_where_its_state_is():
    assert homes(REQUEST) == {A0: A, A1: A, B0: B}
    assert before(REQUEST) == {S0: (A0, {A}), S1: (A0, {A, B}), N0: (A1, set())}


def test_a_restore_is_dearer_than_a_change_of_process_and_a_thread_of_the_same_one_is_free():
    assert spent(REQUEST, {S0: A0, S1: A0, N0: A1}) == (0, 0)
    assert spent(REQUEST, {S0: A0, S1: A1, N0: A1}) == (0, 1)
    assert spent(REQUEST, {S0: A0, S1: B0, N0: A1}) == (1, 1)
    assert spent(REQUEST, {S0: B0, S1: A0, N0: A1}) == (4, 1)
    assert spent(REQUEST, {S0: A0, S1: A1, N0: B0}) == (0, 2)


def test_only_what_costs_more_than_the_best_is_told():
    least = BestMembers(Spent(0, 2), Spent(9, 9))
    assert list(sticky_by_member(answer([S0], [S1], [N0]), least)) == []
    (told,) = sticky_by_member(answer([S1], [N0], [S0]), least)
    assert (told.subject, told.facts["cost"], told.facts["moved"]) == ("the answer", 4, ("0_0",))
    assert list(sticky_by_member(answer([S0], [N0], [S1]), least))


def test_it_says_something_only_of_balanced_answers_by_member():
    applies = parse_claim("sticky-by-member", STREAMS).kind.applies
    least = BestMembers(Spent(0, 2), Spent(9, 9))
    assert applies(answer([S0], [S1], [N0]), least)
    assert not applies(answer([S0, S1], [N0], []), least)
    assert not applies(answer([S0, N0], [S1], []), least)
    assert not applies(answer([S0], [S1], []), least)
    assert not applies(answer([S0], [S1], [N0, N0]), least)
    plain = answer([S0], [S1], [N0])
    assert not applies(replace(plain, answer=replace(plain.given, members=None)), least)
    stray = {**plain.given.members, "nobody": ClientTasks((S0,)), A0: ClientTasks()}
    assert not applies(replace(plain, answer=replace(plain.given, members=stray)), least)
