"""Placers: what loads can be at the most."""

from kassay.kinds.placement.search.placers import PlacerSearch


def test_the_bounds_of_placers():
    bound = PlacerSearch().bound
    assert (bound("spread", (3, 4)), bound("leaders", (1, 4))) == (4, 0)
    # Two replicas of each of two partitions on the same two of four brokers: 8 where 4 is the least.
    assert bound("gap", (4, 2)) == 4
