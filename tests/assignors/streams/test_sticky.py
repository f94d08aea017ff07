"""What the sticky rules of Kafka Streams share: quotas, the order of sets, pairs of tasks that met."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.state import ProcessState
from kassay.assignors.streams.sticky import ProcessPlacement, StreamsSticky
from kassay.model.streams.history import TaskStep, asking, play_tasks, settle_tasks
from kassay.model.streams.tasks import TaskAssignment, TaskClient, TaskId, TaskRequest, process_id
from kassay.properties.sources import Drawn
from kassay.properties.streams import tasks
from kassay.properties.streams.scenarios import task_history

A, B, C = (process_id(2 * i) for i in range(3))


@st.composite
def histories(draw: st.DrawFn):
    return task_history(Drawn(draw))


def ids(*texts: str) -> tuple[TaskId, ...]:
    return tuple(map(TaskId.parse, texts))


def request(*clients: TaskClient, stateful: bool = True, standbys: int = 0, count: int = 4) -> TaskRequest:
    found = tuple(TaskId(0, p) for p in range(count))
    return TaskRequest(clients, found, found if stateful else (), standby_replicas=standbys)


def shown(answer: TaskAssignment) -> dict[str, str]:
    return {
        p: " ".join(map(str, given.active))
        + (" | " + " ".join(map(str, given.standby)) if given.standby else "")
        for p, given in answer.processes.items()
    }


@given(histories())
def test_answers_are_valid_in_every_step(history):
    for step in play_tasks(history, asking(StreamsSticky)):
        for predicate in (tasks.known, tasks.single_owner, tasks.complete, tasks.standby_disjoint):
            assert list(predicate(step)) == []
        assert not step.given.probing_rebalance


@given(histories())
def test_an_application_comes_to_rest_and_keeps_what_it_has(history):
    *_, last = play_tasks(history, asking(StreamsSticky))
    *_, settled = settle_tasks(last, asking(StreamsSticky))
    assert settled.at_rest
    assert list(tasks.changed(settled)) == []


@given(histories())
def test_only_a_process_beyond_its_share_gives_tasks_up(history):
    for step in play_tasks(history, asking(StreamsSticky)):
        request, owners = step.request, step.given.owners
        share = len(request.tasks) // sum(client.capacity for client in request.clients)
        for task, owner in request.previous_owners.items():
            if owners[task] != owner:
                before = request.by_id[owner]
                assert len(step.given.processes[owner].active) >= before.capacity * share


def test_fresh_tasks_are_spread_by_threads():
    answer = StreamsSticky().assign(request(TaskClient(A, 1), TaskClient(B, 3), count=8))
    assert [len(given.active) for given in answer.processes.values()] == [2, 6]


def test_tasks_stay_where_they_ran_and_what_is_free_goes_to_the_newcomer():
    clients = (TaskClient(A, 1, ids("0_0", "0_3")), TaskClient(B, 1, ids("0_1", "0_2")))
    assert shown(StreamsSticky().assign(request(*clients))) == {A: "0_0 0_3", B: "0_1 0_2"}
    clients = (TaskClient(A, 1, ids("0_0", "0_3")), TaskClient(C, 1))
    assert shown(StreamsSticky().assign(request(*clients))) == {A: "0_0 0_3", C: "0_1 0_2"}


def test_a_task_without_its_process_goes_to_its_standby():
    clients = (TaskClient(A, 2, ids("0_0", "0_1")), TaskClient(B, 2), TaskClient(C, 2, (), ids("0_2")))
    assert "0_2" in shown(StreamsSticky().assign(request(*clients, count=6)))[C]


def test_standbys_are_elsewhere_and_as_many_as_there_are_processes_for():
    answer = StreamsSticky().assign(request(TaskClient(A, 1), TaskClient(B, 1), standbys=2))
    assert shown(answer) == {A: "0_0 0_2 | 0_1 0_3", B: "0_1 0_3 | 0_0 0_2"}
    alone = StreamsSticky().assign(request(TaskClient(A, 1), standbys=1))
    assert alone.processes[A].standby == ()


def test_stateless_tasks_have_no_standbys():
    answer = StreamsSticky().assign(request(TaskClient(A, 1), TaskClient(B, 1), stateful=False, standbys=1))
    assert all(given.standby == () for given in answer.processes.values())


def test_balance_is_not_promised_even_among_equals():
    # Six tasks over three processes of three threads: a share of none a thread, and A, which is
    # not at its capacity yet, keeps everything that it ran.
    clients = (TaskClient(A, 3, ids("0_0", "0_1", "0_2")), TaskClient(B, 3), TaskClient(C, 3))
    found = request(*clients, count=6)
    answer = StreamsSticky().assign(found)
    assert answer.processes[A].active == ids("0_0", "0_1", "0_2")
    assert [e.facts["other active"] for e in tasks.balanced_within_one(TaskStep(found, answer))] == [1]


def test_no_process_is_an_illegal_state_as_in_kafka():
    with pytest.raises(IllegalStateError) as raised:
        StreamsSticky().assign(request())
    assert raised.value.java_class == "java.lang.IllegalStateException"


TASKS = tuple(TaskId(0, p) for p in range(7))


def placement(*threads: int) -> ProcessPlacement:
    clients = tuple(TaskClient(process_id(i), count) for i, count in enumerate(threads))
    return ProcessPlacement(TaskRequest(clients, TASKS, TASKS, standby_replicas=1))


@pytest.mark.parametrize(("threads", "shares"), [((1, 1), [3, 3]), ((2, 1), [4, 2]), ((8, 1), [0, 0])])
def test_what_stays_is_a_share_of_each_thread_rounded_down(threads, shares):
    placed = placement(*threads)
    assert [placed.kept_at_most(state) for state in placed.states.values()] == shares


def test_a_set_of_processes_is_gone_through_as_it_is_given():
    placed = placement(1, 1, 1)
    states = list(placed.states.values())[::-1]
    assert placed.as_set(states) == states
    assert all(type(state) is ProcessState for state in states)


def test_every_task_runs_once_and_its_copy_is_elsewhere():
    placed = placement(1, 2, 1)
    placed.place_active()
    placed.place_standbys()
    for task in TASKS:
        assert sum(task in state.active for state in placed.states.values()) == 1
        assert sum(task in state.standby for state in placed.states.values()) == 1
        assert not any({task} <= state.active & state.standby for state in placed.states.values())
