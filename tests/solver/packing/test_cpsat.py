"""CP-SAT as a second opinion on packings: in a process of its own, and not needed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing import cpsat
from kassay.solver.packing.items import Packing
from kassay.solver.packing.weighted import pack_weighted
from tests.solver.packing import cases


@pytest.mark.skipif(not cpsat.available(), reason="needs the extra cpsat")
@pytest.mark.slow
def test_cpsat_closes_small_gaps_in_a_process_of_its_own() -> None:
    rng = random.Random(4)
    closed = 0
    while closed < 4:
        case = cases.weighted(rng)
        if pack_weighted(Problem.parse(case), engine="own").optimal:
            continue
        packed = pack_weighted(Problem.parse(case), 10, "cpsat")
        assert packed.lower == packed.upper == min(heaviest for heaviest, *_ in cases.every(case))
        closed += 1


def test_without_cpsat_the_interval_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpsat, "available", lambda: False)
    packed = pack_weighted(cases.large(7), 1, "cpsat")
    assert packed.prover is None
    assert packed.lower == packed.bound.value


def test_nothing_to_pack_asks_nobody() -> None:
    unsendable: list[Any] = [object()]
    assert cpsat.pack(Packing.of(Problem.parse(cases.one_topic([], 2))), unsendable, 0, 1) is None
