"""The optimum of a consumer group with equal weights and bundles of one size.

`solver/check/balance` proves it: levels prove the balance, prices the movement and the racks.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from kassay.solver.check.balance import BalanceCertificate, refusal
from kassay.solver.check.consumers import (
    ASSIGNMENT,
    FAMILY,
    ORDER,
    costed,
    dense,
    pose,
    uneven,
    weighted,
    why_not_better,
)
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    ProvenQuestion,
    RefusedError,
    by_name,
    met,
    one_of,
    record,
    require,
    rows,
    squares,
)

SCHEMA: Final = "kassay/optimum-certificate/1"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves; raises `RefusedError` if it does not prove its assignment optimal."""
    instance, owners = dense(form, certificate["assignment"])
    ids = [member.member_id for member in instance.members]
    for key in ("levels", "prices"):
        require(certificate[key].keys() == set(ids), f"{key} are not given for exactly the members")
    order, moved, mismatch = (certificate[key] for key in ("order", "moved", "rack_mismatch"))
    proof = BalanceCertificate(
        order=tuple(order.split(",")),
        owners=owners,
        levels=tuple(certificate["levels"][member] for member in ids),
        prices=tuple(certificate["prices"][member] for member in ids),
        loads=tuple(certificate["loads"]),
        moved=moved,
        rack_mismatch=mismatch,
    )
    reason = refusal(instance, proof)
    if reason is not None:
        raise RefusedError(reason)
    figures = squares(certificate["loads"])
    values = {"balance": figures["loads"][::-1], "movement": moved, "rack": mismatch}
    return Proven(
        f"optimal: {len(ids)} members, {moved} moved, {mismatch} rack mismatches",
        ProvenQuestion(proof.order, {"move": 1}),
        {
            **figures,
            "status": "optimal",
            "goals": [met(goal, values[goal]) for goal in proof.order],
            "order": order,
            "moved": moved,
            "rack_mismatch": mismatch,
            "lower": figures["sum_squares"],
            "upper": figures["sum_squares"],
            "bound": "levels prove the balance, member prices the rest",
            "assignment": certificate["assignment"],
        },
        optional={"why_not_better": partial(why_not_better, form, certificate["assignment"])},
    )


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda form: not weighted(form) and not uneven(form) and not costed(form),
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "order": ORDER,
            "assignment": ASSIGNMENT,
            "levels": by_name(COUNT),
            "prices": by_name(WHOLE),
            "loads": rows(COUNT),
            "moved": COUNT,
            "rack_mismatch": COUNT,
        }
    ),
    check=check,
)
