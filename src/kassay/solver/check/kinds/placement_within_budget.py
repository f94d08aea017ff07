"""A placement within a budget of copies, or of bytes: the weight of a copy is part of the proof.

For any weights of a unit of imbalance and a unit of cost, prices prove the least payment of every valid
placement for both, as for `placement`. A placement within the budget costs at most the budget, so imbalance
pays the rest: Lagrange's bound. If a placement meets it, no other within the budget is more even, and an
equally even one costs at least the rest of the payment. Leaders are the best for these replicas, as for
`placement`.
"""

from __future__ import annotations

from typing import Final

from kassay.solver.check.kinds.placement import figures, question
from kassay.solver.check.replicas import (
    FAMILY,
    copies_paid,
    copy_costs,
    costed,
    pose,
    replicas_paid,
    require_best_leaders,
    valid_case,
)
from kassay.solver.check.shapes import (
    ANYTHING,
    COUNT,
    POSITIVE,
    WHOLE,
    Document,
    ProofKind,
    Proven,
    by_name,
    one_of,
    one_price_each,
    pair,
    record,
    require,
    rows,
)

SCHEMA: Final = "kassay/placement-certificate/3"


def check(form: Document, certificate: Document) -> Proven:
    """What the certificate proves of each goal; raises `RefusedError` for an invalid placement."""
    case = valid_case(form, certificate["assignment"])
    costs, budget = copy_costs(form), certificate["budget"]
    cost = copies_paid(case, costs)
    require(cost <= budget, f"the copies cost {cost}, the budget is {budget}")
    places = len(case.brokers)
    weight, price = certificate["scales"]
    paid, least = replicas_paid(
        case,
        one_price_each(certificate["prices"], places),
        weight,
        [price * each for each in costs],
    )
    require_best_leaders(case, one_price_each(certificate["leader_prices"], places))
    stated = figures(case)
    value = stated["upper"]
    shares = [broker.share for broker in case.brokers]
    total = sum(case.rf) + sum(broker.base for broker in case.brokers)
    # The payment for imbalance is this factor times the imbalance, less a constant.
    every = sum(shares)
    equal = len(set(shares)) == 1
    added = 2 * total * total * shares[0] if equal else total * total * sum(s * s for s in shares)
    unit, parts = (1, every) if equal else (every, 1)
    units = -(-(least - price * budget) // weight)
    even = _even(total, len(shares)) if equal else 0
    balance = max(even, -(-(units * unit + added) // parts))
    movement = max(0, -((paid - price * cost - least) // price)) if balance == value and price else 0
    is_even = balance == value
    is_cheapest = is_even and movement == cost
    goals = [
        {"goal": "balance of replicas", "value": value, "bound": balance, "proven": is_even},
        {"goal": "cost of copies", "value": cost, "bound": movement, "proven": is_cheapest},
        *stated["goals"][2:],
    ]
    proven = all(goal["proven"] for goal in goals)
    words = f"balance of replicas {value}, at least {balance}; cost of copies {cost}, at least {movement}"
    return Proven(
        "optimal: none within the budget is more even, or as even at a lower cost"
        if proven
        else f"interval: {words}",
        question("copy_costs" if costed(form) else 1, budget),
        {
            **stated,
            "status": "optimal" if proven else "interval",
            "goals": goals,
            "lower": balance,
            "budget": budget,
            "cost": cost,
            "rack_mismatch": 0,
            "bound": "broker prices: balance within the budget; leaders, then changes of leader",
            "assignment": certificate["assignment"],
        },
    )


def _even(total: int, places: int) -> int:
    """The least sum of squares of this number of replicas on this number of brokers, whatever the rules."""
    whole, rest = divmod(total, places)
    return rest * (whole + 1) ** 2 + (places - rest) * whole**2


KIND: Final = ProofKind(
    schema=SCHEMA,
    family=FAMILY,
    pose=pose,
    takes=lambda _: True,
    shape=record(
        {
            "schema": one_of(SCHEMA),
            "instance": ANYTHING,
            "budget": COUNT,
            "scales": pair(POSITIVE, COUNT),
            "assignment": by_name(rows(rows(COUNT))),
            "prices": rows(WHOLE),
            "leader_prices": rows(WHOLE),
        }
    ),
    check=check,
)
