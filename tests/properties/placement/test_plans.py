"""The claims about plans: valid ones pass, and each way of spoiling one is found."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.model.cluster import Broker, TopicPartition
from kassay.model.errors import InputError
from kassay.model.placement.kinds import PLANNER
from kassay.model.placement.plan import Move, Plan
from kassay.properties.placement.plans import (
    plan_minimal,
    plan_valid,
    rack_spread_in_plan,
    replicas_distinct_in_plan,
)
from kassay.properties.placement.scenarios import has_many_moves
from kassay.properties.registry import load_claims, situations_of
from kassay.properties.sources import Drawn, Seeded
from tests.properties.placement.plans import plan

T0 = TopicPartition("t", 0)
PLAIN = tuple(Broker(i) for i in range(4))
RACKED = tuple(Broker(i, "ab"[i % 2]) for i in range(4))

plans = st.composite(lambda draw: plan(Drawn(draw)))()


def of(*moves, before=(0, 1), brokers=PLAIN, factor=None):
    return Plan(brokers, ((T0, before),), moves, factor)


@given(plans)
def test_valid_plans_break_no_claim_and_end_where_their_moves_lead(made):
    assert list(plan_valid(made)) == []
    now = {partition: set(replicas) for partition, replicas in made.before}
    for move in made.moves:
        now[move.partition] = now[move.partition] - {move.source} | {move.target}
    assert {partition: set(replicas) for partition, replicas in made.after} == now


@pytest.mark.slow
@given(plans.filter(lambda made: made.moves))
def test_a_move_from_a_broker_that_hosts_nothing_is_found(made):
    move = made.moves[0]
    held = dict(made.before)[move.partition]
    elsewhere = max(broker.broker_id for broker in made.brokers) + 1
    spoilt = replace(made, moves=(move._replace(source=elsewhere), *made.moves[1:]))
    found = next(plan_valid(spoilt))
    assert found.subject == "move 1"
    assert found.facts["but the replicas are on"] == held


def test_a_replica_that_moves_onto_another_is_found():
    (found,) = replicas_distinct_in_plan(of(Move(T0, 0, 1)))
    assert found.facts == {"after moves": 1, "replicas": (1, 1), "more than once": [1]}


def test_a_state_between_may_not_crowd_a_rack_even_if_the_end_does_not():
    through = of(Move(T0, 0, 3), Move(T0, 1, 2), brokers=RACKED)
    assert dict(through.after)[T0] == (3, 2)
    (found,) = rack_spread_in_plan(through)
    assert (found.subject, found.facts["after moves"]) == ("t-0", 1)
    assert found.facts["in racks"] == ("b", "b")
    assert list(plan_valid(of(Move(T0, 0, 2), Move(T0, 1, 3), brokers=RACKED))) == []


def test_a_plan_may_set_out_from_a_crowded_rack_but_not_stay_there():
    mending = of(Move(T0, 0, 1), before=(0, 2), brokers=RACKED)
    assert list(rack_spread_in_plan(mending)) == []
    staying = of(Move(T0, 0, 4), before=(0, 2), brokers=(*RACKED, Broker(4, "a")))
    assert [found.subject for found in rack_spread_in_plan(staying)] == ["t-0"]


def test_brokers_that_go_may_hold_replicas_until_the_last_move():
    two_gone = of(Move(T0, 8, 0), Move(T0, 9, 1), before=(8, 9))
    assert list(plan_valid(two_gone)) == []
    (found,) = plan_valid(of(Move(T0, 8, 0), before=(8, 9)))
    assert found.facts["no such broker"] == [9]


def test_replicas_are_added_dropped_and_put_in_order():
    more = of(Move(T0, None, 2), Move(T0, None, 3), factor=4)
    assert list(plan_valid(more)) == []
    assert dict(more.after)[T0] == (0, 1, 2, 3)
    fewer = of(Move(T0, 0, None), Move(T0, order=(1,)), factor=1)
    assert list(plan_valid(fewer)) == []
    assert dict(of(Move(T0, order=(1, 0))).after)[T0] == (1, 0)
    (found,) = plan_valid(of(Move(T0, 0, None), factor=2))
    assert found.facts["expected"] == 2


def test_an_order_that_changes_the_brokers_is_found():
    found = next(plan_valid(of(Move(T0, 0, 2, order=(2, 3)))))
    assert found.facts["but leads to"] == (2, 3)


def test_a_move_of_a_partition_that_is_nowhere_is_bad_input():
    with pytest.raises(InputError, match="the plan has no initial replicas of u-3"):
        list(of(Move(TopicPartition("u", 3), 0, 1)).states())


def test_more_copies_than_needed_are_found():
    detour = of(Move(T0, 0, 2), Move(T0, 2, 3), Move(T0, order=(1, 3)))
    assert list(plan_minimal(detour, 2)) == []
    (found,) = plan_minimal(detour, 1)
    assert found.facts == {"replicas copied": 2, "could be": 1}


def test_the_generator_reaches_its_situation_and_the_claims_are_registered():
    assert sum(has_many_moves(plan(Seeded(seed))) for seed in range(100)) > 10
    assert [found.id for found in situations_of(PLANNER)] == ["many-moves"]
    registered = {claim_id for kind, claim_id in load_claims() if kind == PLANNER}
    assert registered >= {"plan-valid", "plan-minimal", "replicas-distinct", "rack-spread", "total"}
