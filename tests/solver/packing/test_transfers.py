"""Transfers: bounds that the checker proves again, and owners that have the loads with few moves."""

from __future__ import annotations

import time

import pytest

from kassay.solver.groups.problem import Problem
from kassay.solver.instances.groups import consumer
from kassay.solver.packing.items import Packing, Terms
from kassay.solver.packing.optimum import solve_packing
from kassay.solver.packing.transfers import Transfers


def weighted(members: int, partitions: int) -> Problem:
    return Problem.parse(consumer("weighted", 1, members=members, partitions=partitions))


@pytest.mark.slow
def test_of_many_weights_the_moves_are_within_a_hundredth_of_their_bound() -> None:
    """By prices on members alone 93 moves were proven, and 191 found."""
    figures = solve_packing(weighted(50, 2_000), Terms(), 120.0).figures
    balance, movement, _ = figures["goals"]
    assert balance["proven"]
    assert movement["bound"] >= 138
    assert movement["value"] <= 1.01 * movement["bound"]


def test_the_owners_have_nearly_the_loads() -> None:
    packing = Packing.of(weighted(12, 200))
    total, members = sum(packing.weights), packing.members
    loads = [total // members + (place < total % members) for place in range(members)]
    transfers = Transfers(packing, loads)
    proof = transfers.prove(10**6, time.monotonic() + 60)
    assert transfers.fits and proof is not None and proof.cost > 0
    owner = transfers.owners(proof, 1, time.monotonic() + 60)
    assert owner is not None
    assert max(packing.loads(owner)) - min(packing.loads(owner)) < 20
    assert packing.moved(owner) < 2 * proof.cost


def test_items_of_two_owners_and_new_ones_are_left_to_other_methods() -> None:
    document = consumer("weighted", 1, members=4, partitions=40)
    document["members"][0]["owned"] = []
    fresh = Transfers(Packing.of(Problem.parse(document)), [0] * 4)
    assert fresh.fits
    assert not fresh.goes_anywhere
    bundled = consumer("copart", 1, members=4, partitions=40)
    assert not Transfers(Packing.of(Problem.parse(bundled)), [0] * 4).fits
