"""Tasks on their way to a plan: run where they are caught up or furthest ahead, copies warmed up by ration.

Copies go over the values of tags one by one, and by load where no value is left.
"""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.java_errors import IllegalStateError
from kassay.assignors.streams.high_availability import (
    Readiness,
    StreamsHighAvailability,
    Warmups,
    has_tags_of,
    move_active_tasks,
    move_standby_tasks,
    place_over_tags,
)
from kassay.assignors.streams.state import ProcessState
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


TASKS = tuple(TaskId(0, p) for p in range(4))
ACCEPTABLE = 10


def processes(*lags, threads=1):
    """A process for each list of lags, one lag a task."""
    return [
        ProcessState(TaskClient(process_id(i), threads, lags=tuple(zip(TASKS, each))))
        for i, each in enumerate(lags)
    ]


def drawn(count):
    """Processes with lags, and a plan that gives each task to one of them and copies to some others."""
    for seed in range(count):
        rng = Random(seed)
        rows = [[rng.choice((0, 5, 10, 11, 500)) for _ in TASKS] for _ in range(rng.randint(1, 4))]
        for p in range(len(TASKS)):
            if rng.random() < 0.5:
                rows[rng.randrange(len(rows))][p] = RUNNING
        states = processes(*rows)
        for task in TASKS:
            first, *others = rng.sample(states, rng.randint(1, len(states)))
            first.active.add(task)
            for other in others[: rng.randint(0, 2)]:
                other.standby.add(task)
        yield states, Readiness(states, TASKS, ACCEPTABLE), rng.randint(0, 3)


def is_ready(state, task):
    return state.lag(task) == RUNNING or 0 <= state.lag(task) <= ACCEPTABLE


def test_readiness_agrees_with_the_lags():
    for states, readiness, _ in drawn(60):
        for task in TASKS:
            ready = {state for state in states if is_ready(state, task)}
            assert readiness.caught_up(task) == ready
            ahead = min(state.lag(task) for state in states)
            for state in states:
                further = state not in ready and ahead < state.lag(task)
                assert readiness.could_be_further(task, state) == further
                best = readiness.furthest(task, state, lambda _: True)
                assert best is None or best.lag(task) == ahead


def test_an_unbounded_lag_is_always_acceptable_and_an_unknown_one_never():
    states = processes([LAG_UNBOUNDED - 1] * 4, [-1] * 4)
    assert Readiness(states, TASKS, LAG_UNBOUNDED).caught_up(TASKS[0]) == set(states)
    assert Readiness(states, TASKS, ACCEPTABLE).caught_up(TASKS[0]) == set()


def test_every_active_task_ends_where_it_is_caught_up_or_furthest_ahead():
    for states, readiness, rations in drawn(200):
        planned = {task: next(s for s in states if task in s.active) for task in TASKS}
        could = {task for task, state in planned.items() if readiness.could_be_further(task, state)}
        copies = {task: sum(task in s.standby for s in states) for task in TASKS}
        warmups = Warmups(rations)
        assert move_active_tasks(states, readiness, warmups) == len(could)
        warmed = 0
        for task in TASKS:
            (runs,) = [state for state in states if task in state.active]
            assert task not in runs.standby
            if task not in could:
                assert runs is planned[task]
                continue
            ahead = min(state.lag(task) for state in states)
            assert runs in readiness.caught_up(task) or runs.lag(task) == ahead
            held = warmups.holds(task, planned[task])
            warmed += held
            assert sum(task in s.standby for s in states) == copies[task] + held
        assert warmed <= rations


def test_a_standby_that_is_behind_moves_to_who_is_ahead_and_has_nothing_of_the_task():
    for states, readiness, rations in drawn(200):
        actives = [set(state.active) for state in states]
        copies = {task: sum(task in s.standby for s in states) for task in TASKS}
        moved = move_standby_tasks(states, readiness, Warmups(rations))
        assert [state.active for state in states] == actives
        assert not any(state.active & state.standby for state in states)
        more = sum(task in s.standby for s in states for task in TASKS) - sum(copies.values())
        assert more == min(moved, rations), "a destination keeps its copy while warm-ups are left"


def test_a_warm_up_is_no_standby_to_be_moved():
    states = processes([0] * 4, [500] * 4)
    states[1].standby.add(TASKS[0])
    warmups = Warmups(2)
    warmups.place(TASKS[0], states[1])
    assert move_standby_tasks(states, Readiness(states, TASKS, ACCEPTABLE), warmups) == 0
    assert move_standby_tasks(states, Readiness(states, TASKS, ACCEPTABLE), Warmups(2)) == 1


def test_warm_ups_are_counted():
    warmups = Warmups(2)
    assert [warmups.take() for _ in range(4)] == [True, True, False, False]


def test_a_lag_that_nobody_reported_is_an_illegal_state():
    with pytest.raises(IllegalStateError, match="reports no lag for task 9_9"):
        Readiness(processes([0] * 4), (TaskId(9, 9),), ACCEPTABLE)


