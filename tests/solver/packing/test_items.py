"""Partitions and bundles as items: what goes together, who may take it, what it costs."""

from __future__ import annotations

import random

import pytest

from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.items import Item, Packing
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
    item = Item(3, (0, 1, 2), stays=((0, 1), (2, 1)), claimed=2)
    assert [item.moved(member) for member in item.able] == [1, 2, 1]
    assert item.homes == (0, 2)
    assert Item(3, (0, 1), stays=((0, 2), (1, 1)), claimed=3).homes == (0,)
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
