"""Z3 on the hubs: the optimum of the flow, prices of its own, and never an answer out of time."""

from __future__ import annotations

import time

import pytest

from kassay.solver.algorithms.levels import levels
from kassay.solver.check.balance import MOVEMENT_FIRST, ORDERS
from kassay.solver.check.check import check_certificate
from kassay.solver.groups.hub import aggregate
from kassay.solver.groups.optimum import NotPolynomialError, best_assignment
from kassay.solver.groups.problem import Problem
from kassay.solver.groups.results import optimum_certificate
from kassay.solver.groups.z3_optimum import milliseconds_left, z3_optimum, z3_prices
from kassay.solver.instances.groups import consumer
from kassay.solver.results import OutOfTimeError


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", ["shuffle", "groups", "racks", "leave"])
def test_it_is_the_optimum_of_the_flow_with_a_certificate_of_its_own(
    shape: str, order: tuple[str, ...]
) -> None:
    problem = Problem.parse(consumer(shape, 5, members=5, partitions=20))
    z3, flow = z3_optimum(problem, order), best_assignment(problem, order)
    assert (z3.loads, z3.moved, z3.rack_mismatch) == (flow.loads, flow.moved, flow.rack_mismatch)
    assert check_certificate(optimum_certificate(z3)).accepted


def test_owners_that_are_not_the_cheapest_have_no_prices() -> None:
    document = consumer("uniform", 0, members=2, partitions=4, topics=1)
    for member, numbers in zip(document["members"], ((0, 1), (2, 3)), strict=True):
        member["owned"] = [[document["topics"][0]["name"], number] for number in numbers]
    problem = Problem.parse(document)
    counted = aggregate(problem)
    by_weight = levels(2, counted.sets, counted.counts)
    assert z3_prices(problem, counted, by_weight, [0, 0, 1, 1], MOVEMENT_FIRST)
    with pytest.raises(AssertionError, match="no prices support these owners"):
        z3_prices(problem, counted, by_weight, [1, 0, 0, 1], MOVEMENT_FIRST)


def test_a_spent_limit_is_an_error_and_no_answer() -> None:
    problem = Problem.parse(consumer("shuffle", 1))
    with pytest.raises(OutOfTimeError, match="the time limit is spent"):
        z3_optimum(problem, time_limit=0)
    with pytest.raises(OutOfTimeError):
        milliseconds_left(time.monotonic() - 1)
    assert milliseconds_left(None) == (1 << 32) - 1
    assert 0 < milliseconds_left(time.monotonic() + 1000) <= 1_000_000


def test_what_is_not_polynomial_is_refused() -> None:
    with pytest.raises(NotPolynomialError):
        z3_optimum(Problem.parse(consumer("weighted", 1)))
