from dataclasses import replace

import pytest

from kassay.model.calls import Failure, Look
from kassay.model.errors import FailureKind
from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    ProcessRetag,
    StandbysChange,
    StateLost,
    ThreadsChange,
)
from kassay.model.streams.history import (
    SETTLING_ROUNDS_MAX,
    TaskChange,
    TaskHistory,
    asking,
    first_request,
    next_request,
    play_tasks,
    settle_tasks,
)
from kassay.model.streams.tasks import CHANGELOG, RUNNING, ClientTasks, TaskAssignment, TaskId, TaskRequest

A, B = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000002"
T0, T1 = TaskId(0, 0), TaskId(0, 1)


class Alone:
    """Gives everything to the first process by id, and standbys to the second."""

    name = "alone"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        first, *others = sorted(request.by_id)
        given = {first: ClientTasks(tuple(sorted(request.tasks)))}
        given |= {other: ClientTasks((), tuple(sorted(request.stateful))) for other in others}
        return TaskAssignment(given)


class Restless(Alone):
    """Asks for another rebalance every time."""

    def assign(self, request: TaskRequest) -> TaskAssignment:
        return TaskAssignment(super().assign(request).processes, probing_rebalance=True)


def history(*changes: TaskChange, stateful: int = 1) -> TaskHistory:
    return TaskHistory((2,), stateful, (ProcessJoin(A, 1), ProcessJoin(B, 2)), changes)


def test_the_first_request_has_processes_without_state():
    request = first_request(history())
    assert request.by_id.keys() == {A, B}
    assert request.by_id[B].capacity == 2
    assert request.by_id[A].previous_active == ()
    assert request.by_id[A].lag_of == {T0: CHANGELOG, T1: CHANGELOG}


def test_processes_report_what_they_were_given():
    _, step = play_tasks(history(TaskChange(lags=(7, 0))), asking(Alone))
    request = step.request
    assert request.by_id[A].previous_active == (T0, T1)
    assert request.by_id[A].lag_of == {T0: RUNNING, T1: RUNNING}
    assert request.by_id[B].previous_standby == (T0, T1)
    assert request.by_id[B].lag_of == {T0: 7, T1: 0}


def test_lags_start_over_when_they_are_used_up():
    _, step = play_tasks(history(TaskChange(lags=(7,))), asking(Alone))
    request = step.request
    assert request.by_id[B].lag_of == {T0: 7, T1: 7}


def test_stateless_tasks_have_no_lag():
    assert first_request(history(stateful=0)).by_id[A].lag_of == {}


def test_events_change_processes_and_those_that_fit_nothing_do_not():
    events = (
        ProcessJoin(A, 9),
        ProcessLeave("c"),
        ThreadsChange("c", 9),
        ThreadsChange(A, 3),
        ProcessLeave(B),
        ProcessLeave(A),
    )
    _, step = play_tasks(history(TaskChange(events)), asking(Alone))
    request = step.request
    assert {c.process_id: c.capacity for c in request.clients} == {A: 3}


def test_a_process_that_comes_back_brings_nothing():
    *_, step = play_tasks(
        history(TaskChange((ProcessLeave(B),)), TaskChange((ProcessJoin(B, 1),))), asking(Alone)
    )
    request = step.request
    assert request.by_id[B].previous_standby == ()
    assert request.by_id[B].lag_of == {T0: CHANGELOG, T1: CHANGELOG}


def test_a_process_that_starts_again_has_copies_of_what_it_ran_and_nothing_else():
    _, step = play_tasks(history(TaskChange((ProcessRestart(A),), lags=(7,))), asking(Alone))
    client = step.request.by_id[A]
    assert (client.previous_active, client.previous_standby, client.start) == ((), (T0, T1), 1)
    assert client.lag_of == {T0: 0, T1: 0}
    assert step.request.by_id[B].lag_of == {T0: 7, T1: 7}


