"""How many moves are needed: never more than some packing makes, whatever the prices."""

from __future__ import annotations

import random
import time

import pytest

from kassay.solver.packing.prices import SCALE, fewest_moves, moves_bound
from tests.solver.packing import cases


@pytest.mark.parametrize("make", [cases.weighted, cases.bundled])
def test_no_prices_ask_for_more_moves_than_are_needed(make: cases.Maker) -> None:
    rng = random.Random(41)
    late = time.monotonic() + 60
    needed = 0
    for _ in range(60):
        case = make(rng)
        packing, _ = cases.packed(rng, case)
        every = [(packing.loads(owner), packing.moved(owner)) for owner in cases.owners_of(packing)]
        loads, _ = rng.choice(every)
        low, top = min(loads), max(loads)
        fewest = min(moved for loads, moved in every if low <= min(loads) and max(loads) <= top)
        prices = [rng.randint(-SCALE, SCALE) for _ in range(packing.members)]
        assert moves_bound(packing, low, top, prices) <= fewest
        best = fewest_moves(packing, low, top, fewest, late)
        assert moves_bound(packing, low, top, best.prices) == best.moves <= fewest
        assert (best.low, best.top) == (low, top)
        needed += best.moves
    assert needed > 5
