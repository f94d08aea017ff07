"""The formula of replica placement is what Kafka's rule does, and no question assumes what cannot be."""

from __future__ import annotations

import pytest
import z3  # type: ignore[import-untyped]

from kassay.solver.proofs.obligation import Obligation
from kassay.solver.proofs.prove import chosen
from kassay.solver.proofs.replicas import _placed

NAMES = ["replicas-distinct", "replicas-beyond", "leaders-even"]


@pytest.mark.parametrize("each", chosen(NAMES), ids=lambda each: each.name)
def test_assumptions_can_be_met_so_that_nothing_is_proved_of_nothing(each: Obligation) -> None:
    solver = z3.Solver()
    solver.add(*each.ask().assumptions)
    assert solver.check() == z3.sat


@pytest.mark.parametrize("brokers", [2, 3, 5])
@pytest.mark.parametrize("rf", [2, 3, 4])
def test_replicas_are_distinct_exactly_up_to_the_number_of_brokers(brokers: int, rf: int) -> None:
    """The rule by hand: the first broker, then (first + 1 + (shift + j) mod (B - 1)) mod B."""
    distinct = all(
        len({first, *((first + 1 + (shift + j) % (brokers - 1)) % brokers for j in range(rf - 1))}) == rf
        for first in range(brokers)
        for shift in range(brokers)
    )
    question = _placed(z3.IntVal(rf), z3.IntVal(brokers))
    solver = z3.Solver()
    solver.add(*question.assumptions, z3.Int("shift") < brokers, z3.Not(question.goal))
    # One follower alone never meets another: the formula is about pairs.
    assert (solver.check() == z3.unsat) == (distinct or rf == 2)
