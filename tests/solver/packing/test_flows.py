"""Items that weigh the same: flows find the best loads within a budget, and leave proofs behind.

Bundles of few sizes are packed in turns: no worse than longest first, and near the best of all.
"""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from kassay.solver.packing import flows
from kassay.solver.packing.flows import Flows, Within, packed_by_weight
from kassay.solver.packing.items import Terms
from kassay.solver.packing.search import at_home, longest_first
from tests.solver.packing import cases


def _even(rng: random.Random) -> dict[str, Any]:
    while True:
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        if packing.even and packing.items:
            return case


def test_the_loads_are_the_best_within_the_budget() -> None:
    rng = random.Random(5)
    late = time.monotonic() + 60
    for _ in range(80):
        case = _even(rng)
        packing, _ = cases.packed(rng, case)
        start = longest_first(packing, at_home(packing))
        budget = rng.choice((None, packing.moved(start) + rng.choice((0, 1, 2, 60))))
        found = Flows(packing, late).lexicographic(start, budget)
        allowed = [v for v in cases.values(case) if budget is None or v[1] <= budget]
        assert found.loads == min(loads for loads, _, _ in allowed)
        assert found.steps[-1].position == sum(load > 0 for load in found.loads)
        assert [step.bound for step in found.steps] == sorted({*found.loads} - {0}, reverse=True)


def test_the_cheapest_within_limits_is_that_of_all_and_its_members_are_crowded_otherwise() -> None:
    rng = random.Random(6)
    late = time.monotonic() + 60
    crowded = 0
    for _ in range(80):
        case = _even(rng)
        packing, _ = cases.packed(rng, case)
        limits = sorted(
            (rng.randint(0, 4) * packing.weights[0] for _ in range(packing.members)), reverse=True
        )
        within = [v for v in cases.values(case) if all(a <= b for a, b in zip(v[0], limits, strict=True))]
        flow = Flows(packing, late).cheapest(limits, 100, 1)
        assert bool(within) is not bool(flow.crowded)
        if within:
            loads, moves, wrong = cases.value_of(packing, flow.owner)
            assert all(a <= b for a, b in zip(loads, limits, strict=True))
            assert 100 * moves + wrong == min(100 * m + w for _, m, w in within)
        else:
            crowded += 1
            own = sum(item.weight for item in packing.items if set(item.able) <= set(flow.crowded))
            assert own > sum(limits[: len(flow.crowded)])
    assert 10 < crowded < 70


def test_without_time_the_packing_stays_as_it_was() -> None:
    rng = random.Random(7)
    packing, _ = cases.packed(rng, _even(rng))
    start = longest_first(packing, at_home(packing))
    found = Flows(packing, time.monotonic() - 1).lexicographic(start, 0)
    assert (list(found.owner), found.steps, found.late) == (start, (), True)


def test_after_the_deadline_no_network_is_laid_out(monkeypatch: pytest.MonkeyPatch) -> None:
    packing, _ = cases.packed(random.Random(7), _even(random.Random(7)))
    late = Flows(packing, time.monotonic() - 1)
    monkeypatch.setattr(flows, "Hubs", None)
    limits = [sum(packing.weights)] * packing.members
    assert late.cheapest(limits, 1, 1) == Within((), (), ())
    assert late.racks_within(limits, 0)[0] == Within((), (), ())


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
