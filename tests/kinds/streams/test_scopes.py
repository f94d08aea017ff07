"""The smallest lives of applications: those without an event first, and none with one for a case without."""

from kassay.kinds.streams.scopes import fresh_tasks, task_cell
from kassay.model.streams.events import ProcessJoin
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.model.streams.tasks import process_id

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
