"""The smallest lives of clusters: the fewest changes first, with any event in them."""

from dataclasses import replace
from itertools import islice, product

import pytest

from kassay.kinds.connect.scopes import CHANGES_MAX, connect_cell, fresh_clusters
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
from kassay.model.connect.work import ConnectorTaskId
from kassay.properties.connect.scenarios import connector_name, worker_id

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


def naive_events(workers, connectors):
    """Everything that can happen next to these workers and connectors."""
    tasks = [ConnectorTaskId(name, n) for name, count in connectors for n in range(count)]
    for worker in workers:
        yield from (WorkerLeave(worker), MissedAssignment(worker))
    for name, count in connectors:
        yield ConnectorDelete(name)
        yield from (ConnectorResize(name, n) for n in range(3) if n != count)
    for running in ((), *((each,) for each in (*(name for name, _ in connectors), *tasks))):
        yield WorkerJoin(worker_id(len(workers)), running)
    yield WorkerJoin(worker_id(len(workers) + 1))
    yield from (ConnectorCreate(connector_name(len(connectors)), n) for n in range(2))
    yield from (LeaderChange(), SyncFailure())


@pytest.mark.parametrize(("count", "work", "cases"), [(1, 1, 13), (2, 2, 35), (2, 3, 80), (3, 3, 88)])
def test_a_cell_has_every_cluster_once(count, work, cases):
    workers = tuple(map(worker_id, range(count)))
    starts = set()
    for tasks in product(range(-1, work), repeat=work):
        # A connector with no tasks is work as well; -1 stands for a connector that is not there.
        present = [n for n in tasks if n >= 0]
        if sum(1 + n for n in present) == work:
            starts.add(ConnectHistory(workers, tuple((connector_name(i), n) for i, n in enumerate(present))))
    later = {
        replace(start, changes=(ConnectChange(0, (event,)),))
        for start in starts
        for event in naive_events(workers, start.connectors)
    }
    cells = [list(connect_cell(count, work, past)) for past in (False, True)]
    assert len(set(cells[0])) == len(cells[0]) and len(set(cells[1])) == len(cells[1])
    assert (set(cells[0]), set(cells[1])) == (starts, later)
    assert len(starts) + len(later) == cases
