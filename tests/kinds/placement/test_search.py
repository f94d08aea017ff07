"""Placers: what loads can be at the most.

Planners: rows of different brokers, as many as there are to be.
"""

import random

from kassay.kinds.placement.search import PlacerSearch, PlanSearch


def test_the_bounds_of_placers():
    bound = PlacerSearch().bound
    assert (bound("spread", (3, 4)), bound("leaders", (1, 4))) == (4, 0)
    # Two replicas of each of two partitions on the same two of four brokers: 8 where 4 is the least.
    assert bound("gap", (4, 2)) == 4


def test_replicas_before_stay_different_and_as_many():
    search, rng = PlanSearch(), random.Random(3)
    case = search.widened(next(search.small((2, 2))), (3, 5))
    for _ in range(60):
        case = search.changed(case, rng)
        assert {len(row) for _, row in case.before} == {case.replication_factor}
        assert all(len(set(row)) == len(row) for _, row in case.before)


def test_bounds_are_those_of_placers():
    assert PlanSearch().bound("gap", (4, 2)) == 4
    assert PlanSearch().bound("moves", (4, 2)) is None
