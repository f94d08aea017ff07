"""One level through hubs: every unit has an owner that may take it, at the least cost, and prices prove it."""

from __future__ import annotations

import random
from itertools import product

import pytest

from kassay.solver.algorithms import bulk_flow
from kassay.solver.algorithms.levels import Level
from kassay.solver.check.balance import ORDERS
from kassay.solver.groups import hub
from kassay.solver.groups.hub import Hubs, UnitClass, assign_level, level_bands, mismatch
from kassay.solver.groups.optimum import best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer


def _cost(moved: int, wrong: int) -> int:
    return 10 * moved + wrong


def _case(rng: random.Random) -> tuple[Level, list[str | None], list[tuple[int, ...]], list[UnitClass]]:
    """Members who may all take everything, so that any level can be met; units alone and in pairs."""
    members = rng.randint(1, 3)
    units = rng.randint(1, 5)
    racks = [rng.choice(("a", "b", None)) for _ in range(members)]
    classes = []
    for unit in range(units):
        kept = tuple((m, 1) for m in range(members) if rng.random() < 0.4)
        known = rng.choice(((), (frozenset("a"),), (frozenset("b"), frozenset("ab"))))
        classes.append(UnitClass(0, kept, sum(had for _, had in kept), known, (unit,)))
    everybody = tuple(range(members))
    return Level(everybody, *divmod(units, members)), racks, [everybody], classes


def test_a_level_is_assigned_at_the_least_cost_and_its_prices_prove_it() -> None:
    rng = random.Random(61)
    for _ in range(120):
        level, racks, takers, classes = _case(rng)
        owner = [-1] * len(classes)
        prices = assign_level(Hubs(level.members, level_bands(level), racks, takers, _cost), classes, owner)

        def of(each: UnitClass, m: int, racks: list[str | None] = racks) -> int:
            return _cost(each.owned - dict(each.kept).get(m, 0), mismatch(each.racks, racks[m]))

        def paid(owners: tuple[int, ...], classes: list[UnitClass] = classes) -> int:
            return sum(of(each, m) for each, m in zip(classes, owners, strict=True))

        wanted = sorted([level.low + 1] * level.high + [level.low] * (len(level.members) - level.high))
        able = [
            owners
            for owners in product(level.members, repeat=len(classes))
            if sorted(owners.count(m) for m in level.members) == wanted
        ]
        assert tuple(owner) in able
        assert paid(tuple(owner)) == min(map(paid, able))
        assert min(prices.values()) >= 0
        for each, m in zip(classes, owner, strict=True):
            assert of(each, m) + prices[m] == min(of(each, other) + prices[other] for other in level.members)
        full = [prices[m] for m in level.members if owner.count(m) > level.low]
        light = [prices[m] for m in level.members if owner.count(m) == level.low]
        assert not full or not light or min(full) >= max(light)


def test_a_mismatch_is_a_partition_without_a_replica_in_the_rack() -> None:
    racks = (frozenset("ab"), frozenset("b"))
    assert [mismatch(racks, rack) for rack in ("a", "b", "c", None)] == [1, 0, 2, 2]
    assert mismatch((), "a") == 0


@pytest.mark.parametrize("order", ORDERS)
def test_either_engine_and_blocks_or_none_give_the_same_figures(
    order: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The independent checker accepts each of them: an optimum that it refuses is none."""
    pytest.importorskip("ortools")
    drawn = 0
    for shape, seed in product(("nested", "groups", "random", "racks", "copart", "shuffle"), range(4)):
        topics = 2 if shape == "copart" else None
        document = consumer(shape, seed, members=4 + 3 * seed, partitions=20 + 12 * seed, topics=topics)
        problem = Problem.parse(document)
        figures, networks = set(), set()
        for enough, worth in ((0, 0), (0, 10_000), (10_000, 0), (10_000, 10_000)):
            monkeypatch.setattr(bulk_flow, "ENOUGH", enough)
            monkeypatch.setattr(hub, "_WORTH", worth)
            best = best_assignment(problem, order)
            figures.add((best.loads, best.moved, best.rack_mismatch))
            networks.add(tuple(best.owners.values()))
        assert len(figures) == 1
        drawn += len(networks) > 1
    assert drawn > 3  # the engines do choose among optima, each in its own way
