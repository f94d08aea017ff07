"""Other solvers are asked where there is time, and only a packing is taken from them."""

from __future__ import annotations

import random
import time

import pytest

from kassay.solver.packing.engines import cpsat
from kassay.solver.packing.engines.asking import other_packing
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
    monkeypatch.setattr(cpsat, "available", lambda: False)
    packing, _ = cases.packed(random.Random(1), cases.one_topic([3, 2, 1], 2))
    assert other_packing(packing, [0, 0, 0], 0, "cpsat", time.monotonic() + 60) == [0, 0, 0]
