"""Bundles of few sizes are packed in turns: no worse than longest first, and near the best of all."""

from __future__ import annotations

import random
import time

from kassay.solver.packing.bundles import packed_by_weight
from kassay.solver.packing.search import longest_first
from kassay.solver.packing.terms import Terms
from tests.solver.packing import cases


def test_turns_end_no_worse_than_longest_first_and_mostly_at_the_best() -> None:
    rng = random.Random(21)
    late = time.monotonic() + 60
    best = 0
    for _ in range(60):
        case = cases.bundled(rng)
        packing, _ = cases.packed(rng, case)

        def squares(owner: list[int], packing: cases.Packing = packing) -> int:
            return sum(load * load for load in packing.loads(owner))

        owner = packed_by_weight(packing, Terms(), late)
        assert all(member in item.able for item, member in zip(packing.items, owner, strict=True))
        assert squares(owner) <= squares(longest_first(packing))
        best += squares(owner) == min(value for _, value, *_ in cases.every(case))
    assert best > 50


def test_without_time_there_is_a_packing_all_the_same() -> None:
    rng = random.Random(22)
    packing, _ = cases.packed(rng, cases.bundled(rng))
    assert len(packed_by_weight(packing, Terms(), time.monotonic() - 1)) == len(packing.items)
