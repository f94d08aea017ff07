"""Z3 brings packings to the lightest heaviest member of all."""

from __future__ import annotations

import random

from kassay.solver.packing.engines.z3 import narrow
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import longest_first
from tests.solver.packing import cases


def test_no_time_leaves_the_packing_as_it_was() -> None:
    packing = Packing.of(cases.large(7))
    owner = longest_first(packing)
    assert narrow(packing, owner, 1, 0) == owner


def test_a_packing_that_is_far_off_is_brought_to_the_best() -> None:
    rng = random.Random(5)
    for _ in range(20):
        case = cases.weighted(rng)
        packing, worst = cases.packed(rng, case)
        owner = narrow(packing, worst, 0, 60)
        assert max(packing.loads(owner)) == min(heaviest for heaviest, *_ in cases.every(case))
        assert all(member in item.able for item, member in zip(packing.items, owner, strict=True))
