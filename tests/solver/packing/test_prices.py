"""What is paid at the least: never more than some packing within the limits pays, whatever the prices."""

from __future__ import annotations

import random
import time

from kassay.solver.packing.prices import SCALE, cheapest_moves, cost_bound
from tests.solver.packing import cases


def test_no_prices_ask_for_more_than_some_packing_pays() -> None:
    rng = random.Random(41)
    late = time.monotonic() + 60
    needed = 0
    for _ in range(80):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        every = cases.values(case)
        limits, scales = rng.choice(every)[0], rng.choice(((1, 0), (9, 1), (1, 9)))
        within = [v for v in every if all(a <= b for a, b in zip(v[0], limits, strict=True))]
        least = min(scales[0] * moves + scales[1] * wrong for _, moves, wrong in within)
        # The limits are just what there is, so that prices below 0 prove something as well.
        prices = [rng.randint(-SCALE, SCALE) for _ in range(packing.members)]
        assert cost_bound(packing, limits, scales, prices) <= least
        above = [limit + 1 for limit in limits]
        fewer = min(
            scales[0] * moves + scales[1] * wrong
            for loads, moves, wrong in every
            if all(a <= b for a, b in zip(loads, above, strict=True))
        )
        assert cost_bound(packing, above, scales, [abs(price) for price in prices]) <= fewer
        best = cheapest_moves(packing, limits, scales, least, late)
        assert cost_bound(packing, limits, scales, best.prices) == best.cost <= least
        needed += best.cost > 0
    assert needed > 15
