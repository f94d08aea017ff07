"""Claims about a cluster at rest count where an answer breaks them, and the closed form is the least there is."""

from itertools import product

import pytest

from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    ConnectWorker,
    WorkerChange,
)
from kassay.properties.claims import parse_claim
from kassay.properties.connect.balance import balanced_within_one, least_taken_back
from tests.properties.confirming import both_seen, confirm
from tests.properties.connect.requests import requests, steps

TASKS = tuple(ConnectorTaskId("a", number) for number in range(4))


def cluster(*loads, tasks=4):
    left = iter(TASKS)
    workers = tuple(
        ConnectWorker(f"w{i}", tuple(next(left) for _ in range(load))) for i, load in enumerate(loads)
    )
    return ConnectRequest((("a", tasks),), workers)


def brute(request):
    """The least number of tasks that leave their workers in any balanced cluster, by trying all of them."""
    before = {task: worker.worker_id for worker in request.workers for task in worker.running}
    ids = [worker.worker_id for worker in request.workers]
    tasks = [TASKS[number] for number in range(request.connectors[0][1])]
    best = len(tasks)
    for owners in product(ids, repeat=len(tasks)):
        counts = [owners.count(worker) for worker in ids]
        if max(counts) - min(counts) <= 1:
            moved = sum(before.get(task, owner) != owner for task, owner in zip(tasks, owners))
            best = min(best, moved)
    return best


def test_the_closed_form_is_the_least_by_brute_force():
    for workers in (1, 2, 3):
        for loads in product(range(5), repeat=workers):
            if sum(loads) <= 4:
                request = cluster(*loads)
                assert least_taken_back(request) == brute(request), loads


def test_loads_two_apart_are_told_with_what_is_counted():
    step = ConnectStep(cluster(3, 1), ConnectAssignment({}), at_rest=True)
    assert [dict(e.facts) for e in balanced_within_one(step)] == [
        {"tasks": 3, "other": "w1", "other tasks": 1}
    ]
    assert list(balanced_within_one(ConnectStep(cluster(2, 1, tasks=3), ConnectAssignment({})))) == []


def test_what_is_configured_no_longer_is_no_load():
    request = ConnectRequest((("a", 0),), (ConnectWorker("x", ("a", "old", "older")), ConnectWorker("y")))
    assert list(balanced_within_one(ConnectStep(request, ConnectAssignment({})))) == []


def test_balance_counts_where_an_answer_at_rest_can_lack_it():
    found = parse_claim("balanced-within-one", CONNECT)
    at_rest = ([s for s in steps(request) if s.at_rest and is_single(s)] for request in requests(2))
    both_seen(confirm(found, some) for some in at_rest if some)


def is_single(step):
    """Whether nobody is told to start what runs already: that breaks another claim."""
    given = [work for change in step.given.workers.values() for work in change.assigned]
    return len(set(given)) == len(given) and not step.request.runners.keys() & set(given)


def moved(request, *tasks):
    back = ConnectAssignment({"w0": WorkerChange((), tasks)})
    return ConnectStep(request, back)


@pytest.mark.parametrize(
    ("loads", "taken", "broken"),
    [((4, 0), TASKS[:2], False), ((4, 0), TASKS[:3], True), ((2, 2), TASKS[:1], True)],
)
def test_more_than_balance_needs_is_told(loads, taken, broken):
    found = parse_claim("sticky-minimal", CONNECT).kind
    last = ConnectStep(cluster(2, 2), ConnectAssignment({}), at_rest=True)
    run = ConnectRun((moved(cluster(*loads), *taken), last), 1)
    assert found.applies(run)
    assert found.breakable(run)
    assert [e.facts["needed"] for e in found.predicate(run)] == (
        [least_taken_back(cluster(*loads))] if broken else []
    )


def test_nothing_is_said_of_moves_without_rest_or_with_losses():
    found = parse_claim("sticky-minimal", CONNECT).kind
    rest = ConnectStep(cluster(2, 2), ConnectAssignment({}), at_rest=True)
    assert not found.applies(ConnectRun((moved(cluster(4, 0), TASKS[0]),), 1))
    lossy = ConnectStep(cluster(2, 0), ConnectAssignment({}), lost_since=((TASKS[3], 0),))
    assert not found.applies(ConnectRun((lossy, rest), 1))
    assert not found.breakable(ConnectRun((ConnectStep(cluster(0, 0), ConnectAssignment({})), rest), 1))


@pytest.mark.parametrize(
    ("spelled", "rounds", "broken"),
    [("converges", 5, False), ("converges:2", 2, False), ("converges:2", 3, True)],
)
def test_rounds_to_rest_are_counted(spelled, rounds, broken):
    found = parse_claim(spelled, CONNECT)
    step = ConnectStep(cluster(2, 2), ConnectAssignment({}))
    rest = ConnectStep(cluster(2, 2), ConnectAssignment({}), at_rest=True)
    run = ConnectRun((step, *[step] * (rounds - 1), rest), 1)
    assert bool(list(found.kind.predicate(run, found.value))) is broken
    assert list(found.kind.predicate(ConnectRun((step,), 1), found.value))


def test_a_rebalance_for_no_reason_changes_nothing():
    found = parse_claim("stable", CONNECT).kind
    rest = ConnectStep(cluster(2, 2), ConnectAssignment({}), at_rest=True)
    assert not found.applies(ConnectRun((rest,), 1))
    for answer, subjects in (
        (ConnectAssignment({}), []),
        (ConnectAssignment({"w0": WorkerChange((), TASKS[:1])}), ["w0"]),
        (ConnectAssignment({}, 3), ["the delay"]),
    ):
        run = ConnectRun((rest,), 1, ConnectStep(cluster(2, 2), answer))
        assert found.applies(run)
        assert [e.subject for e in found.predicate(run)] == subjects
