"""CP-SAT as a second opinion on packings: in a process of its own, and not needed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kassay.solver.packing.engines import cpsat
from kassay.solver.packing.items import Packing
from tests.solver.packing import cases


@pytest.mark.skipif(not cpsat.available(), reason="needs the extra cpsat")
@pytest.mark.slow
def test_cpsat_finds_the_best_in_a_process_of_its_own() -> None:
    rng = random.Random(4)
    for _ in range(4):
        case = cases.weighted(rng)
        packing, hint = cases.packed(rng, case)
        owner = cpsat.pack(packing, hint, 0, 60)
        assert owner is not None
        assert max(packing.loads(owner)) == min(heaviest for heaviest, *_ in cases.every(case))


def test_without_cpsat_there_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)
    packing = Packing.of(cases.large(7))
    assert cpsat.pack(packing, [0] * len(packing.items), 0, 60) is None


def test_nothing_to_pack_asks_nobody() -> None:
    unsendable: list[Any] = [object()]
    assert cpsat.pack(Packing.of(cases.Problem.parse(cases.one_topic([], 2))), unsendable, 0, 60) is None
