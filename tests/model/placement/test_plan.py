"""A plan is walked move by move, and says where every replica is after each."""

import pytest

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.plan import Move, Plan

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
