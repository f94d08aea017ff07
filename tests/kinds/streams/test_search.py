"""Streams tasks: no more than there are can be apart or move."""

from kassay.kinds.streams.search import TaskSearch


def test_processes_have_a_thread_each_and_bounds_are_their_tasks():
    search = TaskSearch()
    assert {join.threads for case in search.small((2, 2)) for join in case.processes} == {1}
    assert [search.bound(badness, (2, 3)) for badness in ("spread", "moves", "rounds")] == [3, 3, None]
