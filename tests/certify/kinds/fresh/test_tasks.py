"""The smallest lives of applications: those without an event first, and none with one for a case without."""

from kassay.certify.kinds.fresh.tasks import fresh_tasks, task_cell
from kassay.model.streams.events import ProcessJoin
from kassay.model.streams.history import TaskChange, TaskHistory
from kassay.properties.streams.scenarios import process_id

START = TaskHistory((2,), 0, (ProcessJoin(process_id(0), 1),))


def test_events_only_where_the_history_has_some():
    assert not any(life.changes for life in fresh_tasks(START))
    lives = list(fresh_tasks(TaskHistory((2,), 0, START.processes, (TaskChange(),))))
    assert [bool(life.changes) for life in lives] == sorted(bool(life.changes) for life in lives)
    assert max(len(life.processes) for life in lives) == 2
    assert max(sum(life.partitions) for life in lives) == 2


def test_a_cell_has_all_threads_subtopologies_and_kinds_of_tasks():
    lives = list(task_cell(2, 2, False))
    assert len(set(lives)) == len(lives) == 4 * 2 * 3
