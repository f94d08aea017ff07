"""The words for Connect, by hand; other answers run everything once or put all off."""

from dataclasses import replace

import pytest

from kassay.model.connect.history import ConnectRun, ConnectStep
from kassay.model.connect.kinds import CONNECT
from kassay.model.connect.work import (
    ConnectAssignment,
    ConnectorTaskId,
    ConnectRequest,
    ConnectWorker,
    WorkerChange,
)
from kassay.properties.connect.work import single_owner
from kassay.properties.registry import Scope
from kassay.properties.sentences.claims import read_sentence
from kassay.properties.sentences.meaning import NOTHING
from kassay.properties.sentences.words.connect import CONNECT_WORDS

C0, C1 = ConnectorTaskId("c", 0), ConnectorTaskId("c", 1)
REQUEST = ConnectRequest(
    (("c", 2), ("d", 1)), (ConnectWorker("w0", ("c", C0, C1, "gone")), ConnectWorker("w1", (C1,)))
)
ANSWER = ConnectAssignment({"w0": WorkerChange((), (C0,)), "w1": WorkerChange(("d",))}, 300)
STEP = ConnectStep(REQUEST, ANSWER)


def says(text, scope=Scope.STEP, things=(STEP,)):
    read = read_sentence(text, CONNECT)
    assert read.scope is scope
    return read.says(CONNECT_WORDS.scene(scope, things), NOTHING)


@pytest.mark.parametrize(
    "text",
    [
        "max(load) == 2 and min(load) == 2",
        "max(w: tasks(w)) == 1 and max(w: connectors(w)) == 1",
        "workers == 2 and connectors == 2 and tasks == 3 and max(c: tasks(c)) == 2",
        "some c: some w: tasks(c, w) == 0",
        "max(starts) == 1 and max(stops) == 1 and taken_back == 1",
        "idle == 2 and twice == 1 and strays == 1 and delay_ms == 300",
        "not at_rest and not no_delay and no_lost and not no_conflicting_claims and reached_all",
    ],
)
def test_measures(text):
    assert says(text)


def test_what_is_taken_since_the_last_change():
    run = ConnectRun((STEP, STEP, replace(STEP, at_rest=True)), played=2)
    assert says("rounds == 1 and taken == 2 and best_taken == 0", Scope.REBALANCE, (run,))


def test_other_answers_run_everything_once_or_nothing():
    scenes = list(CONNECT_WORDS.others(CONNECT_WORDS.scene(Scope.STEP, (STEP,))))
    assert len({scene.step.answer for scene in scenes}) > 3
    for scene in scenes:
        assert list(single_owner(scene.step)) == []
        idle = read_sentence("idle == 0", CONNECT).says(scene, NOTHING)
        assert idle is not bool(scene.step.answer.delay_ms)
