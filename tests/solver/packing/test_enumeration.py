"""The enumeration finds the best of all packings, and gives up where there are too many."""

from __future__ import annotations

import random

from kassay.solver.packing.enumeration import best_of_all
from kassay.solver.packing.items import Packing
from kassay.solver.packing.search import at_home, longest_first
from kassay.solver.packing.terms import Terms
from tests.solver.packing import cases


def test_the_best_of_all_has_the_least_loads_and_the_least_cost_with_them() -> None:
    rng = random.Random(12)
    for _ in range(80):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        for terms in (Terms(), Terms(budget=10**9)):
            owner = best_of_all(packing, terms, longest_first(packing, at_home(packing)))
            assert owner is not None
            assert cases.value_of(packing, owner) == min(cases.values(case))


def test_members_that_nothing_tells_apart_do_not_multiply() -> None:
    packing, _ = cases.packed(random.Random(2), cases.one_topic([9, 7, 5, 4, 2, 1], 40))
    owner = best_of_all(packing, Terms(), longest_first(packing))
    assert owner is not None
    assert sorted(packing.loads(owner), reverse=True)[:7] == [9, 7, 5, 4, 2, 1, 0]


def test_too_many_packings_are_not_looked_at() -> None:
    packing = Packing.of(cases.large(1))
    assert best_of_all(packing, Terms(), longest_first(packing)) is None
