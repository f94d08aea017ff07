"""Aimed requests are in their situation, each time, and are ones that can be met.

Requests to planners: well formed, the same for a seed, and of every sort.

The situations of placers are reached, and tell inputs apart.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.model.cluster import Broker
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.model.placement.request import PlacementRequest
from kassay.properties.placement.answers import may_refuse
from kassay.properties.placement.scenarios import (
    LARGE,
    NO_RACKS,
    PARTIAL_RACKS,
    PLACER_AIMS,
    SMALL,
    PlacementProfile,
    aimed_plan_request,
    aimed_request,
    brokers,
    plan_request,
    request,
)
from kassay.properties.registry import load_situations, situations_of
from kassay.properties.sources import Drawn, Seeded


@given(st.composite(lambda draw: request(Drawn(draw)))())
def test_requests_are_well_formed(asked):
    assert asked.partitions >= 1
    assert asked.replication_factor >= 1
    ids = [broker.broker_id for broker in asked.brokers]
    assert len(set(ids)) == len(ids) >= 1
    assert asked.unfenced
    for row in asked.existing:
        assert len(set(row)) == len(row) == asked.replication_factor
        assert set(row) <= set(ids)


def test_the_same_seed_gives_the_same_request():
    assert [request(Seeded(7)) for _ in range(2)] == [request(Seeded(7))] * 2


def test_a_profile_narrows_what_is_made():
    plain = PlacementProfile(racks=(PARTIAL_RACKS,), fenced=False, existing=False, too_few_brokers=False)
    for seed in range(100):
        asked = request(Seeded(seed), plain)
        assert any(broker.rack is None for broker in asked.brokers)
        assert not asked.existing
        assert asked.replication_factor <= len(asked.brokers) == len(asked.unfenced)
    assert max(len(brokers(Seeded(seed), LARGE)) for seed in range(200)) > 12


SEEDS = 60


@pytest.mark.parametrize("aim", sorted(PLACER_AIMS))
def test_every_request_is_in_its_situation_and_no_placer_may_refuse_it(aim):
    situation = load_situations()[PLACER, aim]
    asked = [aimed_request(Seeded(seed), SMALL, aim) for seed in range(SEEDS)]
    assert all(situation.reached(request) for request in asked)
    assert not any(may_refuse(request) for request in asked)
    assert len(set(asked)) > SEEDS // 2


def test_where_racks_are_assumed_away_there_are_none():
    plain = PlacementProfile(racks=(NO_RACKS,))
    asked = [aimed_request(Seeded(seed), plain, "fenced") for seed in range(SEEDS)]
    assert all(broker.rack is None for request in asked for broker in request.brokers)


def test_several_replicas_of_a_partition_have_to_move():
    situation = load_situations()[PLANNER, "many-moves"]
    for seed in range(SEEDS // 3):
        assert situation.reached(OptimalPlan().plan(aimed_plan_request(Seeded(seed))))


@given(st.composite(lambda draw: plan_request(Drawn(draw)))())
def test_requests_are_well_formed_plan_scenarios(asked):
    ids = [broker.broker_id for broker in asked.brokers]
    assert len(set(ids)) == len(ids)
    assert 1 <= asked.replication_factor <= min(3, len(ids))
    assert len({tp for tp, _ in asked.before}) == len(asked.before) >= 1
    for _, row in asked.before:
        assert len(set(row)) == len(row) == asked.replication_factor
    topics = Counter(tp.topic for tp, _ in asked.before)
    assert set(topics) <= {"t0", "t1"}
    for name, count in topics.items():
        assert {tp.partition for tp, _ in asked.before if tp.topic == name} == set(range(count))


def test_brokers_come_and_go_and_change_their_rack():
    seen = Counter()
    for seed in range(300):
        asked = plan_request(Seeded(seed))
        assert asked == plan_request(Seeded(seed))
        ids = {broker.broker_id for broker in asked.brokers}
        held = {broker for _, row in asked.before for broker in row}
        seen["going"] += bool(held - ids)
        seen["new"] += bool(ids - held)
        seen["settled"] += held == ids
        seen["racks"] += len({broker.rack for broker in asked.brokers}) > 1
        seen["two topics"] += len({tp.topic for tp, _ in asked.before}) == 2
        assert not any(broker.fenced for broker in asked.brokers)
        assert len({broker.rack is None for broker in asked.brokers}) == 1
    assert min(seen.values()) > 30
    assert len(seen) == 5


def test_every_situation_and_every_kind_of_cluster_is_reached_often():
    asked = [request(Seeded(seed)) for seed in range(400)]
    reached = Counter(s.id for one in asked for s in situations_of(PLACER) if s.reached(one))
    assert set(reached) == {"uneven-racks", "fenced", "rf-near-brokers", "partitions-added"}
    assert min(reached.values()) >= 40
    kinds = Counter(
        "partial" if one.has_partial_racks else "racks" if one.has_racks else "none" for one in asked
    )
    assert min(kinds[kind] for kind in ("partial", "racks", "none")) >= 40
    assert sum(one.replication_factor > len(one.brokers) for one in asked) >= 15
    assert sum(one.partitions >= len(one.brokers) ** 2 for one in asked) >= 15


def test_the_situations_tell_inputs_apart():
    plain = PlacementRequest(1, 1, tuple(Broker(i, "ab"[i % 2]) for i in range(4)))
    assert not any(situation.reached(plain) for situation in situations_of(PLACER))
