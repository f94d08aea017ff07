"""A placement for which the time ran out: its values, and lower bounds for any placement.

Prices prove the least payment of every valid placement, as for `placement`: one unit of imbalance costs more
than all copies. So the proven payment, less the most expensive copies, bounds the imbalance of every
placement; and a placement with no more imbalance than this one makes at least the remaining copies. The same
holds for the leaders of these replicas.
"""

from __future__ import annotations

from typing import Any, Final

from kassay.solver.check.kinds.placement import figures, question
from kassay.solver.check.replicas import FAMILY, costed, leaders_paid, pose, replicas_paid, valid_case
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    by_name,
    one_of,
    one_price_each,
    record,
    rows,
)

SCHEMA: Final = "kassay/placement-certificate/2"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` for an invalid placement."""
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
        question(),
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
    """The goals of balance and of cost with the bounds that follow from the least payment.

    With E all shares and T the total, a place with share s pays T + 1 times E n^2 - 2 T s n. `balance` has
    the sum of n^2 where shares are equal, else of (E n - T s)^2.
    """
    (paid, least), (balance, cost) = payment, goals
    every, dear = sum(shares), total + 1
    constant = total * total * sum(share * share for share in shares)
    # Each is this factor times the imbalance that is paid for, plus a constant.
    if len(set(shares)) == 1:
        unit, added, parts = 1, 2 * total * total * shares[0], every
    else:
        unit, added, parts = every, constant, 1
    imbalance = (balance["value"] * parts - added) // unit
    # All costs together are at most `total`.
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
    takes=lambda form: not costed(form),
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
