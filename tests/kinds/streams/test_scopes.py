"""The smallest lives of applications: those without an event first, and none with one for a case without."""

from dataclasses import replace
from itertools import product

import pytest

from kassay.kinds.streams.scopes import fresh_tasks, task_cell
from kassay.model.streams.events import (
    ProcessJoin,
    ProcessLeave,
    ProcessRestart,
    StandbysChange,
    StateLost,
    ThreadsChange,
)
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import CHANGELOG, process_id

START = TaskHistory((2,), 0, (ProcessJoin(process_id(0), 1),))


def test_events_only_where_the_history_has_some():
    assert not any(life.changes for life in fresh_tasks(START))
    lives = list(fresh_tasks(TaskHistory((2,), 0, START.processes, (TaskChange(),))))
    assert [bool(life.changes) for life in lives] == sorted(bool(life.changes) for life in lives)
    assert max(len(life.processes) for life in lives) == 2
    assert max(sum(life.partitions) for life in lives) == 2


def test_a_cell_has_all_threads_subtopologies_and_kinds_of_tasks():
    lives = list(task_cell(2, 2, False))
    # One subtopology has state or none, of two there are three ways; those with state have a standby or none.
    assert len(set(lives)) == len(lives) == 4 * (3 + 5)


def test_lives_begun_anew_have_the_tags_and_the_lags_of_the_case():
    """Copies that lag are tried before any event is, and every process may be anywhere."""
    case = TaskHistory((2,), 1, START.processes, (TaskChange(),), 1, 100, 2, rack_aware_tags=("zone", "rack"))
    lives = list(fresh_tasks(case))
    assert {life.acceptable_recovery_lag for life in lives} == {100}
    assert {life.rack_aware_tags for life in lives} == {("zone",)}
    assert {process.tags for life in lives for process in life.processes} == {
        (("zone", "a"),),
        (("zone", "b"),),
    }
    happens = [0 if not life.changes else 1 if not life.changes[0].events else 2 for life in lives]
    assert happens == sorted(happens) and set(happens) == {0, 1, 2}
    assert not {process.tags for life in task_cell(2, 2, False) for process in life.processes} - {()}


def naive_changes(start):
    """The next change of an application: copies that lag, or one event."""
    ids = [process.process_id for process in start.processes]
    events = [ProcessJoin(process_id(len(ids)), threads) for threads in (1, 2)]
    events += [ProcessRestart(each) for each in ids]
    events += [ProcessLeave(each) for each in ids if len(ids) > 1]
    events += [
        ThreadsChange(process.process_id, threads)
        for process in start.processes
        for threads in (1, 2)
        if threads != process.threads
    ]
    if start.stateful:
        events += [StateLost(each) for each in ids]
        events += [StandbysChange(n) for n in (0, 1) if n != start.standby_replicas]
    if start.standby_replicas:
        yield TaskChange(lags=(CHANGELOG,))
    yield from (TaskChange((event,)) for event in events)


@pytest.mark.parametrize(("count", "tasks", "cases"), [(1, 1, 40), (1, 2, 110), (2, 2, 372), (2, 3, 944)])
def test_a_cell_has_every_application_once(count, tasks, cases):
    starts = {
        TaskHistory(
            partitions,
            stateful,
            tuple(ProcessJoin(process_id(i), own) for i, own in enumerate(threads)),
            standby_replicas=standbys,
        )
        for size in range(1, tasks + 1)
        for partitions in product(range(1, tasks + 1), repeat=size)
        if sum(partitions) == tasks
        for stateful in range(size + 1)
        for standbys in ((0, 1) if stateful else (0,))
        for threads in product((1, 2), repeat=count)
    }
    later = {replace(start, changes=(change,)) for start in starts for change in naive_changes(start)}
    cells = [list(task_cell(count, tasks, past)) for past in (False, True)]
    assert [len(set(cell)) for cell in cells] == [len(cell) for cell in cells]
    assert (set(cells[0]), set(cells[1])) == (starts, later)
    assert len(starts) + len(later) == cases
