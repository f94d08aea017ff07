"""The branch of `AdminUtils` for brokers without racks.

The laps of followers that both branches of `AdminUtils` share.
"""

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.rack_unaware import RackUnaware, follower_index
from kassay.model.cluster import Broker
from kassay.model.java import Recorded
from kassay.model.placement.request import PlacementRequest
from tests.assignors.placement.placed import SIX, bare, placed


def test_rack_unaware_does_not_look_at_racks():
    assert placed(RackUnaware, SIX, 7, 3) == placed(RackUnaware, bare(6), 7, 3)


def test_a_topic_whose_first_leader_is_gone_grows_from_the_next_broker():
    asked = PlacementRequest(1, 1, (Broker(1), Broker(4), Broker(7)), existing=((3,),))
    assert RackUnaware().place(asked, Recorded(())) == ((7,),)
    beyond = PlacementRequest(1, 1, (Broker(1), Broker(4)), existing=((9,),))
    assert RackUnaware().place(beyond, Recorded(())) == ((4,),)


@given(leader=st.integers(0, 8), shift=st.integers(0, 1000), size=st.integers(2, 9))
def test_followers_go_once_round_the_others(leader, shift, size):
    leader %= size
    indices = [follower_index(leader, shift, rank, size) for rank in range(size - 1)]
    assert sorted([leader, *indices]) == list(range(size))
