"""Streams tasks: no more than there are can be apart or move."""

from kassay.kinds.streams.search import TaskSearch
from kassay.model.streams.events import ProcessJoin, ProcessLeave, ProcessRestart


def test_processes_have_a_thread_each_and_bounds_are_their_tasks():
    search = TaskSearch()
    assert {join.threads for case in search.small((2, 2)) for join in case.processes} == {1}
    assert [search.bound(badness, (2, 3)) for badness in ("spread", "moves", "rounds")] == [3, 3, None]


def test_small_histories_have_processes_that_leave_restart_and_join():
    events = {type(e) for case in TaskSearch().small((2, 2)) for c in case.changes for e in c.events}
    assert {ProcessJoin, ProcessLeave, ProcessRestart} <= events
