"""Searches of every kind: changed cases keep their size, and every measure is a claim."""

import random

import pytest

from kassay.engines.hunts.worst import Badness
from kassay.kinds.registry import driver_for
from kassay.model.kinds import every_kind
from kassay.properties.claims import parse_claim

SEARCHES = {kind: search for kind in every_kind() if (search := driver_for(kind).search()) is not None}


@pytest.mark.parametrize("kind", SEARCHES, ids=str)
def test_cases_are_widened_to_the_size_and_keep_it(kind):
    search, driver, rng = SEARCHES[kind], driver_for(kind), random.Random(7)
    case = search.widened(next(iter(search.small((2, 2)))), (4, 6))
    for _ in range(200):
        counts = driver.counts(case)
        assert (counts["members"], counts["partitions"]) == (4, 6)
        case = search.changed(case, rng)


@pytest.mark.parametrize("kind", SEARCHES, ids=str)
def test_every_measure_has_a_claim_and_a_meaning(kind):
    for badness, measure in SEARCHES[kind].measures.items():
        assert Badness(badness) and measure.meaning
        assert parse_claim(measure.claim.format(3), kind)
