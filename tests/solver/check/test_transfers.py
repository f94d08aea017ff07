"""The bound of transfers is never more than the moves of the best packing, whatever the prices."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from kassay.solver.check.check import check_certificate, pose
from kassay.solver.check.packing import SCALE, PackedUnits, read_packing
from kassay.solver.check.shapes import RefusedError
from kassay.solver.check.transfers import least_transfers
from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer
from kassay.solver.packing.items import Terms
from kassay.solver.packing.optimum import solve_packing


def instance(rng: random.Random) -> dict[str, Any]:
    """Two or three members and up to six partitions, most with an owner; some moves cost more."""
    ids = [f"m{i}" for i in range(rng.randint(2, 3))]
    count = rng.randint(2, 6)
    owned: dict[str, list[list[Any]]] = {id_: [] for id_ in ids}
    for partition in range(count):
        if rng.random() < 0.85:
            owned[rng.choice(ids)].append(["t", partition])
    weights = [rng.choice((0, 1, 2, 3, 7)) for _ in range(count)]
    costs = [rng.randint(0, 3) for _ in range(count)] if rng.random() < 0.5 else None
    return {
        "family": "A",
        "members": [{"id": id_, "topics": ["t"], "owned": owned[id_]} for id_ in ids],
        "topics": [{"name": "t", "partitions": count, "weights": weights, "move_costs": costs}],
    }


def packed_of(problem: Problem) -> PackedUnits:
    """The units, all on the first member."""
    form = pose(problem.document()).form
    numbers = list(range(problem.topics[0].partitions))
    moved = sum(owner > 0 for owner in problem.previous["t"])
    given = {
        member.member_id: {"t": numbers} if place == 0 else {} for place, member in enumerate(problem.members)
    }
    certificate = {"assignment": given, "moved": moved, "rack_mismatch": 0}
    return read_packing(form, certificate, weighted=True)


def least_of_all(packed: PackedUnits, loads: list[int]) -> int:
    """The least cost of moves of all packings with these sorted loads, by trying all."""
    best = None
    for owners in itertools.product(range(len(packed.ids)), repeat=len(packed.units)):
        weights = [0] * len(packed.ids)
        cost = 0
        for unit, owner in zip(packed.units, owners, strict=True):
            weights[owner] += unit.weight
            cost += unit.costs[0] if unit.had and unit.had[0] != owner else 0
        if sorted(weights, reverse=True) == loads and (best is None or cost < best):
            best = cost
    assert best is not None
    return best


def proof_of(rng: random.Random, packed: PackedUnits, loads: list[int]) -> dict[str, Any]:
    """Any prices."""
    sorts = {(unit.weight, unit.costs[0]) for unit in packed.units if unit.weight and unit.had}
    return {
        "sorts": [{"weight": w, "cost": c, "price": rng.randint(0, c * SCALE)} for w, c in sorted(sorts)],
        "loads": [{"load": load, "price": rng.randint(-SCALE, SCALE)} for load in sorted(set(loads))],
    }


@pytest.mark.parametrize("seed", range(150))
def test_no_prices_prove_more_than_the_best_packing_moves(seed: int) -> None:
    rng = random.Random(seed)
    packed = packed_of(Problem.parse(instance(rng)))
    loads = [0] * len(packed.ids)
    for unit in packed.units:
        loads[rng.randrange(len(loads))] += unit.weight
    loads.sort(reverse=True)
    true = least_of_all(packed, loads)
    for _ in range(4):
        assert least_transfers(packed, loads, proof_of(rng, packed, loads)) <= true


def certificate() -> dict[str, Any]:
    """A certificate with transfers."""
    problem = Problem.parse(consumer("weighted", 3, members=8, partitions=120))
    found: dict[str, Any] = dict(solve_packing(problem, Terms(), 60.0).certificate)
    assert "transfers" in found
    return found


@pytest.mark.slow
def test_a_proof_is_accepted_and_its_forgeries_are_not() -> None:
    whole = certificate()
    accepted = check_certificate(whole)
    assert accepted.outcome.value == "accepted", accepted.reason
    sorts = whole["transfers"]["sorts"]
    forged = {
        "above its cost": [{**sorts[0], "price": sorts[0]["cost"] * SCALE + 1}, *sorts[1:]],
        "a sort less": sorts[1:],
        "a sort twice": [*sorts, sorts[0]],
        "a sort that is none": [{**sorts[0], "weight": sorts[0]["weight"] + 10_000}, *sorts[1:]],
    }
    for name, rows in forged.items():
        refused = check_certificate({**whole, "transfers": {**whole["transfers"], "sorts": rows}})
        assert refused.outcome.value == "refused", name
    loads = whole["transfers"]["loads"]
    assert (
        check_certificate({**whole, "transfers": {**whole["transfers"], "loads": loads[1:]}}).outcome.value
        == "refused"
    )
    assert check_certificate({**whole, "steps": []}).outcome.value == "refused", "the loads are not proven"


def test_units_that_had_two_owners_have_no_transfers() -> None:
    packed = packed_of(Problem.parse(instance(random.Random(1))))
    shared = packed.units[0]._replace(had=[0, 1], costs=[1, 1])
    with pytest.raises(RefusedError, match="one previous owner"):
        least_transfers(packed._replace(units=[shared]), [0], {"sorts": [], "loads": []})


def test_amounts_that_are_too_many_are_refused() -> None:
    packed = packed_of(Problem.parse(instance(random.Random(1))))
    heavy = [
        unit._replace(weight=w, had=[0], costs=[1])
        for unit, w in zip(packed.units, (1 << 24, 1), strict=False)
    ]
    sorts = [{"weight": w, "cost": 1, "price": 0} for w in (1 << 24, 1)]
    loads = [(1 << 24) + 1, *[0] * (len(packed.ids) - 1)]
    rows = [{"load": load, "price": 0} for load in set(loads)]
    with pytest.raises(RefusedError, match="so many amounts"):
        least_transfers(packed._replace(units=heavy), loads, {"sorts": sorts, "loads": rows})
