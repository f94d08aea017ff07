import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.high_availability import StreamsHighAvailability
from kassay.model.streams.history import TaskChange, asking, next_request, play_tasks, settle_tasks
from kassay.model.streams.tasks import (
    CHANGELOG,
    LAG_UNBOUNDED,
    RUNNING,
    ClientTasks,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)
from kassay.properties.sources import Drawn
from kassay.properties.streams import tasks
from kassay.properties.streams.scenarios import task_history

A, B, C = (process_id(2 * i) for i in range(3))
TWO = (TaskId(0, 0), TaskId(0, 1))


@st.composite
def histories(draw: st.DrawFn):
    return task_history(Drawn(draw))


def client(name: str, *lags: int, threads: int = 1) -> TaskClient:
    return TaskClient(name, threads, lags=tuple((TaskId(0, p), lag) for p, lag in enumerate(lags)))


def request(*clients: TaskClient, standbys: int = 0, warmups: int = 2, acceptable: int = 100) -> TaskRequest:
    found = tuple(task for task, _ in clients[0].lags)
    return TaskRequest(clients, found, found, standbys, acceptable, warmups)


@given(histories())
def test_answers_are_valid_in_every_step(history):
    for step in play_tasks(history, asking(StreamsHighAvailability)):
        for predicate in (tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint):
            assert list(predicate(step)) == []


@given(histories())
def test_a_stateful_task_never_runs_where_it_lags_while_another_has_caught_up(history):
    for step in play_tasks(history, asking(StreamsHighAvailability)):
        found = step.request
        for task in found.stateful:
            lags = {c.process_id: c.lag_of[task] for c in found.clients}
            ready = {p for p, lag in lags.items() if lag <= found.acceptable_recovery_lag}
            furthest = {p for p, lag in lags.items() if lag == min(lags.values())}
            assert step.given.owners[task] in (ready or furthest)


@given(histories())
def test_the_way_ends_balanced_and_stays_there(history):
    *_, last = play_tasks(history, asking(StreamsHighAvailability))
    *_, settled = settle_tasks(last, asking(StreamsHighAvailability))
    assert settled.at_rest
    assert not settled.given.probing_rebalance
    assert list(tasks.balanced_within_one(settled)) == []
    assert list(tasks.changed(settled)) == []


@given(histories(), st.randoms())
def test_the_order_of_the_request_does_not_matter(history, random):
    *_, last = play_tasks(history, asking(StreamsHighAvailability))
    found = last.request
    turned = TaskRequest(
        tuple(random.sample(found.clients, len(found.clients))),
        tuple(random.sample(found.tasks, len(found.tasks))),
        tuple(random.sample(found.stateful, len(found.stateful))),
        found.standby_replicas,
        found.acceptable_recovery_lag,
        found.warmup_replicas_max,
    )
    assert StreamsHighAvailability().assign(turned) == last.answer


def test_a_newcomer_warms_up_first_and_takes_over_when_it_has_caught_up():
    # KIP-441: the active task stays with its state until the new process has it too.
    found = request(client(A, RUNNING, RUNNING), client(B, CHANGELOG, CHANGELOG))
    first = StreamsHighAvailability().assign(found)
    assert first.processes == {A: ClientTasks(active=TWO), B: ClientTasks(standby=TWO[1:])}
    assert first.probing_rebalance
    second = StreamsHighAvailability().assign(next_request(found, first, TaskChange(lags=(101,))))
    assert second.processes == first.processes
    third = StreamsHighAvailability().assign(next_request(found, first, TaskChange(lags=(100,))))
    assert third.processes == {A: ClientTasks(active=TWO[:1]), B: ClientTasks(active=TWO[1:])}
    assert not third.probing_rebalance


def test_warm_ups_are_rationed_and_the_rest_waits():
    found = request(client(A, *[RUNNING] * 8), client(B, *[CHANGELOG] * 8), warmups=1)
    answer = StreamsHighAvailability().assign(found)
    assert len(answer.processes[A].active) == 8
    assert len(answer.processes[B].standby) == 1
    assert answer.probing_rebalance


def test_a_caught_up_standby_swaps_with_the_planned_process():
    # The plan puts 0_0 on A and its standby on B; B has the state, so they swap, and no warm-up is used.
    found = request(client(A, CHANGELOG), client(B, 0), standbys=1, warmups=0)
    answer = StreamsHighAvailability().assign(found)
    assert answer.processes == {A: ClientTasks(standby=TWO[:1]), B: ClientTasks(active=TWO[:1])}


def test_without_anybody_caught_up_the_furthest_runs_the_task():
    found = request(client(A, 9_000), client(B, 5_000), client(C, 7_000))
    answer = StreamsHighAvailability().assign(found)
    assert answer.owners == {TWO[0]: B}
    assert answer.processes[A].standby == TWO[:1]


def test_an_unbounded_acceptable_lag_means_no_state_matters():
    found = request(client(A, RUNNING, RUNNING), client(B, CHANGELOG, CHANGELOG), acceptable=LAG_UNBOUNDED)
    answer = StreamsHighAvailability().assign(found)
    assert answer.owners == {TWO[0]: A, TWO[1]: B}
    assert not answer.probing_rebalance


def test_process_ids_order_as_javas_signed_halves():
    high = "ffffffff-0000-4000-8000-000000000000"
    answer = StreamsHighAvailability().assign(request(client(A, 0), client(high, 0)))
    assert answer.owners == {TWO[0]: high}


def test_threads_count():
    answer = StreamsHighAvailability().assign(request(client(A, *[0] * 8), client(B, *[0] * 8, threads=3)))
    assert [len(given.active) for given in answer.processes.values()] == [2, 6]


def test_stateless_tasks_fill_up_the_active_load():
    stateless = tuple(TaskId(1, p) for p in range(3))
    found = TaskRequest((client(A, 0), client(B, 0)), (*stateless, TaskId(0, 0)), (TaskId(0, 0),))
    answer = StreamsHighAvailability().assign(found)
    assert answer.processes == {
        A: ClientTasks(active=(TaskId(0, 0), TaskId(1, 1))),
        B: ClientTasks(active=(TaskId(1, 0), TaskId(1, 2))),
    }


def test_no_process_and_no_lag_are_illegal_states():
    with pytest.raises(IllegalStateError, match="no process"):
        StreamsHighAvailability().assign(TaskRequest((), TWO, TWO))
    with pytest.raises(IllegalStateError, match="no lag for task 0_0"):
        StreamsHighAvailability().assign(TaskRequest((TaskClient(A, 1),), TWO, TWO))


def test_an_application_without_tasks_is_answered():
    assert StreamsHighAvailability().assign(TaskRequest((), (), ())).processes == {}
