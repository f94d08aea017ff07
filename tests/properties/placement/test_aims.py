"""Aimed requests are in their situation, each time, and are ones that can be met."""

import pytest

from kassay.assignors.placement.optimal_plan import OptimalPlan
from kassay.model.placement.kinds import PLACER, PLANNER
from kassay.properties.placement.aims import PLACER_AIMS, aimed_plan_request, aimed_request
from kassay.properties.placement.answers import may_refuse
from kassay.properties.placement.scenarios import NO_RACKS, SMALL, PlacementProfile
from kassay.properties.registry import load_situations
from kassay.properties.sources import Seeded

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
