"""Searches of placers and tasks: changed cases keep their size, and bounds are bounds."""

import random

import pytest

from kassay.certify.hunts.searches import SEARCHES
from kassay.certify.kinds.registry import driver_for
from kassay.model.kinds import Kind


@pytest.mark.parametrize("kind", SEARCHES)
def test_cases_are_widened_to_the_size_and_keep_it(kind):
    search, driver, rng = SEARCHES[kind], driver_for(kind), random.Random(7)
    case = search.widened(next(iter(search.small((2, 2)))), (4, 6))
    for _ in range(200):
        counts = driver.counts(case)
        assert (counts["members"], counts["partitions"]) == (4, 6)
        case = search.changed(case, rng)


@pytest.mark.parametrize("kind", SEARCHES)
def test_every_measure_has_a_claim_and_a_meaning(kind):
    assert list(SEARCHES[kind].claims) == list(SEARCHES[kind].meanings)


def test_the_bounds_of_placers():
    bound = SEARCHES[Kind.PLACER].bound
    assert (bound("spread", (3, 4)), bound("leaders", (1, 4))) == (4, 0)
    # Two replicas of each of two partitions on the same two of four brokers: 8 where 4 is the least.
    assert bound("gap", (4, 2)) == 4
    assert SEARCHES[Kind.STREAMS].bound("rounds", (2, 2)) is None
