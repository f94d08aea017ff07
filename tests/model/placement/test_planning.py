"""One call of a planner: what may be asked, and the second looks at it."""

import pytest

from kassay.model.calls import Failure, Look
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.plan import Plan
from kassay.model.placement.planning import Planner, PlanRequest, plan_step

BROKERS = (Broker(1), Broker(2))
BEFORE = ((TopicPartition("t", 0), (1,)),)


class Stays:
    """Plans no move at all."""

    def plan(self, request):
        return Plan(request.brokers, request.before, (), request.replication_factor)


class Breaks:
    def plan(self, request):
        raise KeyError(request.replication_factor)


@pytest.mark.parametrize("factor", [-1, 0, 3])
def test_a_factor_beyond_the_brokers_cannot_be_asked_for(factor):
    with pytest.raises(InputError, match=f"replication factor {factor}: expected one from 1 to 2"):
        PlanRequest(BROKERS, BEFORE, factor)


def test_a_step_holds_the_plan_and_the_looks_that_were_asked_for():
    request = PlanRequest(BROKERS, BEFORE, 2)
    step = plan_step(Stays, request, (Look.OTHER, Look.AGAIN), twin=Stays)
    assert isinstance(Stays(), Planner)
    assert (step.request, step.given.after) == (request, BEFORE)
    assert [probe.look for probe in step.probes] == [Look.OTHER, Look.AGAIN, Look.PROCESS]
    assert all(probe.answer == step.answer for probe in step.probes)


def test_a_planner_that_raises_has_failed():
    step = plan_step(Breaks, PlanRequest(BROKERS, BEFORE, 2), twin=Breaks)
    assert isinstance(step.answer, Failure)
    assert step.answer.message == "raised KeyError: 2"
    assert step.probes == ()
