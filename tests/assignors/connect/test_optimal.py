"""The rule that keeps every promise of a Connect leader."""

import pytest

from kassay.assignors.connect.incremental import ConnectIncremental
from kassay.assignors.connect.optimal import OptimalConnect
from kassay.model.connect.history import (
    ConnectChange,
    ConnectHistory,
    ConnectorDelete,
    LeaderChange,
    WorkerJoin,
    WorkerLeave,
)
from kassay.model.connect.player import asking, run_connect


def running(rule, *changes, max_delay_ms=1000):
    """What each worker runs in the end, and the times of the rebalances."""
    history = ConnectHistory(("w0", "w1"), (("c0", 2), ("c1", 2)), max_delay_ms, changes)
    run = run_connect(history, asking(rule))
    last = {w.worker_id: sorted(map(str, w.running)) for w in run.left_alone.request.workers}
    return last, [step.request.now_ms for step in run.steps]


@pytest.mark.parametrize(
    ("rule", "left"), [(ConnectIncremental, {"w0": ("c0",)}), (OptimalConnect, {"w0": ()})]
)
def test_what_is_deleted_stops_under_a_new_leader_too_where_kafkas_rule_lets_it_run(rule, left):
    deleted = ConnectChange(1, (ConnectorDelete("c0"), LeaderChange()))
    history = ConnectHistory(("w0",), (("c0", 0),), 1000, (deleted,))
    run = run_connect(history, asking(rule))
    resting = run.left_alone.request if run.left_alone else None
    assert {worker.worker_id: worker.running for worker in resting.workers} == left


def test_a_departed_worker_is_waited_for():
    _, times = running(OptimalConnect, ConnectChange(5, (WorkerLeave("w1"),)))
    assert times == [0, 5, 1005]
    _, times = running(OptimalConnect, ConnectChange(5, (WorkerLeave("w1"),)), max_delay_ms=0)
    assert times == [0, 5]


def test_workers_that_come_in_a_row_get_their_shares_after_a_pause():
    joins = [ConnectChange(0, (WorkerJoin(f"w{number}"),)) for number in (2, 3)]
    loads, times = running(OptimalConnect, *joins)
    assert times == sorted(times)
    assert times[-1] > 0
    assert {len([work for work in own if "-" in work]) for own in loads.values()} == {1}
