"""Steps go as far as the loads are the least, and never further."""

from __future__ import annotations

import random
import time

from kassay.solver.packing.items import Packing
from kassay.solver.packing.steps import BY_COUNT, BY_MEAN, LoadProof
from tests.solver.packing import cases


def test_steps_never_prove_loads_that_some_packing_undercuts() -> None:
    rng = random.Random(17)
    late = time.monotonic() + 60
    complete = 0
    for _ in range(120):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        budget = rng.choice((None, None, 2))
        allowed = [v for v in cases.values(case) if budget is None or v[1] <= budget]
        if not allowed:
            continue
        loads = rng.choice(allowed)[0]
        best = min(v[0] for v in allowed)
        steps = LoadProof(packing, budget, late).steps(loads)
        for step in steps:
            assert best >= [*loads[: step.position - 1], step.bound]
        proven = steps[-1].position if steps and loads[steps[-1].position - 1] == steps[-1].bound else 0
        if not any(loads[proven:]):
            assert loads == best
            complete += 1
    assert complete > 30


def test_a_mean_a_count_and_a_grain_each_prove_what_the_others_do_not() -> None:
    def heaviest(weights: list[int], members: int) -> tuple[int, str, int]:
        packing = Packing.of(cases.Problem.parse(cases.one_topic(weights, members)))
        step = LoadProof(packing, None, time.monotonic() + 60).heaviest()
        assert step is not None
        return step.bound, step.by, step.grain

    assert heaviest([3, 3, 2, 2], 2) == (5, BY_MEAN, 1)
    assert heaviest([7, 6, 5], 2)[:2] == (11, BY_COUNT)
    assert heaviest([9, 1, 1], 3)[:2] == (9, BY_COUNT)
    assert heaviest([6, 6, 6, 6, 1], 2) == (13, BY_MEAN, 1)
    # Only one of three members can have anything but a multiple of 4.
    assert heaviest([4] * 6 + [1], 3)[0] == 9


def test_nothing_that_weighs_anything_needs_no_step() -> None:
    packing = Packing.of(cases.Problem.parse(cases.one_topic([0, 0], 2)))
    assert LoadProof(packing, None, time.monotonic() + 60).heaviest() is None
    assert LoadProof(packing, None, time.monotonic() + 60).steps([0, 0]) == ()
