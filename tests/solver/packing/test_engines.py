"""Other solvers are asked where there is time, and only a packing is taken from them.

CP-SAT as a second opinion on packings: in a process of its own, and not needed.

Z3 brings packings to the lightest heaviest member of all.
"""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from kassay.solver.packing import engines
from kassay.solver.packing.engines import other_packing, z3_packing
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import longest_first
from tests.solver.packing import cases


def test_z3_is_asked_of_small_packings_and_nobody_without_time_or_leave() -> None:
    rng = random.Random(8)
    case = cases.one_topic([7, 5, 4, 4, 3], 2)
    packing, _ = cases.packed(rng, case)
    worst = [0] * len(packing.items)
    late = time.monotonic() + 60
    assert other_packing(packing, worst, 0, "own", late) == worst
    assert other_packing(packing, worst, 0, "auto", time.monotonic() - 1) == worst
    for engine in ("z3", "auto"):
        assert max(packing.loads(other_packing(packing, worst, 0, engine, late))) == 12


def test_without_cp_sat_the_packing_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "cpsat_available", lambda: False)
    packing, _ = cases.packed(random.Random(1), cases.one_topic([3, 2, 1], 2))
    assert other_packing(packing, [0, 0, 0], 0, "cpsat", time.monotonic() + 60) == [0, 0, 0]


@pytest.mark.skipif(not engines.cpsat_available(), reason="needs the extra cpsat")
@pytest.mark.slow
def test_cpsat_finds_the_best_in_a_process_of_its_own() -> None:
    rng = random.Random(4)
    for _ in range(4):
        case = cases.weighted(rng)
        packing, hint = cases.packed(rng, case)
        owner = engines.cpsat_packing(packing, hint, 0, 60)
        assert owner is not None
        assert max(packing.loads(owner)) == min(heaviest for heaviest, *_ in cases.every(case))


def test_without_cpsat_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "cpsat_available", lambda: False)
    packing = Packing.of(cases.large(7))
    assert engines.cpsat_packing(packing, [0] * len(packing.items), 0, 60) is None


def test_nothing_to_pack_asks_nobody() -> None:
    unsendable: list[Any] = [object()]
    assert (
        engines.cpsat_packing(Packing.of(cases.Problem.parse(cases.one_topic([], 2))), unsendable, 0, 60)
        is None
    )


def test_no_time_leaves_the_packing_as_it_was() -> None:
    packing = Packing.of(cases.large(7))
    owner = longest_first(packing)
    assert z3_packing(packing, owner, 1, 0) == owner


def test_a_packing_that_is_far_off_is_brought_to_the_best() -> None:
    rng = random.Random(5)
    for _ in range(20):
        case = cases.weighted(rng)
        packing, worst = cases.packed(rng, case)
        owner = z3_packing(packing, worst, 0, 60)
        assert max(packing.loads(owner)) == min(heaviest for heaviest, *_ in cases.every(case))
        assert all(member in item.able for item, member in zip(packing.items, owner, strict=True))
