"""Few moves under a limit: mostly as few as any packing within it has."""

from __future__ import annotations

import random
import time

from kassay.solver.packing.items import Packing
from kassay.solver.packing.shedding import shed
from tests.solver.packing import cases


def test_the_limit_is_kept_with_the_fewest_moves_in_most_cases() -> None:
    rng = random.Random(13)
    late = time.monotonic() + 60
    met = 0
    for _ in range(120):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        every = cases.values(case)
        limit = rng.choice(every)[0][0]
        least = min(moves for loads, moves, _ in every if loads[0] <= limit)
        owner = shed(packing, limit, late)
        assert all(member in item.able for item, member in zip(packing.items, owner, strict=True))
        met += max(packing.loads(owner)) <= limit and packing.moved(owner) == least
    assert met > 80


def test_the_largest_leave_first_and_no_more_than_must() -> None:
    case = cases.one_topic([9, 5, 4, 2, 1], 2)
    case["members"][0]["owned"] = [["t", p] for p in range(5)]
    packing = Packing.of(cases.Problem.parse(case))
    owner = shed(packing, 16, time.monotonic() + 60)
    assert packing.moved(owner) == 1
    assert packing.loads(owner) == [16, 5]
