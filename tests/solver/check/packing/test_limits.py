"""No step and no price proves what some packing refutes, whatever they say."""

from __future__ import annotations

import random

import pytest

from kassay.solver.check.packing.enumeration import Scales
from kassay.solver.check.packing.limits import bounds, least_paid, least_shed
from kassay.solver.check.packing.units import SCALE
from kassay.solver.check.refusal import RefusedError
from tests.solver.check.packing.test_enumeration import packed_units
from tests.solver.packing import cases


@pytest.mark.slow
def test_no_step_that_is_accepted_proves_what_is_not_so() -> None:
    rng = random.Random(61)
    accepted = refused = 0
    for _ in range(60):
        case = cases.any_case(rng)
        packed, every = packed_units(rng, case), cases.values(case)
        budget = rng.choice((None, None, 1, 3))
        allowed = [v[0] for v in every if budget is None or v[1] <= budget]
        if not allowed:
            continue
        loads, best = rng.choice(allowed), min(allowed)
        for _ in range(12):
            position = rng.randint(1, len(loads))
            step = {
                "position": position,
                "bound": max(0, loads[position - 1] - rng.choice((0, 0, 0, 1, 2))),
                "by": rng.choice(("mean", "count", "moves")),
                "members": rng.sample(packed.ids, rng.randint(1, len(loads))),
                "items": rng.randint(0, 4),
                "grain": rng.choice((1, 1, 2, 3)),
                "prices": [rng.choice((0, 0, SCALE, 2 * SCALE, SCALE // 2, -SCALE)) for _ in loads],
            }
            try:
                least = bounds(packed, loads, [step], budget)
            except RefusedError:
                refused += 1
                continue
            assert best >= least
            accepted += 1
    assert accepted > 12
    assert refused > 120


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ({"position": 3}, "no step for position 3"),
        ({"position": 2}, "nothing is proven of the loads before position 2"),
        ({"bound": 8}, "the load at position 1 is 7"),
        ({"members": ["x"]}, "not in the instance"),
        ({"by": "count"}, "items that are not there"),
        ({"by": "count", "items": 4}, "items that are not there"),
        ({"by": "count", "items": 1}, "there is room"),
        ({"by": "moves"}, "without a budget"),
        ({"members": ["m0"]}, "there is room"),
        ({"bound": 0}, "a load of 0 needs no step"),
    ],
)
def test_a_step_that_is_none_is_refused(step: dict[str, object], said: str) -> None:
    packed = packed_units(random.Random(1), cases.one_topic([7, 4, 1], 2))
    good = {"position": 1, "bound": 7, "by": "mean", "members": ["m0", "m1"], "items": 0, "grain": 1}
    good |= {"prices": []}
    # The heaviest limits are 6 and 6, where 12 fit; only a count shows that 7 does not.
    assert bounds(packed, [7, 5], [good | {"by": "count", "items": 1}], None) == [7]
    with pytest.raises(RefusedError, match=said):
        bounds(packed, [7, 5], [good | step] if step != {"by": "count", "items": 1} else [good], None)


def test_prices_and_what_must_leave_are_below_what_is_paid() -> None:
    rng = random.Random(62)
    for _ in range(60):
        case = cases.any_case(rng)
        packed, every = packed_units(rng, case), cases.values(case)
        exact = rng.choice(every)[0]
        prices = [rng.randint(-SCALE, SCALE) for _ in exact]
        scales = rng.choice((Scales(1, 0), Scales(9, 1), Scales(1, 9)))
        paid = min(scales.move * m + scales.wrong * w for loads, m, w in every if loads == exact)
        assert least_paid(packed, exact, scales, prices) <= paid
        limit = exact[0]
        within = [(m, w) for loads, m, w in every if loads[0] <= limit]
        even = [limit] * len(exact)
        least = least_paid(packed, even, scales, [abs(price) for price in prices])
        assert least <= min(scales.move * m + scales.wrong * w for m, w in within)
        assert least_shed(packed, limit) <= min(m for m, _ in within)
        if sum(even) > sum(exact):
            with pytest.raises(RefusedError, match="below 0"):
                least_paid(packed, even, scales, [-1] * len(exact))


def test_a_part_of_what_is_cheap_for_its_weight_is_all_that_must_leave() -> None:
    case = cases.one_topic([10, 1], 2)
    case["members"][0]["owned"] = [["t", 0], ["t", 1]]
    case["topics"][0]["move_costs"] = [10, 2]
    packed = packed_units(random.Random(1), case)
    assert [least_shed(packed, limit) for limit in (11, 10, 1, 0)] == [0, 1, 10, 12]
