"""A placement for which the time ran out: what it is worth, and what any is worth at the least.

Prices prove what every valid placement pays, as for `placement`: one unit of imbalance more than all copies.
So no placement has less imbalance than what is proven, less the dearest copies, says; and whatever has no
more imbalance than this one makes at least the copies that are left. Leaders of these replicas likewise.
"""

from __future__ import annotations

from typing import Any, Final

from kassay.solver.check.kinds.placement import figures
from kassay.solver.check.refusal import Document, ProofKind, Proven, one_price_each
from kassay.solver.check.replica_prices import leaders_paid, replicas_paid
from kassay.solver.check.replicas import FAMILY, pose, valid_case
from kassay.solver.check.shapes import ANYTHING, COUNT, WHOLE, by_name, one_of, record, rows

SCHEMA: Final = "kassay/placement-certificate/2"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` for what is no valid placement."""
    case = valid_case(form, certificate["assignment"])
    stated = figures(case)
    places = len(case.brokers)
    replicas = replicas_paid(case, one_price_each(certificate["prices"], places))
    leaders = leaders_paid(case, one_price_each(certificate["leader_prices"], places))
    shares = [broker.share for broker in case.brokers]
    total = sum(case.rf) + sum(broker.base for broker in case.brokers)
    pairs = stated["goals"][:2], stated["goals"][2:]
    goals = [
        *_bounded(pairs[0], replicas, total, shares),
        *_bounded(pairs[1], leaders, len(case.new), shares),
    ]
    met = True
    for goal in goals:
        met = met and goal["value"] == goal["bound"]
        goal["proven"] = met
    words = "; ".join(f"{goal['goal']} {goal['value']}, {goal['bound']} at the least" for goal in goals)
    return Proven(
        "optimal: every goal is at its bound" if met else f"interval: {words}",
        {
            **stated,
            "status": "optimal" if met else "interval",
            "goals": goals,
            "lower": goals[0]["bound"],
            "rack_mismatch": 0,
            "bound": "broker prices: balance, then copies; leaders, then changes of leader",
            "assignment": certificate["assignment"],
        },
    )


def _bounded(
    goals: list[dict[str, Any]], payment: tuple[int, int], total: int, shares: list[int]
) -> list[dict[str, Any]]:
    """The goals of balance and of cost with the bounds that follow from what is paid at the least.

    With E all shares and T the total, a place with share s pays T + 1 times E n^2 - 2 T s n. `balance` has
    the sum of n^2 where shares are equal, else of (E n - T s)^2.
    """
    (paid, least), (balance, cost) = payment, goals
    every, dear = sum(shares), total + 1
    constant = total * total * sum(share * share for share in shares)
    # Either is this many times the imbalance that is paid for, and what is added.
    if len(set(shares)) == 1:
        unit, added, parts = 1, 2 * total * total * shares[0], every
    else:
        unit, added, parts = every, constant, 1
    imbalance = (balance["value"] * parts - added) // unit
    # All costs together are `total` at the most.
    least_imbalance = -(-(least - total) // dear)
    forced = cost["value"] - (paid - dear * imbalance)
    bounds = (
        max(0, -(-(least_imbalance * unit + added) // parts)),
        forced + max(0, least - dear * imbalance),
    )
    return [goal | {"bound": bound} for goal, bound in zip(goals, bounds, strict=True)]


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda _: True,
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "assignment": by_name(rows(rows(COUNT))),
            "prices": rows(WHOLE),
            "leader_prices": rows(WHOLE),
        }
    ),
    check=check,
)
