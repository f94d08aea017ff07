"""Z3 closes the small gaps of packings: to the best of all, and never past it."""

from __future__ import annotations

import random

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import longest_first
from kassay.solver.packing.weighted import pack_weighted
from kassay.solver.packing.z3 import narrow
from tests.solver.packing import cases


def test_z3_closes_every_small_gap() -> None:
    rng = random.Random(3)
    closed = 0
    for _ in range(150):
        case = cases.weighted(rng)
        own = pack_weighted(Problem.parse(case), engine="own")
        if own.optimal:
            continue
        best = min(heaviest for heaviest, *_ in cases.every(case))
        with_z3 = pack_weighted(Problem.parse(case), 20, "z3")
        assert with_z3.lower == with_z3.upper == best
        closed += 1
    assert closed > 4


def test_no_time_leaves_the_packing_and_the_bound_as_they_were() -> None:
    packing = Packing.of(cases.large(7))
    owner = longest_first(packing)
    assert narrow(packing, owner, 1, 0) == (owner, 1)


def test_a_packing_that_is_far_off_is_brought_to_the_best() -> None:
    rng = random.Random(5)
    for _ in range(20):
        case = cases.weighted(rng)
        packing, worst = cases.packed(rng, case)
        best = min(heaviest for heaviest, *_ in cases.every(case))
        owner, lower = narrow(packing, worst, 0, 20)
        assert lower == best == max(packing.loads(owner))
        assert all(member in item.able for item, member in zip(packing.items, owner, strict=True))
