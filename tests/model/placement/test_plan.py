"""A plan is walked move by move, and says where every replica is after each.

One call of a planner: what may be asked, and the second looks at it.
"""

import pytest

from kassay.model.calls import Failure, Look
from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.plan import Move, Plan, Planner, PlanRequest, plan_step

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
BROKERS = tuple(map(Broker, (1, 2, 3, 4)))
BEFORE = ((T0, (1, 2)), (T1, (2, 3)))


@pytest.mark.parametrize(
    ("move", "after", "added"),
    [
        (Move(T0, 1, 4), (4, 2), 0),
        (Move(T0, 2, 4), (1, 4), 0),
        (Move(T0, target=4), (1, 2, 4), 1),
        (Move(T0, source=1), (2,), -1),
        (Move(T0, 3, 4), (1, 2, 4), 0),
        (Move(T0, 1, 4, (2, 4)), (2, 4), 0),
    ],
    ids=str,
)
def test_a_move_changes_its_own_partition(move, after, added):
    plan = Plan(BROKERS, BEFORE, (move,))
    assert [(each.before, each.after) for each in plan.states()] == [((1, 2), after)]
    assert dict(plan.after) == {T0: after, T1: (2, 3)}
    assert move.added == added


def test_moves_build_on_those_before():
    plan = Plan(BROKERS, BEFORE, (Move(T0, 1, 3), Move(T1, 3, 1), Move(T0, 3, 4)))
    assert [each.after for each in plan.states()] == [(3, 2), (2, 1), (4, 2)]
    assert plan.after == ((T0, (4, 2)), (T1, (2, 1)))


def test_a_plan_without_moves_ends_where_it_began():
    assert Plan(BROKERS, BEFORE).after == BEFORE


def test_a_move_of_an_unknown_partition_is_named():
    plan = Plan(BROKERS, BEFORE, (Move(TopicPartition("u", 7), 1, 2),))
    with pytest.raises(InputError, match=r"move u-7: 1 -> 2: the plan has no initial replicas of u-7"):
        list(plan.states())


PLANNING_BROKERS = (Broker(1), Broker(2))
PLANNING_BEFORE = ((TopicPartition("t", 0), (1,)),)


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
        PlanRequest(PLANNING_BROKERS, PLANNING_BEFORE, factor)


def test_a_step_holds_the_plan_and_the_looks_that_were_asked_for():
    request = PlanRequest(PLANNING_BROKERS, PLANNING_BEFORE, 2)
    step = plan_step(Stays, request, (Look.OTHER, Look.AGAIN), twin=Stays)
    assert isinstance(Stays(), Planner)
    assert (step.request, step.given.after) == (request, PLANNING_BEFORE)
    assert [probe.look for probe in step.probes] == [Look.OTHER, Look.AGAIN, Look.PROCESS]
    assert all(probe.answer == step.answer for probe in step.probes)


def test_a_planner_that_raises_has_failed():
    step = plan_step(Breaks, PlanRequest(PLANNING_BROKERS, PLANNING_BEFORE, 2), twin=Breaks)
    assert isinstance(step.answer, Failure)
    assert step.answer.message == "raised KeyError: 2"
    assert step.probes == ()
