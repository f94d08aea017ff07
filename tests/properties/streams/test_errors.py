"""Each of Kafka's five errors is told by its name."""

import pytest

from kassay.model.streams.history import TaskStep
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest
from kassay.properties.streams.errors import task_errors

A, B = "00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000002"
STATE, NONE, STRANGE = TaskId(0, 0), TaskId(1, 0), TaskId(7, 7)
REQUEST = TaskRequest((TaskClient(A, 1), TaskClient(B, 1)), (STATE, NONE), (STATE,), 1)
GOOD = {A: ClientTasks((STATE,)), B: ClientTasks((NONE,), (STATE,))}


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({}, []),
        ({A: ClientTasks((STATE, NONE))}, ["ACTIVE_TASK_ASSIGNED_MULTIPLE_TIMES"]),
        ({A: ClientTasks((STATE,), (NONE,))}, ["INVALID_STANDBY_TASK"]),
        ({"x": ClientTasks()}, ["UNKNOWN_PROCESS_ID"]),
        ({A: ClientTasks((STATE, STRANGE))}, ["UNKNOWN_TASK_ID"]),
        ({A: None}, ["MISSING_PROCESS_ID"]),
    ],
)
def test_an_error_is_told_by_its_name(change, errors):
    answer = {process: tasks for process, tasks in (GOOD | change).items() if tasks is not None}
    assert [e.subject for e in task_errors(TaskStep(REQUEST, TaskAssignment(answer)))] == errors
