"""The smallest lives of clusters: the fewest changes first, with any event in them."""

from itertools import islice

from kassay.kinds.connect.scopes import CHANGES_MAX, connect_cell, fresh_clusters
from kassay.model.connect.history import ConnectChange, ConnectHistory, LeaderChange, SyncFailure, WorkerJoin

LIFE = ConnectHistory(("w0", "w1"), (("c0", 1),), 300, (ConnectChange(7, (SyncFailure(), LeaderChange())),))


def test_the_fewest_changes_come_first_with_the_waits_of_the_history():
    fresh = list(fresh_clusters(LIFE))
    assert len(set(fresh)) == len(fresh) > 500
    counts = [len(life.changes) for life in fresh]
    assert counts == sorted(counts) and max(counts) == 1
    assert {change.wait_ms for life in fresh for change in life.changes} == {0, 7}
    assert {len(change.events) for life in fresh for change in life.changes} == {1, 2}
    assert {life.max_delay_ms for life in fresh} == {300}


def test_workers_come_running_something_only_where_they_do_in_the_history():
    def running(case):
        lives = islice(fresh_clusters(case), 300)
        events = (event for life in lives for change in life.changes for event in change.events)
        return any(isinstance(event, WorkerJoin) and event.running for event in events)

    assert not running(LIFE)
    back = ConnectChange(0, (WorkerJoin("w2", ("c0",)),))
    assert running(ConnectHistory(("w0",), changes=(back,) * (CHANGES_MAX + 1)))


def test_a_cell_has_all_ways_to_make_up_so_much_work():
    starts = list(connect_cell(2, 3, False))
    assert [life.connectors for life in starts] == [
        (("c0", 2),),
        (("c0", 1), ("c1", 0)),
        (("c0", 0), ("c1", 1)),
        (("c0", 0), ("c1", 0), ("c2", 0)),
    ]
    assert all(len(life.changes) == 1 for life in connect_cell(2, 3, True))
