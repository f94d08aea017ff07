"""Partitions and bundles as items: what goes together, who may take it, what it costs.

What is asked of a packing: limits, costs in their order, and what nobody can be asked.
"""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from kassay.model.errors import InputError
from kassay.solver.check.balance import ORDERS, RACK_FIRST
from kassay.solver.groups.problem import Problem
from kassay.solver.packing.items import Item, Packing, Terms, parse_tolerance
from tests.solver.packing import cases


@pytest.mark.parametrize("make", [cases.weighted, cases.bundled])
def test_items_are_the_units_of_the_document(make: cases.Maker) -> None:
    rng = random.Random(31)
    for _ in range(60):
        case = make(rng)
        packing, owner = cases.packed(rng, case)
        units = [(tuple(able), weight) for _, able, weight in cases.units(case)]
        assert sorted((item.able, item.weight) for item in packing.items) == sorted(units)
        assert [packing.sets[position] for position in packing.set_of] == [i.able for i in packing.items]
        assert packing.weights == tuple(item.weight for item in packing.items)
        problem = packing.problem
        assignment = problem.partitions_by_member(problem.owners_by_topic(owner))
        heaviest, _, moved, mismatch = cases.value(case, cases.owners(case, assignment))
        assert max(packing.loads(owner)) == heaviest
        assert packing.moved(owner) == moved
        pairs = zip(packing.items, owner, strict=True)
        assert sum(packing.mismatch(item, member) for item, member in pairs) == mismatch


def test_homes_are_where_an_item_moves_least() -> None:
    item = Item(3, (0, 1, 2), stays=((0, 1), (2, 1)), owned=2)
    assert [item.moved(member) for member in item.able] == [1, 2, 1]
    assert item.homes == (0, 2)
    assert Item(3, (0, 1), stays=((0, 2), (1, 1)), owned=3).homes == (0,)
    assert Item(1, (0, 1)).homes == ()


def test_a_partition_whose_racks_are_not_known_is_at_home_everywhere() -> None:
    case = cases.one_topic([1, 2], 2)
    case["members"][0]["rack"] = "a"
    case["topics"][0]["racks"] = [[], ["a"]]
    packing = Packing.of(Problem.parse(case))
    assert [[packing.mismatch(item, member) for member in (0, 1)] for item in packing.items] == [
        [0, 0],
        [0, 1],
    ]


@pytest.mark.parametrize(("text", "share"), [("5%", Fraction(1, 20)), ("0.5 %", Fraction(1, 200)), ("0%", 0)])
def test_a_tolerance_is_a_percentage(text: str, share: Fraction) -> None:
    assert parse_tolerance(text) == share


@pytest.mark.parametrize("text", ["5", "-5%", "", "%", "nan%", "1e3%", "5%%", "\u0665%"])
def test_what_is_no_percentage_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="--tolerance: found"):
        parse_tolerance(text)


def test_the_limit_is_the_bound_and_what_is_tolerated_rounded_down() -> None:
    assert Terms(tolerance=Fraction(1, 20)).cap(39) == 40
    assert Terms(tolerance=Fraction(0)).cap(39) == 39
    assert Terms().cap(39) is None


@pytest.mark.slow
def test_one_number_for_both_costs_ranks_as_the_order_does() -> None:
    rng = random.Random(3)
    for _ in range(40):
        case = cases.any_case(rng)
        packing, _ = cases.packed(rng, case)
        for order in ORDERS:
            owners = list(cases.owners_of(packing))[:200]
            costs = [(cases.value_of(packing, owner)[1:], owner) for owner in owners]
            keys = [(c if order != RACK_FIRST else c[::-1]) for c, _ in costs]
            paid = [Terms(order).cost(packing, owner) for owner in owners]
            assert sorted(range(len(keys)), key=keys.__getitem__) == sorted(
                range(len(keys)), key=paid.__getitem__
            )


@pytest.mark.parametrize("terms", [Terms(budget=1, tolerance=Fraction(0))])
def test_what_does_not_go_together_is_refused(terms: Terms) -> None:
    packing, _ = cases.packed(random.Random(1), cases.one_topic([1, 2], 2))
    with pytest.raises(InputError, match="--budget"):
        terms.refuse_impossible(packing)
