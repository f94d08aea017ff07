"""The branch of `AdminUtils` for brokers with racks."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.rack_aware import RackAware, rack_alternated
from kassay.model.cluster import Broker
from kassay.model.placement.request import PlacementRequest, place
from kassay.properties.placement.replicas import follower_spread
from kassay.properties.placement.scenarios import EVEN_RACKS, UNEVEN_RACKS, PlacementProfile, request
from kassay.properties.sources import Drawn
from tests.assignors.placement.placed import SIX, placed

RACKED = PlacementProfile(racks=(EVEN_RACKS, UNEVEN_RACKS), existing=False, too_few_brokers=False)


def test_the_documented_table_of_six_brokers_in_three_racks():
    assert rack_alternated({b.broker_id: b.rack for b in SIX}) == [0, 3, 1, 5, 4, 2]
    assert placed(RackAware, SIX, 7, 3) == (
        (0, 3, 1),
        (3, 1, 5),
        (1, 5, 4),
        (5, 4, 2),
        (4, 2, 0),
        (2, 0, 3),
        (0, 4, 2),
    )


def test_the_documented_list_of_nine_brokers_in_three_racks():
    assert rack_alternated({i: f"rack{i // 3 + 1}" for i in range(9)}) == [0, 3, 6, 1, 4, 7, 2, 5, 8]


def test_racks_come_in_javas_order_of_their_names():
    """U+1F600 is two surrogates in UTF-16 and comes before U+FF5E, which Python puts first."""
    assert rack_alternated({0: "～", 1: "\U0001f600"}) == [1, 0]


@given(st.composite(lambda draw: request(Drawn(draw), RACKED))(), st.integers(0, 99))
def test_with_as_many_racks_as_replicas_no_rack_has_two_and_with_fewer_each_has_one(asked, seed):
    racks = {broker.broker_id: broker.rack for broker in asked.brokers}
    for row in place(RackAware, asked, seed).placed:
        held = Counter(racks[broker] for broker in row)
        assert len(held) == min(asked.replication_factor, len(set(racks.values())))


def test_with_more_replicas_than_racks_a_rack_may_be_crowded():
    """Two racks, four replicas: three in one rack although two in each would do."""
    brokers = [Broker(i, "rack0" if i in (0, 2, 4) else "rack1") for i in range(5)]
    rows = placed(RackAware, brokers, 24, 4, start=1)
    racks = {broker.broker_id: broker.rack for broker in brokers}
    assert max(Counter(racks[b] for b in row)["rack0"] for row in rows) == 3


def test_with_one_broker_more_than_racks_a_leader_keeps_its_followers():
    """The distance grows by the number of racks, which is a full turn of the other brokers."""
    brokers = (Broker(0, "a"), Broker(1, "a"), Broker(2, "b"))
    step = place(RackAware, PlacementRequest(12, 2, brokers, fixed_start_index=0))
    (found,) = [one for one in follower_spread(step) if one.subject == "broker 2"]
    assert found.facts["leads"] == 4
