"""A cluster as it is played: who runs what, when rebalances come, and what the leader may know."""

import pytest

from kassay.assignors.connect.eager import ConnectEager
from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.model.calls import Failure
from kassay.model.connect.history import (
    ConnectChange,
    ConnectHistory,
    ConnectorCreate,
    ConnectorDelete,
    ConnectorResize,
    LeaderChange,
    MissedAssignment,
    SyncFailure,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.player import SETTLING_ROUNDS_MAX, asking, run_connect
from kassay.model.connect.work import ConnectAssignment, WorkerChange

DELAY = 1000


def play(*changes, workers=("x", "y"), connectors=(("a", 1), ("b", 1)), rule=ConnectIncremental, eager=False):
    history = ConnectHistory(workers, connectors, DELAY, changes)
    return run_connect(history, asking(rule), eager=eager)


def running(step):
    return {worker.worker_id: " ".join(map(str, worker.running)) for worker in step.request.workers}


def test_workers_obey_and_one_more_rebalance_changes_nothing():
    run = play()
    assert len(run.steps) == run.played == 1
    assert running(run.left_alone) == {"x": "a a-0", "y": "b b-0"}
    assert run.left_alone.given.workers == {"x": WorkerChange(), "y": WorkerChange()}


def test_who_has_to_stop_something_rejoins_at_once():
    run = play(ConnectChange(5, (WorkerJoin("z"),)), connectors=(("a", 4),))
    assert [step.request.now_ms for step in run.steps] == [0, 5, 5]
    assert [step.at_rest for step in run.steps] == [True, False, True]
    assert run.steps[2].took_back


def test_lost_work_is_known_with_its_time_until_somebody_is_given_it():
    run = play(ConnectChange(7, (WorkerLeave("y"),)))
    assert [step.request.now_ms for step in run.steps] == [0, 7, 7 + DELAY]
    assert [{str(work): since for work, since in step.lost_since} for step in run.steps] == [
        {},
        {"b": 7, "b-0": 7},
        {"b": 7, "b-0": 7},
    ]
    assert [step.waits_until_ms for step in run.steps] == [0, 0, 7 + DELAY]
    assert run.left_alone.lost_since == ()


@pytest.mark.parametrize(
    ("wait", "times"), [(DELAY - 1, [0, 7, 6 + DELAY]), (DELAY, [0, 7, 7 + DELAY, 7 + DELAY])]
)
def test_a_change_comes_before_or_after_the_end_of_a_delay(wait, times):
    run = play(ConnectChange(7, (WorkerLeave("y"),)), ConnectChange(wait, (WorkerJoin("z"),)))
    assert [step.request.now_ms for step in run.steps][: len(times)] == times


def test_an_answer_that_a_worker_missed_is_followed_by_another_round():
    run = play(ConnectChange(1, (ConnectorCreate("c", 2), MissedAssignment("x"))))
    first, second = run.steps[1:3]
    assert not first.reached_all
    assert running(second)["x"] == "a a-0"
    assert second.request.last_completed_generation == first.request.generation


def test_an_answer_that_nobody_got_is_a_round_that_did_not_complete():
    run = play(ConnectChange(1, (ConnectorCreate("c", 2), SyncFailure())))
    first, second = run.steps[1:3]
    assert running(second) == running(first)
    assert second.request.last_completed_generation == first.request.generation - 1


def test_a_new_leader_remembers_nothing():
    run = play(ConnectChange(1, (LeaderChange(),)))
    assert run.steps[1].request.memory is None
    assert run.steps[0].given.memory is not None


def test_connectors_come_change_and_go():
    changes = (
        ConnectorResize("a", 3),
        ConnectorDelete("b"),
        ConnectorCreate("a", 9),
        ConnectorResize("z", 1),
    )
    assert play(ConnectChange(1, changes)).steps[1].request.connectors == (("a", 3),)


def test_what_makes_no_sense_does_nothing():
    run = play(
        ConnectChange(1, (WorkerLeave("x"), WorkerLeave("y"), WorkerLeave("z"), WorkerJoin("y", ("a",))))
    )
    assert running(run.steps[1]) == {"y": "b b-0"}


def test_one_that_comes_running_says_so():
    run = play(ConnectChange(1, (WorkerJoin("z", ("a",)),)))
    assert running(run.steps[1])["z"] == "a"
    assert run.steps[1].reported_running
    assert not run.steps[2].reported_running


def test_eager_workers_have_stopped_everything():
    run = play(ConnectChange(1, (WorkerLeave("y"),)), rule=ConnectEager, eager=True)
    assert running(run.steps[1]) == {"x": ""}
    assert run.steps[1].at_rest
    assert {str(work) for work, _ in run.steps[1].lost_since} == {"b", "b-0"}


class NeverDone:
    """A worker has to stop something at every round."""

    name = "never-done"

    def assign(self, request):
        return ConnectAssignment({"x": WorkerChange((), ("a",))})


class Breaks:
    """No answer once a worker has gone."""

    name = "breaks"

    def assign(self, request):
        if len(request.workers) < 2:
            raise ValueError("too few")
        return ConnectAssignment({})


def test_a_cluster_that_never_rests_is_given_up():
    run = play(rule=NeverDone)
    assert run.left_alone is None
    assert run.settling == SETTLING_ROUNDS_MAX


def test_without_an_answer_the_history_ends():
    run = play(ConnectChange(1, (WorkerLeave("y"),)), ConnectChange(1, (WorkerJoin("y"),)), rule=Breaks)
    assert len(run.steps) == 2
    assert isinstance(run.steps[1].answer, Failure)
    assert run.left_alone is None
