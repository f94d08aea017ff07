"""Placements within a budget: what forged certificates get accepted is true all the same."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from typing import Any

import pytest

from kassay.solver.check.check import Outcome, check_certificate, pose, require_accepted
from kassay.solver.check.kinds import placement_within_budget
from kassay.solver.check.shapes import RefusedError, fit
from kassay.solver.placement.optimum import best_placement
from kassay.solver.placement.problem import InfeasiblePlacementError, PlacementProblem
from kassay.solver.placement.results import placement_certificate, solve_within
from tests.solver.placement import cases
from tests.solver.placement.test_within import crowded

Document = dict[str, Any]


def worths(case: Document, costs: list[int]) -> list[tuple[int, int]]:
    """The imbalance and the cost of every valid placement."""
    rows = list(cases.partitions(case))
    total = sum(rf for rf, _ in rows)
    every = []
    for choice in itertools.product(*(cases.valid_rows(case, rf) for rf, _ in rows)):
        counts = Counter(broker for row in choice for broker in row)
        copied = zip(choice, rows, costs, strict=True)
        cost = sum(each * len(set(new) - set(old)) for new, (_, old), each in copied)
        every.append((cases.imbalance(case, counts, total), cost))
    return every


def costs_of(instance: Document) -> list[int]:
    """The cost of a copy of each partition."""
    rows = (topic.get("copy_costs") or [1] * topic["partitions"] for topic in instance["topics"])
    return [cost for row in rows for cost in row]


def forged(certificate: Document, rng: random.Random) -> Document:
    """The certificate with one thing changed."""
    forgery = copy.deepcopy(certificate)
    match rng.randrange(6):
        case 0:
            forgery["budget"] = max(0, forgery["budget"] + rng.choice((-2, -1, 1, 2)))
        case 1:
            forgery["scales"] = [rng.randint(1, 40), rng.randint(0, 400)]
        case 2:
            place = rng.randrange(len(forgery["prices"]))
            forgery["prices"][place] += rng.choice((-9, -1, 1, 9)) * rng.choice((1, forgery["scales"][0]))
        case 3:
            costs = costs_of(forgery["instance"])
            costs[rng.randrange(len(costs))] = rng.randint(0, 3)
            forgery["instance"]["topics"][0]["copy_costs"] = costs
        case 4:
            row = rng.choice(forgery["assignment"]["t"])
            row[rng.randrange(len(row))] = rng.choice(forgery["instance"]["brokers"])["id"]
        case _:
            rng.shuffle(rng.choice(forgery["assignment"]["t"]))
    return forgery


def held_against_all(case: Document, certificate: Document) -> bool:
    """Whether it is accepted; then every figure is true of all placements."""
    if not check_certificate(certificate).accepted:
        return False
    figures = require_accepted(certificate, "a forgery")
    same = len({host["share"] for host in case["brokers"]}) == 1
    scale = sum(host["share"] for host in case["brokers"])
    total = sum(rf for rf, _ in cases.partitions(case))

    def as_told(imbalance: int) -> int:
        """The sum of squares, where shares are equal, which the figures then have."""
        return (
            (imbalance // scale + total * total * case["brokers"][0]["share"]) // scale if same else imbalance
        )

    every = [
        (as_told(imbalance), cost) for imbalance, cost in worths(case, costs_of(certificate["instance"]))
    ]
    balance, cost = figures["goals"][:2]
    within = [each for each in every if each[1] <= certificate["budget"]]
    assert (balance["value"], cost["value"]) in within
    assert balance["bound"] <= min(within)[0]
    assert not balance["proven"] or balance["value"] == min(within)[0]
    assert cost["bound"] <= min(paid for worth, paid in within if worth <= balance["value"])
    return True


def accepted(seed: int, forgeries: int) -> Counter[bool]:
    """How many of so many forgeries are accepted, each with figures that are true of all placements."""
    rng, outcomes = random.Random(seed), Counter[bool]()
    while outcomes.total() < forgeries:
        case = crowded(rng)
        count = len(list(cases.partitions(case)))
        costs = None if rng.random() < 0.5 else [rng.randint(0, 4) for _ in range(count)]
        try:
            certificate = solve_within(PlacementProblem.parse(case), rng.randint(0, 4), costs).certificate
        except InfeasiblePlacementError:
            continue
        if certificate["schema"] != "kassay/placement-certificate/3":
            continue
        assert held_against_all(case, certificate)
        for _ in range(4):
            outcomes[held_against_all(case, forged(certificate, rng))] += 1
    return outcomes


def test_what_is_accepted_is_true() -> None:
    outcomes = accepted(10, 24)
    assert outcomes[True] > 10 and outcomes[False] > 0


@pytest.mark.slow
def test_of_more_forgeries_what_is_accepted_is_true() -> None:
    outcomes = accepted(9, 80)
    assert outcomes[True] > 30 and outcomes[False] > 3


def test_costs_of_copies_are_part_of_the_instance_and_named_with_the_budget() -> None:
    rng = random.Random(11)
    while True:
        case = crowded(rng)
        costs = [rng.randint(2, 4) for _ in cases.partitions(case)]
        try:
            certificate = solve_within(PlacementProblem.parse(case), 4, costs).certificate
        except InfeasiblePlacementError:
            continue
        if certificate["schema"] == "kassay/placement-certificate/3":
            break
    checked = check_certificate(certificate, pose(certificate["instance"]))
    assert checked.accepted and checked.question is not None
    assert (checked.question.budget, checked.question.costs["copy"]) == (4, "copy_costs")
    refused = check_certificate(certificate, pose(case))
    assert refused.outcome is Outcome.REFUSED and "the proof is for an instance" in refused.reason
    with pytest.raises(RefusedError, match="costs"):
        fit(placement_within_budget.KIND.shape, certificate | {"costs": [0] * len(costs)}, "")
    free = copy.deepcopy(certificate)
    free["instance"]["topics"][0]["copy_costs"] = [0]
    if len(costs) > 1:
        assert "copy_costs for" in check_certificate(free).reason


@pytest.mark.parametrize("schema", ["kassay/placement-certificate/1", "kassay/placement-certificate/2"])
def test_costs_of_copies_without_a_budget_are_refused(schema: str) -> None:
    rng = random.Random(12)
    certificate = placement_certificate(best_placement(PlacementProblem.parse(crowded(rng))))
    certificate["schema"] = schema
    certificate.pop("witness", None)
    assert check_certificate(certificate).accepted
    topic = certificate["instance"]["topics"][0]
    topic["copy_costs"] = [0] * topic["partitions"]
    checked = check_certificate(certificate)
    assert (checked.outcome, checked.reason) == (
        Outcome.REFUSED,
        f"a {schema} proves nothing of such an instance: what counts differs",
    )
