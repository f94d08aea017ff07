"""Searches of every kind: changed cases keep their size, and every measure is a claim."""

import random

import pytest
from kassay.certify.hunts.searches.registry import SEARCHES

from kassay.certify.hunts.worst import Badness
from kassay.kinds.registry import driver_for
from kassay.properties.promises import promise


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
    for badness, measure in SEARCHES[kind].measures.items():
        assert Badness(badness) and measure.meaning
        assert promise(measure.claim.format(3), kind)
