"""The certified best for placers agrees with trying everything."""

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kassay.kinds.placement.oracle import best_of_placement
from kassay.model.cluster import Broker
from kassay.model.placement.request import PlacementRequest, PlacementStep
from kassay.properties.placement.scenarios import request
from kassay.properties.sources import Drawn
from tests.properties.placement.test_balance import TINY, best


@settings(max_examples=60, deadline=None)
@given(asked=st.composite(lambda draw: request(Drawn(draw), TINY))())
def test_the_oracle_finds_what_trying_everything_finds(asked):
    assume(asked.partitions <= 3 and not asked.has_partial_racks)
    found, tried = best_of_placement(PlacementStep(asked, ())), best(asked)
    for ours, theirs in ((found.replicas, tried.replicas), (found.leaders, tried.leaders)):
        assert sum(load * load for load in ours) == sum(load * load for load in theirs)


def test_the_oracle_says_nothing_where_nothing_can_be_placed():
    for brokers, factor in (((Broker(0), Broker(1, "a")), 1), ((Broker(0),), 2)):
        assert best_of_placement(PlacementStep(PlacementRequest(1, factor, brokers), ())) is None
