"""What is known of a rebalance of a Connect cluster."""

from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.work import ConnectAssignment, ConnectRequest, ConnectWorker, WorkerChange


def step(workers, answer, **more):
    return ConnectStep(ConnectRequest((("a", 0), ("b", 0)), workers), ConnectAssignment(answer), **more)


def test_only_configured_work_that_runs_there_alone_is_taken_back():
    workers = (ConnectWorker("x", ("a", "b", "gone")), ConnectWorker("y", ("b",)))
    revoked = WorkerChange((), ("a", "b", "gone", "never ran"))
    assert step(workers, {"x": revoked, "y": WorkerChange()}).taken_back == {"x": ("a",)}


def test_reports_contradict_where_two_run_the_same_or_one_came_running():
    alone, both = (ConnectWorker("x", ("a",)),), (ConnectWorker("x", ("a",)), ConnectWorker("y", ("a",)))
    assert not step(alone, {}).contradictory
    assert step(both, {}).contradictory
    assert step(alone, {}, reported_running=True).contradictory
    assert ConnectRun((step(alone, {}), step(both, {})), 1).contradictory


def test_what_is_judged_at_rest_are_the_steps_at_rest():
    steps = (step((), {}), step((), {}, at_rest=True), step((), {}))
    assert ConnectRun(steps, 1).outcomes == steps[1:2]
    assert ConnectRun(steps, 1).settling == 2
