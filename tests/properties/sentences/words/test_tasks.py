"""The words for tasks, by hand; other answers run every task once."""

from dataclasses import replace

import pytest

from kassay.model.streams.history import TaskRun, TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import (
    ClientTasks,
    TaskAssignment,
    TaskClient,
    TaskId,
    TaskRequest,
    process_id,
)
from kassay.properties.registry import Scope
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.tasks import TASK_WORDS

A, B = process_id(0), process_id(1)
TASKS = (TaskId(0, 0), TaskId(0, 1), TaskId(1, 0))
REQUEST = TaskRequest((TaskClient(A, 2, TASKS[:2]), TaskClient(B, 1)), TASKS, TASKS[:2], standby_replicas=1)
ANSWER = TaskAssignment({A: ClientTasks(TASKS[:1]), B: ClientTasks(TASKS[1:], TASKS[:1])})
STEP = TaskStep(REQUEST, ANSWER)


def says(text, scope=Scope.STEP, things=(STEP,)):
    read = read_sentence(text, STREAMS)
    assert read.scope is scope
    return read.says(TASK_WORDS.scene(scope, things), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(active) == 2 and max(standby) == 1 and max(load) == 3 and sum(load) == 4",
        "threads == 3 and max(p: threads(p)) == 2 and processes == 2 and subtopologies == 2",
        "tasks == 3 and max(s: tasks(s)) == 2 and stateful == 2 and standbys == 1",
        "some p: some s: active(p, s) == 0",
        "moved == 1",
        "not at_rest and not probing and not no_standbys and not no_state and not equal_threads",
    ],
)
def test_measures(text):
    assert says(text)


def test_rounds_leave_out_the_one_that_shows_the_rest():
    run = TaskRun((STEP, STEP, replace(STEP, at_rest=True)), (False, True, True), played=1)
    assert says("rounds == 1", Scope.REBALANCE, (run,))


def test_other_answers_run_every_task_once():
    scenes = list(TASK_WORDS.others(TASK_WORDS.scene(Scope.STEP, (STEP,))))
    assert len({scene.step.answer for scene in scenes}) > 2
    for scene in scenes:
        assert sorted(task for own in scene.step.given.processes.values() for task in own.active) == list(
            TASKS
        )
