"""The sticky rule that applications may name: quotas rounded up, ties by load alone, sets in hash order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import NullPointerError
from kassay.assignors.registry import find
from kassay.assignors.streams.public_sticky import LoadOnly, PublicPlacement, StreamsPublicSticky
from kassay.model.streams.history import asking, play_tasks
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskClient,
    TaskId,
    TaskRequest,
    process_hash_order,
    process_id,
)
from kassay.properties.sources import Drawn
from kassay.properties.streams import tasks
from kassay.properties.streams.scenarios import task_history

A, B, C = (process_id(2 * i) for i in range(3))
TASKS = tuple(TaskId(0, p) for p in range(3))


@st.composite
def histories(draw: st.DrawFn):
    return task_history(Drawn(draw))


@pytest.mark.slow
@given(histories())
def test_answers_are_valid_in_every_step(history):
    for step in play_tasks(history, asking(StreamsPublicSticky)):
        for predicate in (tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint):
            assert list(predicate(step)) == []


@given(histories())
def test_active_tasks_stay_up_to_the_share_of_their_process_rounded_up(history):
    for step in play_tasks(history, asking(StreamsPublicSticky)):
        threads = sum(client.capacity for client in step.request.clients)
        for client in step.request.clients:
            ran = set(client.previous_active)
            stays = ran & set(step.answer.processes[client.process_id].active)
            assert len(stays) >= min(len(ran), len(step.request.tasks) * client.capacity // threads)


@given(histories(), st.randoms())
def test_the_order_of_stateful_tasks_decides_about_copies_alone(history, random):
    *_, last = play_tasks(history, asking(StreamsPublicSticky))
    turned = replace(
        last.request, stateful=tuple(random.sample(last.request.stateful, len(last.request.stateful)))
    )
    assert StreamsPublicSticky().assign(turned).owners == last.answer.owners


def test_an_unchanged_application_may_have_a_copy_moved():
    clients = (
        TaskClient(A, 1, TASKS[:1]),
        TaskClient(B, 1, TASKS[1:2], TASKS[:1]),
        TaskClient(C, 1, (), TASKS[1:2]),
    )
    one, other = (
        StreamsPublicSticky().assign(TaskRequest(clients, TASKS[:2], order, standby_replicas=1)).processes
        for order in (TASKS[1::-1], TASKS[:2])
    )
    assert (one[B], one[C]) == (ClientTasks(TASKS[1:2], TASKS[:1]), ClientTasks((), TASKS[1:2]))
    assert (other[B], other[C]) == (ClientTasks(TASKS[1:2]), ClientTasks((), TASKS[:2]))


def test_a_share_is_rounded_up():
    request = TaskRequest((TaskClient(A, 1, TASKS), TaskClient(B, 1)), TASKS, ())
    answer = StreamsPublicSticky().assign(request)
    assert [len(given.active) for given in answer.processes.values()] == [2, 1]


def test_equally_loaded_processes_are_taken_in_order_whatever_their_threads():
    small, large = LoadOnly(TaskClient(A, 1)), LoadOnly(TaskClient(B, 4))
    assert small.rank() == large.rank()


@pytest.mark.parametrize("size", [12, 13, 40])
def test_some_of_the_processes_come_in_the_order_of_a_hash_set_of_their_own(size):
    ids = process_hash_order(process_id(i) for i in range(size))
    placement = PublicPlacement(TaskRequest(tuple(TaskClient(p, 1) for p in ids), (), ()))
    for count in (1, 5, size):
        some = list(placement.states.values())[:count]
        assert [state.client.process_id for state in placement.as_set(some)] == process_hash_order(
            ids[:count]
        )


def test_tasks_without_a_process_are_a_null_pointer():
    with pytest.raises(NullPointerError):
        StreamsPublicSticky().assign(TaskRequest((), TASKS, TASKS))
    assert StreamsPublicSticky().assign(TaskRequest((), (), ())).processes == {}


def test_it_is_the_rule_from_4_4_on():
    for spec in ("streams-public-sticky", "streams-public-sticky@4.4", "streams-public-sticky@5.0"):
        assert find(spec).factory is StreamsPublicSticky
