"""The results of packings as JSON, and their certificates."""

from __future__ import annotations

from typing import Any, Final

from kassay.solver.check.check import require_accepted
from kassay.solver.consumers.optimum import Balanced, figures
from kassay.solver.consumers.problem import Problem
from kassay.solver.packing.flows import level_prices, level_steps
from kassay.solver.packing.items import Packing
from kassay.solver.packing.optimum import Packed, pack
from kassay.solver.packing.steps import LoadStep
from kassay.solver.packing.terms import Terms
from kassay.solver.results import Solved

SCHEMA: Final = "kassay/packing-certificate/1"
BOUND_RACKS_SCHEMA: Final = "kassay/packing-certificate/2"
"""The schema for a packing within a budget of moves, with racks first."""


def solve_packing(problem: Problem, terms: Terms, time_limit_s: float = 10.0, engine: str = "auto") -> Solved:
    """The best packing found for these terms; raises `CertificateError` if its proof is not accepted."""
    packed = pack(problem, terms, time_limit_s, engine)
    certificate = packing_certificate(problem, packed)
    return Solved(certificate, require_accepted(certificate, problem.name or "a packing"))


def solve_balanced(problem: Problem, order: tuple[str, ...], balanced: Balanced) -> Solved:
    """Balanced owners whose cost the time did not suffice to minimise; raises as `solve_packing` does."""
    certificate = packing_certificate(problem, packed_in_balance(problem, order, balanced))
    return Solved(certificate, require_accepted(certificate, problem.name or "a group"))


def packed_in_balance(problem: Problem, order: tuple[str, ...], balanced: Balanced) -> Packed:
    """The owners as a packing of a problem for the exact methods: loads proven, cost bounded."""
    packing, terms = Packing.of(problem), Terms(order)
    steps = level_steps(packing, balanced)
    return Packed(packing, terms, tuple(balanced.owner), False, steps, level_prices(packing, terms, balanced))


def packing_certificate(problem: Problem, packed: Packed) -> dict[str, Any]:
    """The input of the checker of packings: the instance, the terms, the packing and its proof."""
    packing, terms, owner = packed.packing, packed.terms, packed.owner
    ids = [member.member_id for member in problem.members]
    owners = problem.owners_by_topic(owner)
    scales = {"scales": list(packed.scales or terms.scales(packing))} if terms.bounds_racks else {}
    return {
        "schema": BOUND_RACKS_SCHEMA if scales else SCHEMA,
        "instance": problem.document(),
        "order": ",".join(terms.order),
        "tolerance": None if terms.tolerance is None else [*terms.tolerance.as_integer_ratio()],
        "budget": terms.budget,
        "assignment": problem.partitions_by_member(owners),
        "enumerated": packed.enumerated,
        "steps": [_step(step, ids) for step in packed.steps],
        "prices": list(packed.prices),
        "moved": figures(problem, owners).moved,
        "rack_mismatch": packing.mismatched(owner),
        **scales,
    }


def _step(step: LoadStep, ids: list[str]) -> dict[str, Any]:
    return {
        **step._asdict(),
        "members": [ids[m] for m in step.members],
        "prices": list(step.prices),
    }
