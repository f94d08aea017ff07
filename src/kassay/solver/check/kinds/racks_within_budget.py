"""A packing within a budget of moves, with racks before moves: the weight of a move is part of the proof.

For any weights of a move and a mismatch, prices prove the least payment of every packing within the limits
for both. A packing within the budget makes at most that many moves, so the mismatches pay the rest:
Lagrange's bound for the budget; the assignment's own mismatches leave the rest of the payment to its moves.
"""

from __future__ import annotations

from typing import Final

from kassay.solver.check.consumers import FAMILY, pose
from kassay.solver.check.kinds import packing
from kassay.solver.check.kinds.packing import Bounds, PackingCase
from kassay.solver.check.packing import Scales, least_paid, least_shed
from kassay.solver.check.shapes import (
    COUNT,
    POSITIVE,
    Document,
    ProofKind,
    Proven,
    one_of,
    pair,
    record,
    require,
)

SCHEMA: Final = "kassay/packing-certificate/2"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` if it does not prove it."""
    case = packing.read_case(form, certificate)
    require(not case.movement_first, "such a proof is for the order that has racks first")
    require(case.budget is not None, "such a proof is for a budget")
    least = packing.enumerated(case) if certificate["enumerated"] else _priced(case, certificate)
    return packing.proven_by(case, certificate, least)


def _priced(case: PackingCase, certificate: Document) -> Bounds:
    """The bounds that steps and prices prove."""
    packed, budget = case.packed, case.budget or 0
    least, limits = packing.sorted_loads(case, certificate["steps"])
    scales = Scales(*certificate["scales"])
    paid = least_paid(packed, limits, scales, certificate["prices"])
    mismatches = max(packed.least_mismatch(), -((scales.move * budget - paid) // scales.wrong))
    moves = least_shed(packed, limits[0])
    if packing.is_met(case, Bounds(least, 0, 0)) and mismatches == case.mismatches and scales.move:
        # If the best packing has exactly these mismatches, the rest of its payment is moves.
        moves = max(moves, -((scales.wrong * mismatches - paid) // scales.move))
    return Bounds(least, moves, mismatches)


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda _: True,
    shape=record({"schema": one_of(SCHEMA), **packing.FIELDS, "scales": pair(COUNT, POSITIVE)}),
    check=check,
)
