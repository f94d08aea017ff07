"""Bounds on placements: those of a spent limit hold, and tight prices prove the optimum here too."""

from __future__ import annotations

import random
from collections import Counter

from kassay.model.errors import KassayError
from kassay.solver.check.check import check_certificate
from kassay.solver.instances.brokers_and_tasks import placement
from kassay.solver.instances.families import Wanted, solve_document
from tests.solver.placement import cases


def test_the_prices_of_an_optimum_prove_every_goal() -> None:
    rng, accepted = random.Random(6), 0
    while accepted < 60:
        try:
            result = solve_document(cases.small(rng))
        except KassayError:
            continue
        certificate = {k: v for k, v in result["certificate"].items() if k != "witness"}
        checked = check_certificate(certificate | {"schema": "kassay/placement-certificate/2"})
        assert checked.accepted
        assert checked.reason == "optimal: every goal is at its bound"
        accepted += 1


def test_a_spent_limit_bounds_every_goal_of_a_larger_placement() -> None:
    statuses = Counter[str]()
    for shape in ("create", "add", "remove", "rack_skew", "weighted"):
        document = placement(shape, 2, brokers=9, partitions=60)
        spent, best = solve_document(document, Wanted(time_limit_s=0.0)), solve_document(document)
        assert check_certificate(spent).accepted
        assert spent["goals"][0]["bound"] <= best["goals"][0]["value"] <= spent["goals"][0]["value"]
        assert best["status"] == "optimal"
        statuses[spent["status"]] += 1
    assert statuses["interval"] > 2


def test_a_price_too_many_is_refused() -> None:
    result = solve_document(placement("add", 2, brokers=9, partitions=60), Wanted(time_limit_s=0.0))
    certificate = result["certificate"]
    refused = check_certificate(certificate | {"prices": [*certificate["prices"], 0]})
    assert not refused.accepted