ONE, STANDBY_TAGS_TWO = TaskId(0, 0), TaskId(0, 1)


def states(*values, keys=("zone", "cluster"), threads=()):
    """Processes with a letter for each tag, `-` for none."""
    return [
        ProcessState(
            TaskClient(
                process_id(2 * number),
                dict(enumerate(threads)).get(number, 1),
                tags=tuple((key, value) for key, value in zip(keys, own) if value != "-"),
            )
        )
        for number, own in enumerate(values)
    ]


def copies(processes, replicas, keys=("zone", "cluster"), runs=0):
    processes[runs].active.add(ONE)
    place_over_tags(processes, [ONE], replicas, keys)
    return {number for number, state in enumerate(processes) if ONE in state.standby}


@pytest.mark.parametrize(
    ("values", "replicas", "on"),
    [
        (["a", "a", "b"], 1, {2}),
        (["a", "a", "b", "c"], 2, {2, 3}),
        (["a", "a", "b"], 2, {1, 2}),
        (["ax", "ay", "bx", "by"], 1, {3}),
        (["ax", "ay", "by", "cy", "cx"], 2, {2, 3}),
        (["ax", "ay", "bx"], 1, {1}),
        (["a", "a"], 3, {1}),
        (["a"], 1, set()),
    ],
    ids=[
        "another zone",
        "a third zone",
        "zones are used up",
        "another zone and cluster",
        "clusters are used up",
        "nobody differs in both: by load",
        "too few processes",
        "nobody else",
    ],
)
def test_each_copy_differs_from_all_before_in_what_has_values_left(values, replicas, on):
    assert copies(states(*values), replicas) == on


def test_a_process_without_the_tag_differs_from_all():
    assert copies(states("a", "-", "b"), 1) == {1}
    assert copies(states("-", "a", "a"), 1) == {1}


def test_only_tags_that_are_asked_for_count():
    assert copies(states("ax", "ay", "bx"), 1, keys=("cluster",)) == {1}
    assert copies(states("ax", "ay", "bx"), 1, keys=("zone",)) == {2}


def test_of_processes_that_differ_the_least_loaded_is_taken():
    processes = states("a", "b", "b", "b", threads=(1, 1, 1, 2))
    processes[1].active.add(STANDBY_TAGS_TWO)
    assert copies(processes, 1) == {2}
    for number in (2, 3):
        processes[number].active.add(TaskId(0, 9))
    processes[0].active.add(STANDBY_TAGS_TWO)
    place_over_tags(processes, [STANDBY_TAGS_TWO], 1, ("zone",))
    assert STANDBY_TAGS_TWO in processes[3].standby


def test_a_first_choice_may_leave_no_process_for_the_next():
    processes = states("ax", "by", "bz", "cz")
    processes[1].active.add(STANDBY_TAGS_TWO)
    assert copies(processes, 2) == {2, 3}, "b, z and then by load c, z, though b, y and c, z would differ"


def test_a_copy_may_move_where_all_tags_of_its_process_are():
    one, same, more, fewer = states("ax", "ax", "ay", "a-")
    assert has_tags_of(one, same)
    assert not has_tags_of(one, more)
    assert not has_tags_of(one, fewer)
    assert has_tags_of(fewer, one)


@pytest.mark.parametrize(
    ("hosts", "counts"), [("", [2, 2, 2, 3]), ("1234", [3, 2, 1, 3])], ids=["zones alone", "a host each"]
)
def test_a_tag_that_nothing_is_spread_over_keeps_copies_from_moving(hosts, counts):
    zones = "aaab"
    tasks = tuple(TaskId(0, p) for p in range(3))
    clients = tuple(
        TaskClient(
            process_id(2 * number),
            1,
            lags=tuple((task, 0) for task in tasks),
            tags=(*((("host", hosts[number]),) if hosts else ()), ("zone", zone)),
        )
        for number, zone in enumerate(zones)
    )
    request = TaskRequest(clients, tasks, tasks, 2, acceptable_recovery_lag=100, rack_aware_tags=("zone",))
    given = StreamsHighAvailability().assign(request).processes
    assert [len(given[c.process_id].active) + len(given[c.process_id].standby) for c in clients] == counts


def test_evening_out_moves_copies_among_processes_with_the_same_tags_alone():
    clients = tuple(
        TaskClient(
            process_id(2 * number),
            threads,
            lags=tuple((TaskId(0, p), 0) for p in range(6)),
            tags=(("zone", zone),),
        )
        for number, (zone, threads) in enumerate((("a", 3), ("a", 3), ("b", 1)))
    )
    tasks = tuple(TaskId(0, p) for p in range(6))
    for keys, spread in ((("zone",), True), ((), False)):
        given = StreamsHighAvailability().assign(
            TaskRequest(clients, tasks, tasks, 1, acceptable_recovery_lag=100, rack_aware_tags=keys)
        )
        on_b = set(given.processes[process_id(4)].standby)
        runs_on_a = {task for number in (0, 2) for task in given.processes[process_id(number)].active}
        assert (runs_on_a == on_b) == spread
