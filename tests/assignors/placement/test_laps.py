"""The laps of followers that both branches of `AdminUtils` share."""

from hypothesis import given
from hypothesis import strategies as st

from kassay.assignors.placement.laps import follower_index


@given(leader=st.integers(0, 8), shift=st.integers(0, 1000), size=st.integers(2, 9))
def test_followers_go_once_round_the_others(leader, shift, size):
    leader %= size
    indices = [follower_index(leader, shift, rank, size) for rank in range(size - 1)]
    assert sorted([leader, *indices]) == list(range(size))
