"""The checker's own enumeration misses no packing that counts, and refuses what is too much."""

from __future__ import annotations

import random

import pytest

from kassay.solver.check.consumers import pose
from kassay.solver.check.packing.enumeration import Complete, Scales, complete
from kassay.solver.check.packing.units import PackedUnits, read_packing
from kassay.solver.check.refusal import RefusedError
from tests.solver.packing import cases


def packed_units(rng: random.Random, case: cases.Document) -> PackedUnits:
    """The units of a document on some members, as the checker reads them."""
    packing, owner = cases.packed(rng, case)
    problem = packing.problem
    certificate = {
        "assignment": problem.partitions_by_member(problem.owners_by_topic(owner)),
        "rack_mismatch": packing.mismatched(owner),
    }
    before = {(t, p): m for t, row in problem.previous.items() for p, m in enumerate(row) if m >= 0}
    rows = problem.owners_by_topic(owner)
    moved = sum(rows[t][p] != m for (t, p), m in before.items() if t in rows)
    return read_packing(pose(problem.document()).form, certificate | {"moved": moved}, weighted=True)


def test_all_loads_are_there_with_their_least_cost() -> None:
    rng = random.Random(31)
    for _ in range(80):
        case = cases.any_case(rng)
        packed, every = packed_units(rng, case), cases.values(case)
        most, budget = rng.choice(every)[0], rng.choice((None, 2))
        scales = rng.choice((Scales(100, 1), Scales(1, 10**9)))
        if budget is not None:
            scales = Scales(100, 1)
        least: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for loads, moves, wrong in every:
            if loads <= most and (budget is None or moves <= budget):
                cost = (scales.move * moves + scales.wrong * wrong, moves, wrong)
                least[tuple(loads)] = min(cost, least.get(tuple(loads), cost))
        found: dict[tuple[int, ...], tuple[int, int, int]] = {}
        for each in complete(packed, most, scales, budget):
            cost = (scales.move * each.moves + scales.wrong * each.mismatches, *each[1:])
            found[each.loads] = min(cost, found.get(each.loads, cost))
        assert found == least


def test_too_much_work_is_refused() -> None:
    rng = random.Random(1)
    packed = packed_units(rng, cases.large(1, 12, 60).document())
    with pytest.raises(RefusedError, match="too many packings"):
        complete(packed, [10**6] * 12, Scales(1, 1), None)
    with pytest.raises(RefusedError, match="too many units"):
        complete(packed_units(rng, cases.large(1, 1, 65).document()), [10**6], Scales(1, 1), None)


def test_nothing_to_place_is_one_packing() -> None:
    packed = packed_units(random.Random(1), cases.one_topic([], 2))
    assert complete(packed, [0, 0], Scales(1, 1), 0) == [Complete((0, 0), 0, 0)]
