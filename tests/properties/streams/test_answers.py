"""Answers of task assignors: which second look matters to which claim."""

import pytest

from kassay.model.calls import Look, Probe
from kassay.model.streams.history import TaskStep
from kassay.model.streams.kinds import STREAMS
from kassay.model.streams.tasks import ClientTasks, TaskAssignment, TaskClient, TaskId, TaskRequest
from kassay.properties.registry import load_claims

A, B = (f"00000000-0000-4000-8000-00000000000{i}" for i in range(2))
T0, T1 = TaskId(0, 0), TaskId(0, 1)
ASKED = TaskRequest((TaskClient(A, 1), TaskClient(B, 1)), (T0, T1), (T0, T1))
GIVEN = TaskAssignment({A: ClientTasks((T0,), (T1,)), B: ClientTasks((T1,), (T0,))})
SAME = TaskAssignment({B: ClientTasks((T1,), (T0,)), A: ClientTasks((T0,), (T1,))})
OTHER = TaskAssignment({A: ClientTasks((T1,), (T0,)), B: ClientTasks((T0,), (T1,))})
MINDED = {
    Look.AGAIN: {"pure", "deterministic"},
    Look.OTHER: {"pure", "deterministic"},
    Look.PROCESS: {"deterministic"},
    Look.PERMUTED: {"order-independent"},
}


@pytest.mark.parametrize("look", Look)
@pytest.mark.parametrize("claim_id", ["pure", "deterministic", "order-independent"])
def test_another_answer_is_told_by_process_to_those_that_mind(look, claim_id):
    predicate = load_claims()[STREAMS, claim_id].predicate
    assert list(predicate(TaskStep(ASKED, GIVEN, probes=(Probe(look, SAME),)))) == []
    found = list(predicate(TaskStep(ASKED, GIVEN, probes=(Probe(look, OTHER),))))
    if claim_id in MINDED[look]:
        assert [evidence.subject for evidence in found] == [A]
        assert {evidence.facts["second call"] for evidence in found} == {look.value}
    else:
        assert found == []