def test_lost_state_is_what_no_thread_runs():
    _, step = play_tasks(history(TaskChange((StateLost(A), StateLost(B)))), asking(Alone))
    clients = step.request.by_id
    assert clients[A].lag_of == {T0: RUNNING, T1: RUNNING}
    assert (clients[B].previous_standby, clients[B].lag_of) == ((), {T0: CHANGELOG, T1: CHANGELOG})
    _, step = play_tasks(history(TaskChange((StateLost(A), ProcessRestart(A)))), asking(Alone))
    assert step.request.by_id[A].lag_of == {T0: CHANGELOG, T1: CHANGELOG}


def test_another_number_of_copies_is_asked_for_from_then_on():
    steps = list(play_tasks(history(TaskChange((StandbysChange(2),)), TaskChange()), asking(Alone)))
    assert [step.request.standby_replicas for step in steps[1:]] == [2, 2]


def test_settling_ends_with_the_answer_repeated_or_after_the_limit():
    (step,) = play_tasks(history(), asking(Alone))
    assert [(s.answer, s.at_rest) for s in settle_tasks(step, asking(Alone))] == [(step.answer, True)]
    rounds = list(settle_tasks(step, asking(Restless)))
    assert len(rounds) == SETTLING_ROUNDS_MAX
    assert not any(found.at_rest for found in rounds)


def test_a_request_without_an_entry_for_a_process_goes_on():
    request = first_request(history())
    assert next_request(request, TaskAssignment({}), TaskChange()) == request


class Broken:
    """Raises once there is anything to keep."""

    name = "broken"

    def assign(self, request: TaskRequest) -> TaskAssignment:
        if any(client.previous_active for client in request.clients):
            raise RuntimeError("no\nidea")
        return Alone().assign(request)


def test_a_play_ends_where_there_is_no_answer():
    first, second = play_tasks(history(TaskChange(), TaskChange()), asking(Broken))
    assert first.given.owners == {T0: A, T1: A}
    assert isinstance(second.answer, Failure)
    assert second.answer.kind is FailureKind.RAISED
    assert second.answer.message.endswith("RuntimeError: no idea")
    assert list(settle_tasks(second, asking(Alone))) == []
    with pytest.raises(LookupError, match="no idea"):
        _ = second.given


class FirstListed:
    """Gives everything to the first process in the order of the request; counts its objects."""

    name = "first-listed"
    objects = 0

    def __init__(self) -> None:
        FirstListed.objects += 1

    def assign(self, request: TaskRequest) -> TaskAssignment:
        return TaskAssignment({request.clients[0].process_id: ClientTasks(tuple(sorted(request.tasks)))})


def test_second_looks_are_taken_as_asked_for():
    request = first_request(history())
    step = asking(FirstListed, (Look.AGAIN, Look.OTHER, Look.PERMUTED))(request)
    assert FirstListed.objects == 3
    answers = {probe.look: probe.answer for probe in step.probes}
    assert answers[Look.AGAIN] == answers[Look.OTHER] == step.answer != answers[Look.PERMUTED]


def test_a_process_that_starts_again_with_other_tags_keeps_its_disk():
    life = TaskHistory(
        (2,), 1, (ProcessJoin(A, 1, "r", (("zone", "a"),)), ProcessJoin(B, 2)), rack_aware_tags=("zone",)
    )
    first = first_request(life)
    assert first.rack_aware_tags == ("zone",)
    assert (first.by_id[A].rack, first.by_id[A].tags, first.by_id[A].tag_of) == (
        "r",
        (("zone", "a"),),
        {"zone": "a"},
    )
    answer = Alone().assign(first)
    again = next_request(first, answer, TaskChange((ProcessRetag(A, "s", (("zone", "b"),)),)))
    plain = next_request(first, answer, TaskChange((ProcessRestart(A),)))
    assert (again.by_id[A].rack, again.by_id[A].tags) == ("s", (("zone", "b"),))
    assert replace(again.by_id[A], rack="r", tags=(("zone", "a"),)) == plain.by_id[A]
    assert again.by_id[B] == plain.by_id[B]
    assert {(m.rack, m.tags) for m in again.group.members if m.process_id == A} == {("s", (("zone", "b"),))}
    assert again.group.rack_aware_tags == ("zone",)
